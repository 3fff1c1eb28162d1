#include "io/package_paths.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

namespace catena::io {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

std::vector<std::string> path_list(const char* variable) {
  std::vector<std::string> folders;
  const char* text = std::getenv(variable);
  if (text == nullptr) return folders;
  std::string rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) folders.push_back(rest.substr(0, end));
    rest.erase(0, end + 1);
  }
  return folders;
}

/// The <name> in a folder's package.xml, or nothing. A search for the one tag is enough here: the
/// manifest is not read for anything else.
std::string manifest_name(const fs::path& folder) {
  if (!is_file(folder / "package.xml")) return {};  // opening a pipe of that name would hang
  std::ifstream file(folder / "package.xml", std::ios::binary);
  if (!file) return {};
  std::string text(1 << 16, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  const std::size_t start = text.find("<name>");
  if (start == std::string::npos) return {};
  const std::size_t end = text.find("</name>", start);
  if (end == std::string::npos) return {};
  std::string name = text.substr(start + 6, end - start - 6);
  std::erase_if(name, [](unsigned char c) { return std::isspace(c) != 0; });
  return name;
}

/// Folders under `top` that hold the package's manifest; as in ROS, nothing below a manifest.
void crawl(const fs::path& top, const std::string& name, int depth, int& budget,
           std::vector<std::string>& folders) {
  if (--budget < 0) return;
  std::error_code error;
  if (fs::exists(top / "package.xml", error)) {
    const std::string found = manifest_name(top);
    if (found == name || (found.empty() && top.filename() == name)) folders.push_back(top.string());
    return;
  }
  if (top.filename() == name) folders.push_back(top.string());
  if (depth == 0) return;
  fs::directory_iterator entry(top, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const fs::path& below = entry->path();
    if (below.filename().string().starts_with(".")) continue;
    if (is_folder(below)) crawl(below, name, depth - 1, budget, folders);
  }
}

/// %20 and the like; nothing if the text has none.
std::optional<std::string> percent_decoded(const std::string& text) {
  std::string decoded;
  bool changed = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() &&
        std::isxdigit(static_cast<unsigned char>(text[i + 1])) &&
        std::isxdigit(static_cast<unsigned char>(text[i + 2]))) {
      const int code = std::stoi(text.substr(i + 1, 2), nullptr, 16);
      if (code != 0) {
        decoded += static_cast<char>(code);
        i += 2;
        changed = true;
        continue;
      }
    }
    decoded += text[i];
  }
  if (!changed) return std::nullopt;
  return decoded;
}

/// The ways in which the same path may be meant, best first.
std::vector<std::string> spellings(const std::string& text) {
  std::vector<std::string> all = {text};
  if (auto decoded = percent_decoded(text)) all.push_back(*decoded);
  const std::size_t plain = all.size();
  for (std::size_t i = 0; i < plain; ++i)
    if (all[i].find('\\') != std::string::npos) {
      all.push_back(all[i]);
      std::replace(all.back().begin(), all.back().end(), '\\', '/');
    }
  return all;
}

std::string in_quotes(const std::string& text) { return "\"" + text + "\""; }

}  // namespace

ResourceFinder::ResourceFinder(const std::string& file, std::map<std::string, std::string> packages)
    : packages_(std::move(packages)) {
  std::error_code error;
  fs::path whole = fs::absolute(file, error);
  if (error) whole = file;
  folder_ = whole.lexically_normal().parent_path().string();
}

const std::vector<std::string>& ResourceFinder::package_folders(const std::string& name) {
  const auto [place, inserted] = found_.emplace(name, std::vector<std::string>());
  std::vector<std::string>& folders = place->second;
  if (!inserted) return folders;
  if (const auto mapped = packages_.find(name); mapped != packages_.end()) {
    folders.push_back(mapped->second);
    return folders;
  }
  for (const std::string& prefix : path_list("AMENT_PREFIX_PATH")) {
    const fs::path share = fs::path(prefix) / "share";
    if (is_folder(share / name)) folders.push_back((share / name).string());
  }
  int budget = 20000;  // folders looked at: a path that names the whole disk ends too
  for (const std::string& top : path_list("ROS_PACKAGE_PATH"))
    if (is_folder(top)) crawl(top, name, 6, budget, folders);
  for (fs::path at = folder_; !at.empty(); at = at.parent_path()) {
    if (at.filename() == name || manifest_name(at) == name) folders.push_back(at.string());
    if (is_folder(at / name)) folders.push_back((at / name).string());
    if (at == at.root_path()) break;
  }
  return folders;
}

ResourceFinder::Result ResourceFinder::find(const std::string& uri) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = uri.find_first_not_of(blanks);
  if (first == std::string::npos) return {"", "no file is named", "give a path"};
  std::string text = uri.substr(first, uri.find_last_not_of(blanks) - first + 1);

  for (const char* scheme : {"package://", "model://"})
    if (text.starts_with(scheme))
      return find_in_package(text, text.substr(std::string(scheme).size()));
  if (text.starts_with("file:")) {
    text.erase(0, 5);
    if (text.starts_with("//")) text.erase(0, 2);
    if (text.starts_with("localhost/")) text.erase(0, 9);
  } else if (text.find("://") != std::string::npos) {
    return {"", in_quotes(text) + " is not a file on this machine",
            "download it and name it by its path, or by package://"};
  }

  std::string tried;
  for (const std::string& spelling : spellings(text)) {
    const fs::path path = (fs::path(folder_) / spelling).lexically_normal();
    if (is_file(path)) return {path.string(), "", ""};
    if (tried.empty()) tried = path.string();
  }
  return {"", "the file " + in_quotes(uri) + " is not there (looked for " + tried + ")",
          "put it there, or correct the name"};
}

ResourceFinder::Result ResourceFinder::find_in_package(const std::string& uri, std::string rest) {
  std::string tried, name;
  // Some exporters write three slashes; the third says nothing.
  rest.erase(0, std::min(rest.find_first_not_of("/\\"), rest.size()));
  for (const std::string& spelling : spellings(rest)) {
    const std::size_t slash = spelling.find('/');
    if (slash == std::string::npos || slash == 0) continue;
    name = spelling.substr(0, slash);
    for (const std::string& folder : package_folders(name)) {
      const fs::path path = (fs::path(folder) / spelling.substr(slash + 1)).lexically_normal();
      if (is_file(path)) return {path.string(), "", ""};
      if (tried.empty()) tried = path.string();
    }
  }
  if (name.empty())
    return {"", in_quotes(uri) + " names no file in a package", "write package://NAME/path"};
  const std::string map = "name the package's folder with --package " + name + "=DIR";
  if (tried.empty())
    return {"",
            "the file " + in_quotes(uri) + " is not found: no folder is known for package " +
                in_quotes(name),
            map + ", or through ROS_PACKAGE_PATH or AMENT_PREFIX_PATH"};
  return {"", "the file " + in_quotes(uri) + " is not there (looked for " + tried + ")",
          "put it there, or " + map};
}

}  // namespace catena::io
