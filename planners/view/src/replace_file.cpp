#include "catena/view/replace_file.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace catena::view {
namespace {

namespace fs = std::filesystem;

/// The file that a path stands for, through symbolic links, also where that file is not there yet.
fs::path behind_links(fs::path path) {
  std::error_code error;
  for (int links = 0; links < 40 && fs::is_symlink(path, error); ++links) {
    const fs::path next = fs::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / next;  // an absolute one replaces the whole path
  }
  return path;
}

/// A name beside the file that no other file has.
fs::path free_name_beside(const fs::path& file) {
  std::error_code error;
  fs::path name = file;
  do {
    name += ".part";
  } while (fs::exists(fs::symlink_status(name, error)));
  return name;
}

}  // namespace

void replace_file(const std::string& path, const std::string& what,
                  const std::function<void(std::ostream&)>& write) {
  std::error_code error;
  const bool in_place = fs::exists(path, error) && !fs::is_regular_file(path, error);
  const fs::path target = in_place ? fs::path(path) : behind_links(path);
  const fs::path written = in_place ? target : free_name_beside(target);
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
