#include "attend/documents/markup/markup_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "attend/core/strings/ascii.h"
#include "attend/core/too_long.h"
#include "attend/documents/markup/html_elements.h"

namespace attend {
namespace {

// The limit of a document. A novel has a tenth of it.
constexpr std::size_t kMostPieces = 1 << 20;

constexpr std::string_view kLiteralBegin = "<![CDATA[", kLiteralEnd = "]]>";

using html::is_space;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = ascii_lower(c);
  return out;
}

// Whether `text` begins with the name, in small letters, and not with a longer one.
bool begins_with_name(std::string_view text, std::string_view name) {
  if (text.size() < name.size() || lower(text.substr(0, name.size())) != name) return false;
  if (text.size() == name.size()) return true;
  const char after = text[name.size()];
  return is_space(after) || after == '/' || after == '>';
}

// The parts of a tag one after another, as browsers read them: a quotation mark counts only where a
// value begins.
class TagScanner {
 public:
  // `at`: behind the name of the tag.
  TagScanner(std::string_view markup, std::size_t at) : markup_(markup), at_(at) {}

  struct Attribute {
    std::string name;
    std::string_view value;
  };

  // The next attribute; none at the end of the tag, or of the markup.
  std::optional<Attribute> next() {
    while (at_ < markup_.size() && (is_space(markup_[at_]) || markup_[at_] == '/')) ++at_;
    if (at_ >= markup_.size() || markup_[at_] == '>') return std::nullopt;
    const std::size_t begin = at_++;  // even "=" begins a name
    while (at_ < markup_.size() && !is_space(markup_[at_]) && markup_[at_] != '/' &&
           markup_[at_] != '>' && markup_[at_] != '=')
      ++at_;
    Attribute attribute{lower(markup_.substr(begin, at_ - begin)), {}};
    std::size_t value = skip_spaces(at_);
    if (value >= markup_.size() || markup_[value] != '=') return attribute;
    value = skip_spaces(value + 1);
    if (value >= markup_.size()) {
      at_ = value;
    } else if (markup_[value] == '"' || markup_[value] == '\'') {
      at_ = markup_.find(markup_[value], value + 1);
      if (at_ == markup_.npos) at_ = markup_.size();
      attribute.value = markup_.substr(value + 1, at_ - value - 1);
      at_ = std::min(at_ + 1, markup_.size());
    } else {
      at_ = value;
      while (at_ < markup_.size() && !is_space(markup_[at_]) && markup_[at_] != '>') ++at_;
      attribute.value = markup_.substr(value, at_ - value);
    }
    return attribute;
  }
  // Where next() stopped.
  std::size_t position() const { return at_; }

 private:
  std::size_t skip_spaces(std::size_t at) const {
    while (at < markup_.size() && is_space(markup_[at])) ++at;
    return at;
  }

  std::string_view markup_;
  std::size_t at_;
};

// "svg" of "svg:svg".
std::string_view name_without_prefix(std::string_view name) {
  return name.substr(name.find(':') + 1);
}

// Behind the name of the tag that begins at `begin`.
std::size_t end_of_name(std::string_view markup, std::size_t begin) {
  std::size_t at = begin + 1;
  if (at < markup.size() && markup[at] == '/') ++at;
  while (at < markup.size() && !is_space(markup[at]) && markup[at] != '/' && markup[at] != '>')
    ++at;
  return at;
}

bool is_word_of(std::string_view words, std::string_view word) {
  for (std::size_t at = 0; at < words.size();) {
    while (at < words.size() && is_space(words[at])) ++at;
    const std::size_t begin = at;
    while (at < words.size() && !is_space(words[at])) ++at;
    if (words.substr(begin, at - begin) == word) return true;
  }
  return false;
}

// Whether an attribute says that the content is not to be translated.
bool forbids_translation(const TagScanner::Attribute& attribute) {
  if (attribute.name == "translate") return lower(attribute.value) == "no";
  return attribute.name == "class" && is_word_of(attribute.value, "notranslate");
}

}  // namespace

