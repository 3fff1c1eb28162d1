#include "io/document.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

#include "catena/io/input_error.hpp"

namespace catena::io {

namespace {

constexpr std::uintmax_t kMaxFileSize = 2ULL << 30;  // offsets in files are kept as int

const char* kind_name(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::kNull:
      return "nothing";
    case Value::Kind::kBool:
      return "true or false";
    case Value::Kind::kNumber:
      return "a number";
    case Value::Kind::kString:
      return "a text";
    case Value::Kind::kArray:
      return "a list";
    case Value::Kind::kObject:
      return "a map";
  }
  return "something";
}

// How a value looks in a message: what it holds if that is short, else its kind.
std::string describe(const Value& value) {
  if (value.kind == Value::Kind::kString) {
    return value.text.size() > 40 ? "a long text" : '"' + value.text + '"';
  }
  if (value.kind == Value::Kind::kNumber) return show(value.number);
  if (value.kind == Value::Kind::kBool) return value.boolean ? "true" : "false";
  return kind_name(value.kind);
}

}  // namespace

std::optional<double> read_decimal(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return std::nullopt;
  }
  // from_chars also takes "nan", "inf" and hexadecimal digits after "0x" as the number 0.
  for (const char c : text) {
    const bool part =
        (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
    if (!part) return std::nullopt;
  }
  const char* const end = text.data() + text.size();
  double x = 0.0;
  const auto [stop, error] = std::from_chars(text.data(), end, x);
  if (error == std::errc::result_out_of_range && stop == end) {
    // Both overflow and underflow arrive here; the wider exponent range of long double tells.
    long double wide = 0.0L;
    const auto again = std::from_chars(text.data(), end, wide);
    if (again.ec == std::errc()) {
      if (std::fabs(wide) > 1.0L) return std::nullopt;
      return static_cast<double>(wide);
    }
    const std::size_t e = text.find_first_of("eE");
    const bool tiny = e != std::string_view::npos && e + 1 < text.size() && text[e + 1] == '-';
    if (!tiny) return std::nullopt;
    return text.front() == '-' ? -0.0 : 0.0;
  }
  if (error != std::errc() || stop != end) return std::nullopt;
  return x;
}

std::string show(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, x).ptr;
  return {buffer, end};
}

