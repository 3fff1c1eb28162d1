#include <yaml-cpp/anchor.h>
#include <yaml-cpp/emitterstyle.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catena/io/input_error.hpp"
#include "io/document.hpp"

namespace catena::io {

namespace {

constexpr std::size_t kMaxDepth = 100;
constexpr std::size_t kMaxValues = 10'000'000;  // what aliases may expand to

std::size_t count_values(const Value& value) {
  std::size_t count = 1;
  for (const Value& item : value.items) count += count_values(item);
  return count;
}

std::size_t depth_of(const Value& value) {
  std::size_t deepest = 0;
  for (const Value& item : value.items) deepest = std::max(deepest, depth_of(item));
  return deepest + 1;
}

// Builds the document from the parser's events: they carry lines and double keys, which the
// parser's own tree drops, and aliases, whose expansion is counted.
class Builder : public YAML::EventHandler {
 public:
  Builder(Value& root, const std::string& file) : root_(root), file_(file) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    finish(add(mark, Value::Kind::kNull), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    if (open_.empty() ? false : expects_key()) return take_key(mark, text);
    Value& value = *add(mark, Value::Kind::kString);
    value.text = text;
    const bool plain = tag == "?" || tag.empty();
    if (plain) {
      if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") {
        value.kind = Value::Kind::kNull;
        value.text.clear();
      } else if (text == "true" || text == "True" || text == "TRUE" || text == "false" ||
                 text == "False" || text == "FALSE") {
        value.kind = Value::Kind::kBool;
        value.boolean = text[0] == 't' || text[0] == 'T';
      } else if (const std::optional<double> x = read_decimal(text)) {
        value.kind = Value::Kind::kNumber;
        value.number = *x;
      }
    }
    finish(&value, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(mark, "an alias to what is not complete", "write it out");
    if (!open_.empty() && expects_key()) fail(mark, "an alias as a key", "write the key out");
    const Value copy = found->second;
    count(mark, count_values(copy));
    if (open_.size() + depth_of(copy) > kMaxDepth) {
      fail(mark, "nested more than 100 levels deep", "flatten it");
    }
    Value& value = *add(mark, copy.kind);
    value = copy;
    finish(&value, 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, Value::Kind::kArray, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, Value::Kind::kObject, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Value* value;
    YAML::anchor_t anchor;
    std::set<std::string, std::less<>> keys;
  };

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& problem,
                         const std::string& remedy) const {
    throw InputError(file_, mark.line + 1, "", problem, remedy);
  }

  bool expects_key() const {
    const Value& value = *open_.back().value;
    return value.kind == Value::Kind::kObject && value.keys.size() == value.items.size();
  }

  void take_key(const YAML::Mark& mark, const std::string& key) {
    if (!open_.back().keys.insert(key).second) {
      fail(mark, "\"" + key + "\" is given twice", "keep one of them");
    }
    open_.back().value->keys.push_back(key);
  }

  static YAML::Mark mark_of(const Value& value) {
    YAML::Mark mark;
    mark.line = value.line - 1;
    return mark;
  }

  void count(const YAML::Mark& mark, std::size_t more) {
    values_ += more;
    if (values_ > kMaxValues) {
      fail(mark, "more than 10 million values",
           "put large meshes and clouds into files of their own");
    }
  }

  Value* add(const YAML::Mark& mark, Value::Kind kind) {
    count(mark, 1);
    if (!open_.empty() && expects_key()) fail(mark, "a key that is not a text", "give a plain key");
    Value& value = open_.empty() ? root_ : open_.back().value->items.emplace_back();
    value.kind = kind;
    value.line = mark.line + 1;
    return &value;
  }

  void finish(const Value* value, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = *value;
  }

  void open(const YAML::Mark& mark, Value::Kind kind, YAML::anchor_t anchor) {
    if (open_.size() >= kMaxDepth) fail(mark, "nested more than 100 levels deep", "flatten it");
    Value* value = add(mark, kind);
    open_.push_back({value, anchor, {}});
  }

  void close() {
    const Open closed = std::move(open_.back());
    open_.pop_back();
    if (closed.anchor != 0) {
      count(mark_of(*closed.value), count_values(*closed.value));
      finish(closed.value, closed.anchor);
    }
  }

  Value& root_;
  const std::string& file_;
  std::vector<Open> open_;  // a parent's list does not grow while a child is open
  std::map<YAML::anchor_t, Value> anchors_;
  std::size_t values_ = 0;
};

}  // namespace

Value parse_yaml(const std::string& text, const std::string& file) {
  Value root;
  try {
    std::istringstream in(text);
    YAML::Parser parser(in);
    Builder builder(root, file);
    parser.HandleNextDocument(builder);
    // `rostopic echo` ends its document with a `---`, which opens an empty one.
    Value more;
    Builder next(more, file);
    while (parser.HandleNextDocument(next)) {
      if (more.kind != Value::Kind::kNull) {
        throw InputError(file, more.line, "", "a second document in the file",
                         "keep one document a file");
      }
    }
  } catch (const YAML::Exception& error) {
    throw InputError(file, error.mark.is_null() ? 0 : error.mark.line + 1, "", error.msg,
                     "correct the YAML there");
  }
  return root;
}

}  // namespace catena::io
