#include "catena/io/input_error.hpp"

#include <utility>

namespace catena::io {
namespace {

std::string message(const std::string& file, int line, const std::string& element,
                    const std::string& problem, const std::string& remedy) {
  std::string text = file;
  if (line > 0) text += ":" + std::to_string(line);
  if (!text.empty()) text += ": ";
  if (!element.empty()) text += element + ": ";
  text += problem;
  if (!remedy.empty()) text += "; " + remedy;
  return text;
}

}  // namespace

InputError::InputError(std::string file, int line, std::string element, std::string problem,
                       std::string remedy)
    : std::runtime_error(message(file, line, element, problem, remedy)),
      file_(std::move(file)),
      line_(line),
      element_(std::move(element)) {}

}  // namespace catena::io
