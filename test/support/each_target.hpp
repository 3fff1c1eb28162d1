// Tests that run once for each instruction set that the library may choose on this machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#ifdef CATENA_HAS_HIGHWAY
#include <hwy/targets.h>

#include "math/targets.hpp"
#endif

namespace catena::test {

/// The parameter is one of Highway's targets; 0: whatever the library chooses.
class OnEachTarget : public testing::TestWithParam<std::int64_t> {
 public:
#ifdef CATENA_HAS_HIGHWAY
  static std::vector<std::int64_t> all() {
    std::vector<std::int64_t> targets;
    const auto supported =
        static_cast<std::uint64_t>(hwy::SupportedTargets() & ~CATENA_TARGETS_WITHOUT_CODE);
    for (std::uint64_t bit = 1; bit != 0 && bit <= supported; bit <<= 1) {
      if ((supported & bit) != 0) targets.push_back(static_cast<std::int64_t>(bit));
    }
    return targets;
  }

 protected:
  void SetUp() override { choose(GetParam()); }
  void TearDown() override { choose(0); }

 private:
  static void choose(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(static_cast<decltype(hwy::SupportedTargets())>(target));
    hwy::GetChosenTarget().DeInit();
  }
#else
  static std::vector<std::int64_t> all() { return {0}; }
#endif
};

}  // namespace catena::test
