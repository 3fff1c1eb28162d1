#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "catena/io/input_error.hpp"
#include "io/document.hpp"

namespace catena::io {

namespace {

constexpr std::size_t kMaxDepth = 100;

// Feeds the parser byte by byte and knows the line of the byte before the last one read: the
// scanner looks one byte ahead after a number, so this is the line of the token just scanned.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, int* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *line_ += pending_;
    pending_ = *at_ == '\n';
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return !(a == b); }

 private:
  const char* at_;
  int* line_;
  int pending_ = 0;
};

// Builds the document from the parser's events; nlohmann's own tree would keep the last of two
// equal keys without a word.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(Value& root, const std::string& file, const int& line)
      : root_(root), file_(file), line_(line) {}

  bool null() override { return add(Value::Kind::kNull), true; }
  bool boolean(bool value) override {
    add(Value::Kind::kBool).boolean = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    add(Value::Kind::kNumber).number = static_cast<double>(value);
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    add(Value::Kind::kNumber).number = static_cast<double>(value);
    return true;
  }
  bool number_float(number_float_t, const string_t& text) override {
    // The scanner wrote the locale's decimal point into the text and read it under that locale.
    std::string decimal = text;
    for (char& c : decimal) {
      if ((c < '0' || c > '9') && c != 'e' && c != 'E' && c != '+' && c != '-') c = '.';
    }
    const std::optional<double> x = read_decimal(decimal);
    if (!x) throw InputError(file_, line_, name(), "number overflow", "give a smaller number");
    add(Value::Kind::kNumber).number = *x;
    return true;
  }
  bool string(string_t& value) override {
    add(Value::Kind::kString).text = std::move(value);
    return true;
  }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(Value::Kind::kObject); }
  bool start_array(std::size_t) override { return open(Value::Kind::kArray); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& key) override {
    Value& object = *open_.back();
    if (!keys_.back().insert(key).second) {
      throw InputError(file_, line_, name(), "\"" + key + "\" is given twice", "keep one of them");
    }
    object.keys.push_back(std::move(key));
    return true;
  }

  bool parse_error(std::size_t, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    std::string problem = error.what();
    if (const auto colon = problem.find(": "); colon != std::string::npos) {
      problem.erase(0, colon + 2);  // "[json.exception.parse_error.101] parse error at ..: "
    }
    const bool overflow = error.id == 406;
    if (overflow) problem = "number overflow in " + token;
    throw InputError(file_, line_, name(), problem,
                     overflow ? "give a smaller number" : "correct the JSON there");
  }

 private:
  Value& add(Value::Kind kind) {
    Value& value = open_.empty() ? root_ : open_.back()->items.emplace_back();
    value.kind = kind;
    value.line = line_;
    return value;
  }
  bool open(Value::Kind kind) {
    if (open_.size() >= kMaxDepth) {
      throw InputError(file_, line_, "", "nested more than 100 levels deep", "flatten it");
    }
    open_.push_back(&add(kind));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }
  // Where the parser stands, in the notation of Element::name.
  std::string name() const {
    std::string text;
    for (const Value* value : open_) {
      if (value->kind == Value::Kind::kObject) {
        if (!value->keys.empty()) text += (text.empty() ? "" : ".") + value->keys.back();
      } else if (!value->items.empty()) {
        text += '[' + std::to_string(value->items.size() - 1) + ']';
      }
    }
    return text;
  }

  Value& root_;
  const std::string& file_;
  const int& line_;
  // A parent's list does not grow while a child is open, so the pointers stay good.
  std::vector<Value*> open_;
  std::vector<std::set<std::string, std::less<>>> keys_;
};

}  // namespace

Value parse_json(const std::string& text, const std::string& file) {
  Value root;
  int line = 1;
  Builder builder(root, file, line);
  const char* const begin = text.data();
  nlohmann::json::sax_parse(CountingIterator(begin, &line),
                            CountingIterator(begin + text.size(), &line), &builder);
  return root;
}

}  // namespace catena::io