std::string read_binary_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw InputError(path, 0, "", "there is no such file", "check the path");
  if (fs::is_directory(status)) {
    throw InputError(path, 0, "", "this is a folder", "name a file in it");
  }
  if (!fs::is_regular_file(status)) {
    throw InputError(path, 0, "", "this is not a regular file", "save its content to a file first");
  }
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > kMaxFileSize) {
    throw InputError(path, 0, "", "the file is larger than 2 GiB", "split it or reduce it");
  }
  std::ifstream in(path, std::ios::binary);
  std::string bytes;
  if (in && !error) {
    bytes.resize(static_cast<std::size_t>(size));
    in.read(bytes.data(), static_cast<std::streamsize>(size));
  }
  if (!in || error) {
    throw InputError(path, 0, "", "the file cannot be read", "check its permissions");
  }
  return bytes;
}

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr const char* kBlanks = " \t\r\n";
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(kBlanks, at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

bool is_non_number(std::string_view word) {
  if (!word.empty() && (word[0] == '-' || word[0] == '+')) word.remove_prefix(1);
  return word == "nan" || word == "NaN" || word == "NAN" || word == "inf" || word == "Inf" ||
         word == "INF";
}

std::string read_text_file(const std::string& path) {
  std::string text = read_binary_file(path);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

void Element::fail(const std::string& problem, const std::string& remedy) const {
  throw InputError(*file_, line(), name_, problem, remedy);
}

std::string Element::place() const {
  std::string where = *file_;
  if (line() > 0) where += ':' + std::to_string(line());
  return where + ": " + name_;
}

std::string Element::note(const std::string& text) const { return place() + ": " + text; }

const Value* Element::lookup(std::string_view key) const noexcept {
  const auto& keys = value_->keys;
  const auto found = std::find(keys.begin(), keys.end(), key);
  return found == keys.end() ? nullptr : &value_->items[static_cast<size_t>(found - keys.begin())];
}

std::optional<Element> Element::find(std::string_view key) const {
  const Value* member = lookup(key);
  if (member == nullptr || member->kind == Value::Kind::kNull) return std::nullopt;
  return Element(*member, *file_,
                 name_.empty() ? std::string(key) : name_ + '.' + std::string(key));
}

Element Element::at(std::string_view key) const {
  require_object();
  std::optional<Element> member = find(key);
  if (!member) fail("\"" + std::string(key) + "\" is missing", "add it");
  return *member;
}

void Element::allow_only(std::initializer_list<std::string_view> keys) const {
  require_object();
  for (std::size_t i = 0; i < value_->keys.size(); ++i) {
    const std::string& key = value_->keys[i];
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    std::string known;
    for (const std::string_view k : keys) known += (known.empty() ? "" : ", ") + std::string(k);
    throw InputError(*file_, value_->items[i].line, name_, "unknown key \"" + key + "\"",
                     "known here are " + known);
  }
}

Element Element::operator[](std::size_t i) const {
  return Element(value_->items[i], *file_,
                 value_->kind == Value::Kind::kObject
                     ? (name_.empty() ? value_->keys[i] : name_ + '.' + value_->keys[i])
                     : name_ + '[' + std::to_string(i) + ']');
}

const Element& Element::require_object() const {
  if (!is(Value::Kind::kObject)) {
    fail(std::string("expected a map, found ") + describe(*value_), "write {key: value, ...}");
  }
  return *this;
}

const Element& Element::require_array() const {
  if (!is(Value::Kind::kArray)) {
    fail(std::string("expected a list, found ") + describe(*value_), "write [ ... ]");
  }
  return *this;
}

double Element::number() const {
  if (!is(Value::Kind::kNumber)) {
    fail(describe(*value_) + " is not a finite number", "give a decimal number");
  }
  return value_->number;
}

double Element::positive() const {
  const double x = number();
  if (x < 0.0) fail(show(x) + " is negative", "give a number > 0");
  if (x == 0.0) fail("0 is not a size", "give a number > 0");
  return x;
}

int Element::integer() const {
  const double x = number();
  if (x != std::floor(x) || std::fabs(x) > INT_MAX) {
    fail(show(x) + " is not an integer", "give an integer");
  }
  return static_cast<int>(x);
}

bool Element::boolean() const {
  if (is(Value::Kind::kNumber) && (value_->number == 0.0 || value_->number == 1.0)) {
    return value_->number == 1.0;
  }
  if (!is(Value::Kind::kBool)) {
    fail(describe(*value_) + " is neither true nor false", "write true or false");
  }
  return value_->boolean;
}

const std::string& Element::string() const {
  // A YAML scalar such as 7 or true is a fine name; its text is kept as written.
  if (!is(Value::Kind::kString) && value_->text.empty()) {
    fail(std::string("expected a text, found ") + describe(*value_), "write it in quotes");
  }
  return value_->text;
}

std::vector<double> Element::numbers() const {
  require_array();
  std::vector<double> values;
  values.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) {
    if (value_->items[i].kind != Value::Kind::kNumber) (*this)[i].number();
    values.push_back(value_->items[i].number);
  }
  return values;
}

std::vector<std::string> Element::strings() const {
  require_array();
  std::vector<std::string> values;
  for (std::size_t i = 0; i < size(); ++i) values.push_back((*this)[i].string());
  return values;
}

Eigen::Vector3d Element::vector3() const {
  if (is(Value::Kind::kObject)) {
    allow_only({"x", "y", "z"});
    return {at("x").number(), at("y").number(), at("z").number()};
  }
  const std::vector<double> v = numbers();
  if (v.size() != 3) fail(std::to_string(v.size()) + " numbers where 3 are needed", "give x, y, z");
  return {v[0], v[1], v[2]};
}

Eigen::Vector4d Element::vector4() const {
  if (is(Value::Kind::kObject)) {
    allow_only({"x", "y", "z", "w"});
    return {at("x").number(), at("y").number(), at("z").number(), at("w").number()};
  }
  const std::vector<double> v = numbers();
  if (v.size() != 4) {
    fail(std::to_string(v.size()) + " numbers where 4 are needed", "give x, y, z, w");
  }
  return {v[0], v[1], v[2], v[3]};
}

}  // namespace catena::io
