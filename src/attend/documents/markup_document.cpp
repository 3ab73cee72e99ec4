#include "attend/documents/markup_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/core/too_long.h"
#include "attend/documents/html_characters.h"
#include "attend/documents/markup_pieces.h"

namespace attend {
namespace {

// Elements within a line of text. All others begin and end blocks.
constexpr std::array<std::string_view, 30> kInline{
    "a",    "abbr", "acronym", "b",      "bdi",    "bdo",  "big",  "cite", "data", "del",
    "dfn",  "em",   "font",    "i",      "img",    "ins",  "mark", "q",    "s",    "small",
    "span", "sub",  "sup",     "strong", "strike", "time", "tt",   "u",    "var",  "wbr"};
// Marks in one block, and marks within one another; the rest ends the block.
constexpr std::size_t kMostMarks = 256;
// The limit of a document. A novel has a tenth of it.
constexpr std::size_t kMostPieces = 1 << 20;
constexpr std::size_t kDeepestMarks = 16;

template <std::size_t count>
bool is_in_list(const std::array<std::string_view, count>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// The number of the piece that closes each one: itself for text and for elements without content,
// npos for tags without a partner.
std::vector<std::size_t> partners_of(std::span<const MarkupPiece> pieces) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::vector<std::size_t> partners(pieces.size(), kNone), open;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const MarkupPiece& piece = pieces[i];
    if (piece.is_text || piece.name.empty() || (piece.closes_self && !piece.closes)) {
      partners[i] = i;
    } else if (!piece.closes) {
      open.push_back(i);
    } else {
      std::size_t depth = open.size();
      while (depth > 0 && pieces[open[depth - 1]].name != piece.name) --depth;
      if (depth == 0) continue;
      if (depth <= kDeepestMarks) {
        partners[open[depth - 1]] = i;
        partners[i] = open[depth - 1];
      }
      open.resize(depth - 1);
    }
  }
  return partners;
}

bool is_void_of_text(std::string_view text) { return is_blank(unescaped_html(text)); }

std::string raw_of(std::span<const MarkupPiece> pieces) {
  std::string raw;
  for (const MarkupPiece& piece : pieces) raw += piece.raw;
  return raw;
}

bool is_letter_or_digit(char32_t c) { return unicode::is_letter(c) || unicode::is_number(c); }

// Whether the element from piece `first` to `last` is the number of a note, an exponent or the like:
// nothing to translate, right after a word (`before`), which the translator knows better without.
bool is_note(std::span<const MarkupPiece> run, std::size_t first, std::size_t last,
             std::string_view before) {
  constexpr std::array<std::string_view, 3> kNames{"sup", "sub", "a"};
  if (!is_in_list(kNames, run[first].name) || before.empty()) return false;
  std::size_t at = begin_of_character_before(before, before.size());
  if (is_white_space(next_code_point(before, at))) return false;
  bool has_text = false;
  for (const MarkupPiece& piece : run.subspan(first, last - first)) {
    if (!piece.is_text) continue;
    const std::u32string inside = unicode::decode(unescaped_html(piece.raw));
    if (std::any_of(inside.begin(), inside.end(), unicode::is_letter)) return false;
    has_text = has_text || !is_void_of_text(piece.raw);
  }
  if (!has_text) return false;
  for (const MarkupPiece& piece : run.subspan(last)) {
    if (!piece.is_text) continue;
    const std::u32string after = unicode::decode(unescaped_html(piece.raw));
    return after.empty() || !is_letter_or_digit(after.front());
  }
  return true;
}

// Collects the pieces between tags of blocks, and makes blocks of them.
class BlockCollector {
 public:
  explicit BlockCollector(bool (*is_inline)(const MarkupPiece&)) : is_inline_(is_inline) {}

  std::vector<std::string> between{""};
  std::vector<MarkedText> blocks;

  void add(const MarkupPiece& piece) {
    const bool within = piece.is_text || is_inline_(piece);
    if (!within || marks_ == kMostMarks) flush();
    if (within) {
      run_.push_back(piece);
      if (!piece.is_text) ++marks_;
    } else {
      between.back() += piece.raw;
    }
  }
  void flush() {
    add_run(run_);
    run_.clear();
    marks_ = 0;
  }

