#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Eigen/Core>

namespace catena::io {

/// The double nearest to a decimal text, whatever the locale; nothing for any other text, for
/// "nan", for "inf" and for what overflows.
std::optional<double> read_decimal(std::string_view text);

/// The parts of a text between blanks, tabs and line ends.
std::vector<std::string_view> words_of(std::string_view text);

/// nan, inf and the like, as programs write coordinates that they do not have.
bool is_non_number(std::string_view word);

/// The bytes of a regular file, without a UTF-8 byte order mark.
/// Errors    InputError: not there, a folder, unreadable, larger than 2 GiB.
std::string read_text_file(const std::string& path);
/// The same with every byte kept.
std::string read_binary_file(const std::string& path);

/// One value of a JSON or YAML document.
struct Value {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  bool boolean = false;
  int line = 0;
  double number = 0.0;
  std::string text;               ///< of a string; of a YAML scalar as it is written
  std::vector<std::string> keys;  ///< of an object, in the file's order, each once
  std::vector<Value> items;       ///< of an array; of an object, one for each key
};

/// Errors    InputError: syntax, double keys, nesting above 100 levels, numbers that overflow.
Value parse_json(const std::string& text, const std::string& file);
/// YAML 1.2 as far as yaml-cpp reads it, one document; aliases may expand to 10 million values.
Value parse_yaml(const std::string& text, const std::string& file);

/// A value and where it stands, so that every complaint can name it.
class Element {
 public:
  Element(const Value& value, const std::string& file, std::string name)
      : value_(&value), file_(&file), name_(std::move(name)) {}

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const;

  const Value& value() const noexcept { return *value_; }
  const std::string& name() const noexcept { return name_; }  ///< `world.objects[3].pose`
  const std::string& file() const noexcept { return *file_; }
  int line() const noexcept { return value_->line; }
  bool is(Value::Kind kind) const noexcept { return value_->kind == kind; }
  bool is_null() const noexcept { return is(Value::Kind::kNull); }
  /// `FILE:LINE: NAME`, where an error or a warning begins.
  std::string place() const;
  /// `FILE:LINE: NAME: text`, as a warning reads.
  std::string note(const std::string& text) const;

  bool has(std::string_view key) const noexcept { return lookup(key) != nullptr; }
  /// The member, if the key is there and its value not null.
  std::optional<Element> find(std::string_view key) const;
  Element at(std::string_view key) const;  ///< a missing or null member is an InputError
  /// An InputError that names the first key that is none of these.
  void allow_only(std::initializer_list<std::string_view> keys) const;

  std::size_t size() const noexcept { return value_->items.size(); }
  Element operator[](std::size_t i) const;

  // Each of these is an InputError where the value is of another kind.
  const Element& require_object() const;
  const Element& require_array() const;
  double number() const;
  double positive() const;
  int integer() const;
  bool boolean() const;
  const std::string& string() const;
  std::vector<double> numbers() const;
  std::vector<std::string> strings() const;
  /// Exactly three numbers: [x, y, z] or {x: , y: , z: }.
  Eigen::Vector3d vector3() const;
  /// Exactly four numbers: [x, y, z, w] or {x: , y: , z: , w: }.
  Eigen::Vector4d vector4() const;

 private:
  const Value* lookup(std::string_view key) const noexcept;

  const Value* value_;
  const std::string* file_;
  std::string name_;
};

/// A number as it is said in messages: the shortest text that reads back as the same double.
std::string show(double x);

}  // namespace catena::io