void OpenElements::open(std::string name) {
  ++count_[name];
  if (!html::is_inline(name)) ++blocks_;
  names_.push_back(std::move(name));
}

bool OpenElements::close(const std::string& name) {
  if (!has(name)) return false;
  for (bool found = false; !found; names_.pop_back()) {
    found = names_.back() == name;
    --count_[names_.back()];
    if (!html::is_inline(names_.back())) --blocks_;
  }
  return true;
}

bool OpenElements::has(const std::string& name) const {
  const auto found = count_.find(name);
  return found != count_.end() && found->second > 0;
}

bool MarkupReader::next(MarkupPiece& piece) {
  if (at_ >= markup_.size()) return false;
  const std::size_t begin = at_;
  if (!only_text_of_.empty()) {
    at_ = end_of_only_text(begin, std::exchange(only_text_of_, {}));
    piece = {.raw = markup_.substr(begin, at_ - begin), .is_text = true};
    if (at_ > begin) return true;
  }
  const std::string_view rest = markup_.substr(begin);
  if (!starts_tag(begin)) {
    at_ = end_of_text(begin);
    piece = {.raw = markup_.substr(begin, at_ - begin), .is_text = true};
  } else if (is_literal(begin)) {
    const std::size_t inside = begin + kLiteralBegin.size();
    const std::size_t end = std::min(markup_.find(kLiteralEnd, inside), markup_.size());
    at_ = std::min(end + kLiteralEnd.size(), markup_.size());
    piece = {.raw = markup_.substr(begin, at_ - begin)};
    piece.is_text = end > inside;
    piece.literal = markup_.substr(inside, end - inside);
  } else if (rest.starts_with("<!--")) {
    at_ = end_of_comment(begin);
    piece = {.raw = markup_.substr(begin, at_ - begin), .is_inline = true};
  } else if (rest[1] == '!' || rest[1] == '?') {
    at_ = std::min(markup_.find('>', begin), markup_.size() - 1) + 1;
    piece = {.raw = markup_.substr(begin, at_ - begin)};
  } else {
    piece = read_tag(begin);
    if (language_ == MarkupLanguage::xml) return true;
    if (piece.closes) open_.close(piece.name);
    if (piece.closes || piece.closes_self) return true;
    if (piece.is_opaque) {
      skip_content(piece, begin);
    } else {
      open_.open(piece.name);
      if (is_html() && html::holds_only_text(piece.name)) only_text_of_ = piece.name;
    }
  }
  return true;
}

bool MarkupReader::is_literal(std::size_t at) const {
  return !is_html() && markup_.substr(at).starts_with(kLiteralBegin);
}

bool MarkupReader::starts_tag(std::size_t at) const {
  if (markup_[at] != '<' || at + 1 >= markup_.size()) return false;
  const char c = markup_[at + 1];
  return c == '/' || c == '!' || c == '?' || is_ascii_letter(c);
}

std::size_t MarkupReader::end_of_text(std::size_t begin) const {
  std::size_t end = begin + 1;
  while (end < markup_.size() && !starts_tag(end)) ++end;
  return end;
}

// "<!-->" is a whole comment.
std::size_t MarkupReader::end_of_comment(std::size_t begin) const {
  const std::size_t end = markup_.find("-->", begin + 2);
  return end == markup_.npos ? markup_.size() : end + 3;
}

// The end of a tag that begins at `begin`; quoted attributes may hold ">". After a tag whose quotes
// leave no end, quotes mean nothing: to look for the end of each to the end of the text would take
// quadratic time.
std::size_t MarkupReader::end_of_tag(std::size_t begin) {
  if (!ignores_quotes_) {
    TagScanner scanner(markup_, end_of_name(markup_, begin));
    while (scanner.next()) {
    }
    if (scanner.position() < markup_.size()) return scanner.position() + 1;
  }
  ignores_quotes_ = true;
  return std::min(markup_.find('>', begin), markup_.size() - 1) + 1;
}

