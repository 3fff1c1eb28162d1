#pragma once

#include <map>
#include <string>
#include <vector>

namespace catena::io {

/// What a program that was run left behind.
struct ProgramResult {
  bool started = false;
  bool timed_out = false;  ///< and was ended
  int status = -1;         ///< exit status; -1 if a signal ended it
  std::string output;      ///< its stdout
  std::string errors;      ///< its stderr
};

/// The executable file of that name in a folder of PATH, or "".
std::string find_program(const std::string& name);

/// Runs a program without a shell and waits for it; its stdin is empty.
/// @param arguments    arguments[0] is the program's path
/// @param environment  variables to set besides those of this process
ProgramResult run_program(const std::vector<std::string>& arguments,
                          const std::map<std::string, std::string>& environment,
                          int timeout_seconds);

}  // namespace catena::io
