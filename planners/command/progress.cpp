#include "progress.hpp"

#include <cstdio>
#include <mutex>
#include <utility>

namespace catena::command {

struct Progress::State {
  using Clock = std::chrono::steady_clock;
  std::string what;
  int total = 0;
  Clock::duration pause;
  std::mutex mutex;
  int done = 0;
  int said = 0;  ///< how many were done by the last line; 0: none
  Clock::time_point last = Clock::now();

  void say() {
    said = done;
    std::fprintf(stderr, "%s: %d of %d\n", what.c_str(), done, total);
  }
};

Progress::Progress(std::string what, int total, std::chrono::steady_clock::duration pause)
    : state_(std::make_unique<State>()) {
  state_->what = std::move(what);
  state_->total = total;
  state_->pause = pause;
}

Progress::~Progress() {
  if (state_->said != 0 && state_->said != state_->done) state_->say();
}

void Progress::step() {
  const std::lock_guard lock(state_->mutex);
  ++state_->done;
  const auto now = State::Clock::now();
  if (now - state_->last < state_->pause) return;
  state_->last = now;
  state_->say();
}

}  // namespace catena::command
