#include "io/xml_check.hpp"

#include <algorithm>
#include <cstring>

#include "catena/io/input_error.hpp"
#include "io/document.hpp"

namespace catena::io {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";

int line_of(std::string_view text, std::size_t position) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + position, '\n'));
}

std::string tag(const tinyxml2::XMLElement& node) {
  std::string text = std::string("<") + node.Name();
  if (const char* name = node.Attribute("name")) text += std::string(" name=\"") + name + "\"";
  return text + ">";
}

/// tinyxml2's own words for what is wrong, made readable.
std::string syntax_problem(const tinyxml2::XMLDocument& document) {
  switch (document.ErrorID()) {
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
      return "the file holds no XML";
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return "an element is closed by another one's end tag, or not at all";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      return "an attribute is not of the form name=\"value\", or is given twice";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
      return "elements are nested too deeply";
    default:
      return std::string("the XML is not well-formed (") + document.ErrorName() + ")";
  }
}

}  // namespace

void throw_at_source(const ModelError& error, const RobotDescription& description,
                     const std::string& file) {
  const auto place = description.sources.find(error.element());
  const RobotDescription::Source source =
      place == description.sources.end() ? RobotDescription::Source{file, 0} : place->second;
  throw InputError(source.file, source.line, error.element(), error.problem(), error.remedy());
}

bool is_utf8(std::string_view text) noexcept {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80           ? 1
                               : (lead >> 5) == 0x06 ? 2
                               : (lead >> 4) == 0x0e ? 3
                               : (lead >> 3) == 0x1e ? 4
                                                     : 0;
    if (length == 0 || i + length > text.size()) return false;
    unsigned code = length == 1 ? lead : lead & (0x7fU >> length);
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next >> 6) != 0x02) return false;
      code = (code << 6) | (next & 0x3fU);
    }
    const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
    i += length;
  }
  return true;
}

XmlFile::XmlFile(std::string text, std::string path, const char* root_name)
    : path_(std::move(path)) {
  const std::size_t nul = text.find('\0');
  if (nul != std::string::npos) {
    const std::size_t rest = text.find_first_not_of(std::string(kBlanks) + '\0', nul);
    if (rest != std::string::npos)
      throw InputError(path_, line_of(text, nul), "", "a NUL byte stands inside the file",
                       "save it as UTF-8 text without NUL bytes (UTF-16 is not read)");
    warnings_.push_back(path_ + ":" + std::to_string(line_of(text, nul)) +
                        ": NUL bytes at the end of the file are ignored");
    text.resize(nul);
  }
  document_ = std::make_unique<tinyxml2::XMLDocument>();
  document_->Parse(text.data(), text.size());
  if (document_->Error())
    throw InputError(path_, document_->ErrorLineNum(), "", syntax_problem(*document_),
                     "xmllint --noout FILE shows the place");
  root_ = document_->RootElement();
  if (root_ == nullptr)
    throw InputError(path_, 0, "", "the file holds no element",
                     std::string("a <") + root_name + "> element is expected");
  if (std::strcmp(root_->Name(), root_name) != 0)
    throw InputError(path_, root_->GetLineNum(), std::string("<") + root_->Name() + ">",
                     std::string("the outermost element is not <") + root_name + ">",
                     "is this the right file?");
  for (const tinyxml2::XMLNode* next = root_->NextSibling(); next; next = next->NextSibling())
    if (next->ToComment() == nullptr && next->ToUnknown() == nullptr &&
        next->ToDeclaration() == nullptr)
      throw InputError(path_, next->GetLineNum(), "",
                       std::string("something follows </") + root_name + ">",
                       "a file holds one outermost element: remove the rest");

  // Document order without recursion: files may nest as deep as tinyxml2 lets them.
  const Node* node = root_;
  while (node != nullptr) {
    check_attributes(*node);
    if (const Node* below = node->FirstChildElement()) {
      node = below;
      continue;
    }
    while (node != root_ && node->NextSiblingElement() == nullptr)
      node = node->Parent()->ToElement();
    node = node == root_ ? nullptr : node->NextSiblingElement();
  }
}

void XmlFile::check_attributes(const Node& node) const {
  for (const auto* a = node.FirstAttribute(); a != nullptr; a = a->Next()) {
    if (!is_utf8(a->Value()))
      throw InputError(path_, node.GetLineNum(), std::string("<") + node.Name() + ">",
                       std::string("attribute ") + a->Name() + " is not UTF-8",
                       "save the file as UTF-8");
  }
}

std::string XmlFile::element(const Node& node) {
  const Node* part = &node;
  while (const Node* above = part->Parent()->ToElement()) {
    if (above->Parent()->ToElement() == nullptr) break;  // `above` is the root
    part = above;
  }
  return part == &node ? tag(node) : tag(*part) + " " + tag(node);
}

void XmlFile::fail(const Node& node, const std::string& problem, const std::string& remedy) const {
  throw InputError(path_, node.GetLineNum(), element(node), problem, remedy);
}

void XmlFile::warn(const Node& node, const std::string& what) {
  warnings_.push_back(path_ + ":" + std::to_string(node.GetLineNum()) + ": " + element(node) +
                      ": " + what);
}

void XmlFile::warn_unknown(const Node& parent, std::initializer_list<std::string_view> known) {
  for (const Node* node = parent.FirstChildElement(); node; node = node->NextSiblingElement()) {
    const std::string_view name = node->Name();
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (warned_.insert({&parent, std::string(name)}).second)
      warn(parent, "<" + std::string(name) + "> is not known here and is ignored");
  }
}

const XmlFile::Node* XmlFile::child(const Node& parent, const char* name) const {
  const Node* found = parent.FirstChildElement(name);
  if (found != nullptr)
    if (const Node* second = found->NextSiblingElement(name))
      fail(*second, std::string("a second <") + name + ">", "keep one of them");
  return found;
}

std::string XmlFile::required(const Node& node, const char* attribute) const {
  const char* value = node.Attribute(attribute);
  if (value == nullptr)
    fail(node, std::string("attribute ") + attribute + " is missing",
         std::string("write ") + attribute + "=\"...\"");
  if (std::string_view(value).find_first_not_of(kBlanks) == std::string_view::npos)
    fail(node, std::string("attribute ") + attribute + " is empty", "give it a value");
  return value;
}

std::vector<double> XmlFile::parse_numbers(const Node& node, const char* attribute,
                                           std::string_view text) const {
  std::vector<double> values;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(kBlanks, at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const std::optional<double> value = read_decimal(word);
    if (!value.has_value())
      fail(node, std::string(attribute) + ": \"" + std::string(word) + "\" is not a finite number",
           "write decimal numbers with a point, separated by blanks");
    values.push_back(*value);
    at = end;
  }
  return values;
}

std::optional<std::vector<double>> XmlFile::numbers(const Node& node, const char* attribute,
                                                    std::size_t count) const {
  const char* text = node.Attribute(attribute);
  if (text == nullptr) return std::nullopt;
  std::vector<double> values = parse_numbers(node, attribute, text);
  if (values.size() != count)
    fail(node,
         std::string(attribute) + "=\"" + text + "\" has " + std::to_string(values.size()) +
             (values.size() == 1 ? " number" : " numbers"),
         "give " + std::to_string(count));
  return values;
}

std::optional<double> XmlFile::number(const Node& node, const char* attribute) const {
  const auto values = numbers(node, attribute, 1);
  if (!values.has_value()) return std::nullopt;
  return values->front();
}

}  // namespace catena::io
