#include "attend/documents/markup_pieces.h"

#include <algorithm>
#include <array>

#include "attend/core/strings/ascii.h"

namespace attend {
namespace {

// Their content is no text of the document.
constexpr std::array<std::string_view, 11> kOpaque{"script", "style",  "code",     "pre",
                                                   "kbd",    "samp",   "textarea", "svg",
                                                   "math",   "iframe", "noscript"};
constexpr std::array<std::string_view, 14> kEmpty{"area",  "base",  "br",    "col",   "embed",
                                                  "hr",    "img",   "input", "link",  "meta",
                                                  "param", "track", "wbr",   "source"};
template <std::size_t count>
bool is_listed(const std::array<std::string_view, count>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool belongs_to_name(char c) { return is_ascii_alphanumeric(c) || c == '-' || c == ':'; }

MarkupPiece read_tag(std::string_view raw) {
  MarkupPiece piece{.raw = raw};
  std::size_t at = 1;
  piece.closes = raw.size() > 1 && raw[1] == '/';
  if (piece.closes) ++at;
  while (at < raw.size() && belongs_to_name(raw[at])) piece.name += ascii_lower(raw[at++]);
  piece.closes_self = raw.ends_with("/>") || is_listed(kEmpty, piece.name);
  std::string attributes(raw.substr(at));
  for (char& c : attributes) c = ascii_lower(c);
  piece.is_opaque = is_listed(kOpaque, piece.name) ||
                    attributes.find("translate=\"no\"") != attributes.npos ||
                    attributes.find("translate='no'") != attributes.npos ||
                    attributes.find("translate=no") != attributes.npos ||
                    attributes.find("notranslate") != attributes.npos;
  return piece;
}

}  // namespace

bool MarkupReader::next(MarkupPiece& piece) {
  if (at_ >= markup_.size()) return false;
  const std::size_t begin = at_;
  if (!starts_tag(begin)) {
    at_ = begin + 1;
    while (at_ < markup_.size() && !starts_tag(at_)) ++at_;
    piece = {.raw = markup_.substr(begin, at_ - begin), .is_text = true};
    return true;
  }
  if (markup_.substr(begin).starts_with("<!--")) {
    const std::size_t end = markup_.find("-->", begin + 4);
    at_ = end == markup_.npos ? markup_.size() : end + 3;
    piece = {.raw = markup_.substr(begin, at_ - begin)};
    return true;
  }
  at_ = end_of_tag(begin);
  piece = read_tag(markup_.substr(begin, at_ - begin));
  if (piece.is_opaque && !piece.closes && !piece.closes_self) skip_content(piece, begin);
  return true;
}

bool MarkupReader::starts_tag(std::size_t at) const {
  if (markup_[at] != '<' || at + 1 >= markup_.size()) return false;
  const char c = markup_[at + 1];
  return c == '/' || c == '!' || c == '?' || is_ascii_letter(c);
}

// The end of a tag that begins at `begin`; quoted attributes may hold ">". After a tag whose quotes
// leave no end, quotes mean nothing: to look for the end of each to the end of the text would take
// quadratic time.
std::size_t MarkupReader::end_of_tag(std::size_t begin) {
  char quote = 0;
  for (std::size_t i = begin + 1; !ignores_quotes_ && i < markup_.size(); ++i) {
    if (quote != 0) {
      if (markup_[i] == quote) quote = 0;
    } else if (markup_[i] == '"' || markup_[i] == '\'') {
      quote = markup_[i];
    } else if (markup_[i] == '>') {
      return i + 1;
    }
  }
  ignores_quotes_ = true;
  return std::min(markup_.find('>', begin), markup_.size() - 1) + 1;
}

namespace {

// Whether a tag that goes on like this has the name, in small letters, and not a longer one.
bool has_name(std::string_view tag, std::string_view name) {
  const std::string_view start = tag.substr(0, name.size());
  return std::equal(start.begin(), start.end(), name.begin(), name.end(),
                    [](char a, char b) { return ascii_lower(a) == b; }) &&
         (tag.size() == name.size() || !belongs_to_name(tag[name.size()]));
}

}  // namespace

// Makes the whole element one piece. Elements of the same name may be within it.
void MarkupReader::skip_content(MarkupPiece& piece, std::size_t begin) {
  const bool is_text = piece.name == "script" || piece.name == "style" || piece.name == "textarea";
  int depth = 1;
  while (depth > 0 && at_ < markup_.size()) {
    // In a script, "<" is no tag; to look for its end each time would take quadratic time.
    at_ = is_text ? markup_.find("</", at_) : markup_.find('<', at_);
    if (at_ == markup_.npos) break;
    const bool closes = markup_.substr(at_, 2) == "</";
    const bool same = has_name(markup_.substr(at_ + (closes ? 2 : 1)), piece.name);
    if (is_text && !same) {
      at_ += 2;
      continue;
    }
    const std::size_t end = end_of_tag(at_);
    if (same && closes) --depth;
    if (same && !closes && !markup_.substr(at_, end - at_).ends_with("/>")) ++depth;
    at_ = end;
  }
  at_ = std::min(at_, markup_.size());
  piece.raw = markup_.substr(begin, at_ - begin);
  piece.closes_self = true;
}

}  // namespace attend
