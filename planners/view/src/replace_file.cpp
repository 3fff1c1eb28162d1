#include "catena/view/replace_file.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace catena::view {

void replace_file(const std::string& path, const std::string& what,
                  const std::function<void(std::ostream&)>& write) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool in_place = fs::exists(path, error) && !fs::is_regular_file(path, error);
  fs::path target = path;
  if (fs::is_symlink(path, error) && !in_place) target = fs::weakly_canonical(path, error);
  if (target.empty()) target = path;
  fs::path written = target;
  if (!in_place) written += ".part";
  std::ofstream file(written, std::ios::binary);
  const bool opened = file.is_open();
  try {
    if (opened) write(file);
  } catch (...) {
    file.close();
    if (!in_place) fs::remove(written, error);
    throw;
  }
  file.close();
  bool done = !file.fail();
  if (!in_place) {
    const fs::file_status before = fs::status(target, error);
    if (done && fs::is_regular_file(before))
      fs::permissions(written, before.permissions(), error);  // best effort: the content matters
    error.clear();
    if (done) fs::rename(written, target, error);
    done = done && !error;
    if (!done && opened) fs::remove(written, error);
  }
  if (!done) {
    throw std::runtime_error(path + ": " + what +
                             " cannot be written; is the folder there and writable, and is there "
                             "room?");
  }
}

}  // namespace catena::view