 private:
  // Tags without a partner within the run end a block.
  void add_run(std::span<const MarkupPiece> run) {
    const std::vector<std::size_t> partners = partners_of(run);
    std::size_t begin = 0;
    bool split = false;
    for (std::size_t i = 0; i <= run.size(); ++i) {
      if (i < run.size() && partners[i] != std::string_view::npos) continue;
      split = split || i < run.size();
      const std::span<const MarkupPiece> part = run.subspan(begin, i - begin);
      if (split) {
        add_run_again(part);
      } else {
        add_block(part, partners);
      }
      if (i < run.size()) between.back() += run[i].raw;
      begin = i + 1;
    }
  }
  // A pair around a tag without a partner has been split: its tags are alone now.
  void add_run_again(std::span<const MarkupPiece> run) {
    const std::vector<std::size_t> partners = partners_of(run);
    if (std::find(partners.begin(), partners.end(), std::string_view::npos) == partners.end())
      return add_block(run, partners);
    for (const MarkupPiece& piece : run) {
      if (piece.is_text) {
        add_block({&piece, 1}, {0});
      } else {
        between.back() += piece.raw;
      }
    }
  }

  void add_block(std::span<const MarkupPiece> run, const std::vector<std::size_t>& partners) {
    if (std::all_of(run.begin(), run.end(),
                    [](const MarkupPiece& p) { return !p.is_text || is_void_of_text(p.raw); })) {
      for (const MarkupPiece& piece : run) between.back() += piece.raw;
      return;
    }
    MarkedText block;
    std::vector<std::size_t> mark_of(run.size());
    int parent = -1;
    for (std::size_t i = 0; i < run.size(); ++i) {
      const std::size_t at = block.text.size();
      if (run[i].is_text) {
        block.text += unescaped_html(run[i].raw);
      } else if (partners[i] > i && is_note(run, i, partners[i], block.text)) {
        block.marks.push_back({at, at, raw_of(run.subspan(i, partners[i] + 1 - i)), "", parent});
        i = partners[i];
      } else if (partners[i] >= i) {
        mark_of[i] = block.marks.size();
        block.marks.push_back({at, at, std::string(run[i].raw), "", parent});
        if (partners[i] > i) parent = static_cast<int>(mark_of[i]);
      } else {
        Mark& mark = block.marks[mark_of[partners[i]]];
        mark.end = at;
        mark.close = run[i].raw;
        parent = mark.parent;
      }
    }
    blocks.push_back(std::move(block));
    between.emplace_back();
  }

