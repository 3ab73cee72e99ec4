#include "attend/documents/markup/xml.h"

#include <fmt/format.h>

#include <vector>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/markup/html_characters.h"
#include "attend/error.h"

namespace attend {
namespace {

bool is_xml_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Elements within one another: as many as in no file that people write.
constexpr std::size_t kDeepest = 4096;

// Reads well-formed XML; stops with an error at the first fault.
class XmlChecker {
 public:
  XmlChecker(std::string_view xml, std::string_view name) : xml_(xml), name_(name) {}

  void check() {
    if (const std::size_t at = find_invalid_utf8(xml_); at != xml_.npos) fail(at, "not UTF-8");
    if (xml_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    while (at_ < xml_.size()) {
      if (xml_[at_] != '<') {
        check_text();
      } else if (skip("<!--", "-->") || skip("<![CDATA[", "]]>") || skip("<?", "?>") ||
                 skip_document_type()) {
      } else if (xml_.substr(at_).starts_with("</")) {
        close_element();
      } else {
        open_element();
      }
    }
    if (!open_.empty()) fail(at_, fmt::format("<{}> has no end tag", open_.back()));
    if (!has_root_) fail(at_, "no element");
  }

 private:
  [[noreturn]] void fail(std::size_t at, std::string_view what) const {
    throw DataError(fmt::format("{}: byte {} is not well-formed XML: {}", name_, at, what));
  }

  bool skip(std::string_view begin, std::string_view end) {
    if (!xml_.substr(at_).starts_with(begin)) return false;
    const std::size_t found = xml_.find(end, at_ + begin.size());
    if (found == xml_.npos) fail(at_, fmt::format("{} without {}", begin, end));
    at_ = found + end.size();
    return true;
  }

  // With or without declarations in [ ].
  bool skip_document_type() {
    const std::size_t begin = at_;
    if (!skip("<!DOCTYPE", ">")) return false;
    has_document_type_ = true;
    if (xml_.substr(begin, at_ - begin).find('[') == xml_.npos) return true;
    at_ = begin;
    return skip("<!DOCTYPE", "]") && skip("", ">");
  }

  void check_text() {
    const std::size_t begin = at_;
    for (; at_ < xml_.size() && xml_[at_] != '<'; ++at_) {
      if (open_.empty() && !is_xml_space(xml_[at_])) fail(at_, "text outside of elements");
      check_character();
    }
    if (const std::size_t end = xml_.substr(begin, at_ - begin).find("]]>"); end != xml_.npos)
      fail(begin + end, "]]> in text");
  }

  void check_character() {
    const char c = xml_[at_];
    if (static_cast<unsigned char>(c) < 0x20 && !is_xml_space(c)) fail(at_, "a control character");
    if (c != '&') return;
    const std::size_t end = xml_.find(';', at_);
    const std::string_view name =
        end == xml_.npos ? std::string_view() : xml_.substr(at_ + 1, end - at_ - 1);
    const bool known = name == "amp" || name == "lt" || name == "gt" || name == "quot" ||
                       name == "apos" || is_number(name) ||
                       (has_document_type_ && is_html_name(name));
    if (!known) fail(at_, "an escape that XML does not have");
  }

  // The document type of XHTML has all characters of HTML.
  static bool is_html_name(std::string_view name) {
    const std::string escape = fmt::format("&{};", name);
    return name.size() < 40 && unescaped_html(escape) != escape;
  }

  static bool is_number(std::string_view name) {
    if (!name.starts_with('#')) return false;
    name.remove_prefix(1);
    const bool hex = name.starts_with('x');
    if (hex) name.remove_prefix(1);
    for (const char c : name) {
      const char d = ascii_lower(c);
      if (!(d >= '0' && d <= '9') && !(hex && d >= 'a' && d <= 'f')) return false;
    }
    return !name.empty();
  }

  std::string_view read_name() {
    const std::size_t begin = at_;
    while (at_ < xml_.size() && !is_xml_space(xml_[at_]) && xml_[at_] != '>' && xml_[at_] != '/' &&
           xml_[at_] != '=' && xml_[at_] != '<' && xml_[at_] != '"' && xml_[at_] != '\'')
      ++at_;
    if (at_ == begin) fail(at_, "no name");
    return xml_.substr(begin, at_ - begin);
  }

  void skip_spaces() {
    while (at_ < xml_.size() && is_xml_space(xml_[at_])) ++at_;
  }

  void expect(std::string_view text) {
    if (!xml_.substr(at_).starts_with(text)) fail(at_, fmt::format("expected {}", text));
    at_ += text.size();
  }

  void close_element() {
    const std::size_t begin = at_;
    at_ += 2;
    const std::string_view name = read_name();
    if (open_.empty() || open_.back() != name) fail(begin, fmt::format("</{}>", name));
    open_.pop_back();
    skip_spaces();
    expect(">");
  }

  void open_element() {
    if (open_.empty() && has_root_) fail(at_, "a second element");
    has_root_ = true;
    ++at_;
    const std::string_view name = read_name();
    for (skip_spaces(); at_ < xml_.size() && xml_[at_] != '>' && xml_[at_] != '/'; skip_spaces())
      check_attribute();
    if (at_ < xml_.size() && xml_[at_] == '/') {
      ++at_;
    } else {
      if (open_.size() == kDeepest) fail(at_, "too many elements within one another");
      open_.push_back(name);
    }
    expect(">");
  }

  void check_attribute() {
    if (!is_xml_space(xml_[at_ - 1])) fail(at_, "no space before an attribute");
    read_name();
    skip_spaces();
    expect("=");
    skip_spaces();
    const char quote = at_ < xml_.size() ? xml_[at_] : '\0';
    if (quote != '"' && quote != '\'') fail(at_, "an attribute without quotes");
    for (++at_; at_ < xml_.size() && xml_[at_] != quote; ++at_) {
      if (xml_[at_] == '<') fail(at_, "< in an attribute");
      check_character();
    }
    if (at_ < xml_.size()) ++at_;
  }

  std::string_view xml_;
  std::string_view name_;
  std::size_t at_ = 0;
  bool has_root_ = false;
  bool has_document_type_ = false;
  std::vector<std::string_view> open_;
};

std::string from_utf16(std::string_view bytes, bool big_endian, std::string_view name) {
  std::string out;
  const auto unit = [&](std::size_t at) {
    const auto a = static_cast<unsigned char>(bytes[at]),
               b = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<char32_t>(big_endian ? a << 8 | b : b << 8 | a);
  };
  for (std::size_t at = 2; at < bytes.size(); at += 2) {
    if (at + 2 > bytes.size()) throw DataError(fmt::format("{}: not UTF-16", name));
    char32_t c = unit(at);
    if (c >= 0xd800 && c < 0xe000) {
      const bool is_pair =
          c < 0xdc00 && at + 4 <= bytes.size() && unit(at + 2) >= 0xdc00 && unit(at + 2) < 0xe000;
      if (!is_pair) throw DataError(fmt::format("{}: not UTF-16", name));
      c = 0x10000 + ((c - 0xd800) << 10) + (unit(at + 2) - 0xdc00);
      at += 2;
    }
    append_code_point(out, c);
  }
  return out;
}

// [begin, end) of the encoding in the declaration at the beginning; empty without one.
std::pair<std::size_t, std::size_t> declared_encoding(std::string_view xml) {
  const std::size_t from = xml.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  if (!xml.substr(from).starts_with("<?xml")) return {0, 0};
  const std::string_view declaration = xml.substr(0, xml.find("?>"));
  const std::size_t found = declaration.find("encoding");
  if (found == declaration.npos) return {0, 0};
  const std::size_t quote = declaration.find_first_of("\"'", found);
  if (quote == declaration.npos) return {0, 0};
  const std::size_t end = declaration.find(declaration[quote], quote + 1);
  return end == declaration.npos ? std::pair<std::size_t, std::size_t>{0, 0}
                                 : std::pair{quote + 1, end};
}

}  // namespace

std::string xml_in_utf8(std::string_view bytes, std::string_view name) {
  const bool little = bytes.starts_with("\xFF\xFE"), big = bytes.starts_with("\xFE\xFF");
  std::string xml = little || big ? from_utf16(bytes, big, name) : std::string(bytes);
  const auto [begin, end] = declared_encoding(xml);
  std::string encoding = xml.substr(begin, end - begin);
  for (char& c : encoding) c = ascii_lower(c);
  if (little || big) {
    xml.replace(begin, end - begin, end > begin ? "UTF-8" : "");
  } else if (!encoding.empty() && encoding != "utf-8" && encoding != "us-ascii") {
    throw DataError(fmt::format("{}: expected UTF-8 or UTF-16, got {}", name, encoding));
  }
  return xml;
}

void require_well_formed(std::string_view xml, std::string_view name) {
  XmlChecker(xml, name).check();
}

}  // namespace attend
