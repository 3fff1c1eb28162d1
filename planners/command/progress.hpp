#pragma once

#include <chrono>
#include <memory>
#include <string>

namespace catena::command {

/// Says how far long work is, on stderr, at most every `pause`. Work that was spoken of is told
/// once more when it ends, unless the last line said so already.
class Progress {
 public:
  Progress(std::string what, int total,
           std::chrono::steady_clock::duration pause = std::chrono::seconds(2));
  ~Progress();
  void step();  ///< one more is done; from any thread

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace catena::command
