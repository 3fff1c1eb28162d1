#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tinyxml2.h>

#include "catena/model/robot_builder.hpp"

namespace catena::io {

/// Rethrows a builder's complaint as an InputError at the element's place; at `file` if it has
/// none.
[[noreturn]] void throw_at_source(const ModelError& error, const RobotDescription& description,
                                  const std::string& file);

/// A well-formed XML document, and the checks that every reader of one makes.
///
/// Stricter than tinyxml2 (text after the root, attributes that are not UTF-8) and more lenient in
/// one point: NUL bytes after the root are a warning. Errors    every function throws InputError
/// with line and element.
class XmlFile {
 public:
  using Node = tinyxml2::XMLElement;

  /// @param root_name  what the root element must be
  XmlFile(std::string text, std::string path, const char* root_name);

  const Node& root() const noexcept { return *root_; }
  const std::string& path() const noexcept { return path_; }
  const std::vector<std::string>& warnings() const noexcept { return warnings_; }

  /// `<link name="tool"> <box>`: the part of the root that a node belongs to, and the node itself.
  static std::string element(const Node& node);

  [[noreturn]] void fail(const Node& node, const std::string& problem,
                         const std::string& remedy) const;
  void warn(const Node& node, const std::string& what);
  /// Warns once about each kind of this element's children that is not in the list: it may be a
  /// misspelling.
  void warn_unknown(const Node& parent, std::initializer_list<std::string_view> known);

  /// The only child of that name, or nullptr; two of them are an error.
  const Node* child(const Node& parent, const char* name) const;

  /// An attribute that must be there and not be empty.
  std::string required(const Node& node, const char* attribute) const;
  /// Exactly `count` finite numbers, or nothing if the attribute is absent.
  std::optional<std::vector<double>> numbers(const Node& node, const char* attribute,
                                             std::size_t count) const;
  std::optional<double> number(const Node& node, const char* attribute) const;
  /// Numbers in a text that belongs to an attribute of the node, however many.
  std::vector<double> parse_numbers(const Node& node, const char* attribute,
                                    std::string_view text) const;

 private:
  void check_attributes(const Node& node) const;

  std::string path_;
  std::unique_ptr<tinyxml2::XMLDocument> document_;
  const Node* root_ = nullptr;
  std::vector<std::string> warnings_;
  std::set<std::pair<const Node*, std::string>> warned_;
};

bool is_utf8(std::string_view text) noexcept;

}  // namespace catena::io
