#include "ompl_log.hpp"

#include <cstdio>

namespace catena::command {

OmplLog::OmplLog(bool verbose) {
  ::ompl::msg::useOutputHandler(this);
  ::ompl::msg::setLogLevel(verbose ? ::ompl::msg::LOG_INFO : ::ompl::msg::LOG_WARN);
}

OmplLog::~OmplLog() { ::ompl::msg::noOutputHandler(); }

void OmplLog::log(const std::string& text, ::ompl::msg::LogLevel level, const char* /*file*/,
                  int /*line*/) {
  const char* kind = level >= ::ompl::msg::LOG_ERROR  ? "error"
                     : level == ::ompl::msg::LOG_WARN ? "warning"
                                                      : "note";
  std::fprintf(stderr, "ompl %s: %s\n", kind, text.c_str());
}

}  // namespace catena::command
