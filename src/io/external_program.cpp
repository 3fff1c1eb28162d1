#include "io/external_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>

extern char** environ;

namespace catena::io {
namespace {

/// Both ends of a pipe, closed when this goes.
struct Pipe {
  int read_end = -1, write_end = -1;

  bool open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  ~Pipe() {
    close_end(read_end);
    close_end(write_end);
  }
};

/// The process's environment with the given variables in place of its own of those names.
std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string text = *variable;
    if (added.count(text.substr(0, text.find('='))) == 0) all.push_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

/// Reads both pipes to their ends, or until the deadline; false at the deadline.
bool drain(Pipe& output, Pipe& errors, ProgramResult& result,
           std::chrono::steady_clock::time_point deadline) {
  constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  std::array<char, 65536> buffer{};
  while (output.read_end >= 0 || errors.read_end >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    std::array<pollfd, 2> waits = {{{output.read_end, POLLIN, 0}, {errors.read_end, POLLIN, 0}}};
    if (poll(waits.data(), waits.size(), static_cast<int>(left.count())) < 0 && errno != EINTR)
      return false;
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].revents == 0) continue;
      int& end = i == 0 ? output.read_end : errors.read_end;
      std::string& text = i == 0 ? result.output : result.errors;
      const ssize_t count = read(end, buffer.data(), buffer.size());
      if (count > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(count));
        if (text.size() > kMostBytes) return false;
      } else if (count == 0 || errno != EINTR) {
        Pipe::close_end(end);
      }
    }
  }
  return true;
}

/// Waits for the process to end; false at the deadline.
bool wait_for(pid_t process, ProgramResult& result,
              std::chrono::steady_clock::time_point deadline) {
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(process, &status, WNOHANG);
    if (ended == process) {
      result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      return true;
    }
    if (ended < 0 && errno != EINTR) return true;  // somebody else reaped it: no status to tell
    if (std::chrono::steady_clock::now() >= deadline) return false;
    usleep(2000);
  }
}

}  // namespace

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string file = (end > 0 ? rest.substr(0, end) : std::string(".")) + "/" + name;
    rest.erase(0, end + 1);
    struct stat status {};
    if (stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        access(file.c_str(), X_OK) == 0)
      return file;
  }
  return {};
}

ProgramResult run_program(const std::vector<std::string>& arguments,
                          const std::map<std::string, std::string>& environment,
                          int timeout_seconds) {
  ProgramResult result;
  Pipe output, errors;
  if (arguments.empty() || !output.open() || !errors.open()) return result;

  std::vector<std::string> argument_texts = arguments;
  std::vector<std::string> environment_texts = merged_environment(environment);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.write_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.write_end, STDERR_FILENO);
  // A group of its own, so that what it starts in turn ends with it.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t process = -1;
  const int failed =
      posix_spawn(&process, arguments[0].c_str(), &actions, &attributes,
                  pointers(argument_texts).data(), pointers(environment_texts).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return result;
  result.started = true;

  Pipe::close_end(output.write_end);
  Pipe::close_end(errors.write_end);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(timeout_seconds);
  if (!drain(output, errors, result, deadline) || !wait_for(process, result, deadline)) {
    result.timed_out = true;
    kill(-process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
  return result;
}

}  // namespace catena::io
