#pragma once

#include <ompl/util/Console.h>

namespace catena::command {

/// Sends OMPL's messages to stderr while it lives: its own handler would write them into the answer
/// on stdout. Only warnings and errors, unless `verbose`.
class OmplLog final : public ::ompl::msg::OutputHandler {
 public:
  explicit OmplLog(bool verbose);
  ~OmplLog() override;
  void log(const std::string& text, ::ompl::msg::LogLevel level, const char* file,
           int line) override;
};

}  // namespace catena::command