// Where the end tag of an element begins whose content is only text.
std::size_t MarkupReader::end_of_only_text(std::size_t begin, std::string_view name) const {
  for (std::size_t at = markup_.find("</", begin); at != markup_.npos;
       at = markup_.find("</", at + 2))
    if (begins_with_name(markup_.substr(at + 2), name)) return at;
  return markup_.size();
}

MarkupPiece MarkupReader::read_tag(std::size_t begin) {
  at_ = end_of_tag(begin);
  const std::string_view raw = markup_.substr(begin, at_ - begin);
  MarkupPiece piece{.raw = raw};
  piece.closes = raw.size() > 1 && raw[1] == '/';
  const std::size_t name = piece.closes ? 2 : 1, after = end_of_name(raw, 0);
  piece.name = lower(raw.substr(name, after - name));
  piece.closes_self = raw.ends_with("/>") || (is_html() && html::is_void(piece.name));
  if (language_ == MarkupLanguage::xml) return piece;
  const std::string_view own_name = name_without_prefix(piece.name);
  piece.is_inline = html::is_inline(own_name);
  if (piece.closes) return piece;
  piece.is_opaque = html::is_opaque(own_name);
  TagScanner scanner(raw, after);
  while (const std::optional<TagScanner::Attribute> attribute = scanner.next())
    piece.is_opaque = piece.is_opaque || forbids_translation(*attribute);
  return piece;
}

// Makes the whole element one piece. It ends with its end tag, or where it ends without one.
void MarkupReader::skip_content(MarkupPiece& piece, std::size_t begin) {
  piece.closes_self = true;
  // A word that nobody reads, unless it is a block.
  const std::string_view own_name = name_without_prefix(piece.name);
  piece.is_inline = html::is_inline(own_name) || (html::is_opaque(own_name) && own_name != "pre");
  OpenElements open;
  bool ended = false;
  if (is_html() && html::holds_only_text(piece.name)) at_ = end_of_only_text(at_, piece.name);
  while (!ended && at_ < markup_.size()) {
    if (!starts_tag(at_)) {
      at_ = end_of_text(at_);
    } else if (markup_.substr(at_).starts_with("<!--")) {
      at_ = end_of_comment(at_);
    } else if (is_literal(at_)) {
      at_ = std::min(markup_.find(kLiteralEnd, at_), markup_.size() - 1) + 1;
    } else {
      const std::size_t tag = at_;
      const MarkupPiece inner = read_tag(tag);
      const bool may_end = is_html() && html::may_stay_open(piece.name) && !open.has_blocks();
      if (inner.closes) {
        if (open.close(inner.name)) continue;
        ended = inner.name == piece.name;
        const bool ends_outer = may_end && !html::is_inline(inner.name) && open_.has(inner.name);
        if (ended || !ends_outer) continue;
      } else if (!may_end || !html::ends_before(piece.name, inner.name)) {
        if (!inner.closes_self) open.open(inner.name);
        if (is_html() && !inner.closes_self && html::holds_only_text(inner.name))
          at_ = end_of_only_text(at_, inner.name);
        continue;
      }
      at_ = tag;
      ended = true;
    }
  }
  piece.raw = markup_.substr(begin, at_ - begin);
}

std::vector<MarkupPiece> all_pieces(std::string_view markup, MarkupLanguage language) {
  std::vector<MarkupPiece> pieces;
  MarkupReader reader(markup, language);
  for (MarkupPiece piece; reader.next(piece);) {
    if (pieces.size() == kMostPieces)
      throw TooLongError(fmt::format("the document has more than {} tags and texts", kMostPieces));
    pieces.push_back(piece);
  }
  return pieces;
}

}  // namespace attend
