#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace catena::test {

/// The folder that holds cases/ and data/: the environment variable CATENA_DATA, else ../shared.
inline std::filesystem::path data_root() {
  const char* set = std::getenv("CATENA_DATA");
  return set != nullptr && *set != '\0' ? set : CATENA_DATA_DEFAULT;
}

}  // namespace catena::test

/// Skips the running test, saying so, unless data_root()/relative exists.
#define CATENA_REQUIRE_DATA(relative)                                                \
  do {                                                                               \
    if (!std::filesystem::exists(catena::test::data_root() / (relative)))            \
      GTEST_SKIP() << "no " << (catena::test::data_root() / (relative)).string()     \
                   << "; set CATENA_DATA to the folder that holds cases/ and data/"; \
  } while (false)