  bool (*is_inline_)(const MarkupPiece&);
  std::vector<MarkupPiece> run_;
  std::size_t marks_ = 0;
};

std::vector<MarkupPiece> pieces_of(std::string_view markup) {
  std::vector<MarkupPiece> pieces;
  MarkupReader reader(markup);
  for (MarkupPiece piece; reader.next(piece);) {
    if (pieces.size() == kMostPieces)
      throw TooLongError(fmt::format("the document has more than {} tags and texts", kMostPieces));
    pieces.push_back(piece);
  }
  return pieces;
}

// The content of an opaque element is a word that nobody reads, unless it is a block.
bool is_inline_html(const MarkupPiece& piece) {
  if (piece.is_opaque && piece.closes_self) return piece.name != "pre";
  return is_in_list(kInline, piece.name);
}

constexpr std::array<std::string_view, 8> kInlineOpenDocument{"text:span",
                                                              "text:a",
                                                              "text:s",
                                                              "text:tab",
                                                              "text:line-break",
                                                              "text:bookmark",
                                                              "text:bookmark-start",
                                                              "text:bookmark-end"};
bool is_inline_open_document(const MarkupPiece& piece) {
  return is_in_list(kInlineOpenDocument, piece.name);
}

constexpr std::string_view kWordRun = "w:r";
bool is_inline_word(const MarkupPiece& piece) {
  constexpr std::array<std::string_view, 5> kNames{kWordRun, "w:hyperlink", "w:prooferr",
                                                   "w:bookmarkstart", "w:bookmarkend"};
  return is_in_list(kNames, piece.name);
}

// The number of the piece that ends the run which begins at `begin`; the last one if none does.
std::size_t end_of_run(std::span<const MarkupPiece> pieces, std::size_t begin) {
  for (std::size_t i = begin + 1; i < pieces.size(); ++i)
    if (pieces[i].closes && pieces[i].name == kWordRun) return i;
  return pieces.size() - 1;
}

std::string_view whole_of(std::span<const MarkupPiece> pieces) {
  const char* const begin = pieces.front().raw.data();
  const std::string_view last = pieces.back().raw;
  return {begin, static_cast<std::size_t>(last.data() + last.size() - begin)};
}

// A run of Word, <w:r><w:rPr>...</w:rPr><w:t>text</w:t></w:r>, as an element around its text: its
// beginning, up to <w:t>, and its end are a tag each. A run with anything but one text is one
// piece.
void add_run(std::span<const MarkupPiece> run, std::vector<MarkupPiece>& merged) {
  const bool has_text = run.size() > 4 && run[run.size() - 2].closes &&
                        run[run.size() - 2].name == "w:t" && run[run.size() - 3].is_text &&
                        run[run.size() - 4].name == "w:t" && !run[run.size() - 4].closes;
  const auto texts = std::count_if(run.begin(), run.end(), [](const MarkupPiece& piece) {
    return piece.name == "w:t" && !piece.closes;
  });
  if (!has_text || texts != 1) {
    merged.push_back({.raw = whole_of(run), .name = std::string(kWordRun), .closes_self = true});
    return;
  }
  merged.push_back({.raw = whole_of(run.first(run.size() - 3)), .name = std::string(kWordRun)});
  merged.push_back(run[run.size() - 3]);
  merged.push_back({.raw = whole_of(run.last(2)), .name = std::string(kWordRun), .closes = true});
}

}  // namespace

MarkupDocument::MarkupDocument(std::span<const MarkupPiece> pieces,
                               bool (*is_inline)(const MarkupPiece&), Escape escape)
    : escape_(escape) {
  BlockCollector collector(is_inline);
  for (const MarkupPiece& piece : pieces) collector.add(piece);
  collector.flush();
  between_ = std::move(collector.between);
  blocks_ = std::move(collector.blocks);
}

MarkupDocument MarkupDocument::html(std::string_view text) {
  return {pieces_of(text), is_inline_html, escaped_html_text};
}

MarkupDocument MarkupDocument::open_document(std::string_view xml) {
  return {pieces_of(xml), is_inline_open_document, escaped_xml_text};
}

MarkupDocument MarkupDocument::word(std::string_view xml) {
  const std::vector<MarkupPiece> pieces = pieces_of(xml);
  std::vector<MarkupPiece> merged;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].name != kWordRun || pieces[i].closes || pieces[i].closes_self) {
      merged.push_back(pieces[i]);
      continue;
    }
    const std::size_t end = end_of_run(pieces, i);
    add_run(std::span(pieces).subspan(i, end + 1 - i), merged);
    i = end;
  }
  MarkupDocument document(merged, is_inline_word, escaped_xml_text);
  for (MarkedText& block : document.blocks_) {
    block.text_in_marks = true;
    // Spaces at the ends of a text count only if they are said to.
    for (Mark& mark : block.marks)
      if (mark.open.ends_with("<w:t>"))
        mark.open.replace(mark.open.size() - 1, 1, " xml:space=\"preserve\">");
  }
  return document;
}

std::size_t MarkupDocument::bytes() const {
  std::size_t all = 0;
  for (const std::string& part : between_) all += sizeof part + part.size();
  for (const MarkedText& block : blocks_) {
    all += sizeof block + block.text.size();
    for (const Mark& mark : block.marks) all += sizeof mark + mark.open.size() + mark.close.size();
  }
  return all;
}

std::string MarkupDocument::translation(std::span<const TranslatedText> translated,
                                        std::size_t k) const {
  std::string out = between_.front();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    out += with_marks(blocks_[i], translated[i], k, escape_);
    out += between_[i + 1];
  }
  return out;
}

}  // namespace attend
