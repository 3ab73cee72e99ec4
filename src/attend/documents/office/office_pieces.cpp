#include "attend/documents/office/office_pieces.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/markup/element_tree.h"
#include "attend/documents/markup/html_characters.h"

namespace attend {
namespace {

// Pieces that together are the markup, and the strings of those that are not in it.
struct PieceList {
  std::vector<MarkupPiece> pieces;
  std::deque<std::string> made;
};

constexpr std::size_t kAnyDepth = static_cast<std::size_t>(-1);

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view whole_of(std::span<const MarkupPiece> pieces) {
  const char* const begin = pieces.front().raw.data();
  const std::string_view last = pieces.back().raw;
  return {begin, static_cast<std::size_t>(last.data() + last.size() - begin)};
}

// The value of an attribute of a tag of XML; empty without one.
std::string_view attribute_of(std::string_view tag, std::string_view name) {
  for (std::size_t at = tag.find(name); at != tag.npos; at = tag.find(name, at + 1)) {
    const std::size_t equals = tag.find_first_not_of(" \t\r\n", at + name.size());
    if (at == 0 || !is_one_of(tag.substr(at - 1, 1), {" ", "\t", "\r", "\n"}) ||
        equals == tag.npos || tag[equals] != '=')
      continue;
    const std::size_t quote = tag.find_first_of("\"'", equals);
    if (quote == tag.npos) return {};
    return tag.substr(quote + 1, tag.find(tag[quote], quote + 1) - quote - 1);
  }
  return {};
}

// What both kinds of files have in common: paragraphs, elements within their text, and others.
class Paragraphs {
 public:
  explicit Paragraphs(std::vector<MarkupPiece> pieces)
      : pieces_(std::move(pieces)), partners_(partners_of(pieces_, kAnyDepth)) {}
  virtual ~Paragraphs() = default;

  PieceList read() {
    read_range(0, pieces_.size(), false);
    return std::move(list_);
  }

 protected:
  virtual bool is_paragraph(const MarkupPiece& piece) const = 0;
  // An element whose content is text of the paragraph.
  virtual bool is_within_text(std::size_t piece) const = 0;
  // Reads the element [begin, end] in the text of a paragraph if it is a special one.
  virtual bool read_special(std::size_t begin, std::size_t end) = 0;
  // Texts of the paragraph that stand in no special element.
  virtual bool has_own_text() const = 0;
  virtual void end_paragraph() {}

  std::span<const MarkupPiece> range(std::size_t begin, std::size_t end) const {
    return std::span(pieces_).subspan(begin, end + 1 - begin);
  }
  const MarkupPiece& piece(std::size_t i) const { return pieces_[i]; }
  std::size_t partner(std::size_t i) const { return partners_[i]; }

  void add_character(std::string_view raw, std::string character) {
    list_.pieces.push_back({.raw = raw, .is_text = true, .literal = keep(std::move(character))});
  }
  std::string_view keep(std::string made) { return list_.made.emplace_back(std::move(made)); }
  void add_made(std::string raw, MarkupPiece piece) {
    piece.raw = keep(std::move(raw));
    list_.pieces.push_back(std::move(piece));
  }
  // One piece that stays as it is, at its place in the text.
  void add_point(std::string_view raw) {
    list_.pieces.push_back({.raw = raw, .closes_self = true, .is_inline = true});
  }
  // Pieces between texts, which end the one before.
  void add_between(std::string_view raw) { list_.pieces.push_back({.raw = raw}); }

  void read_range(std::size_t begin, std::size_t end, bool in_paragraph) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t last = partners_[i] == kNoPartner ? i : std::max(partners_[i], i);
      if (!in_paragraph) {
        add_between(pieces_[i].raw);
        if (!is_paragraph(pieces_[i]) || last == i) continue;
        read_paragraph(i, last);
        i = last;
      } else if (pieces_[i].is_text) {
        if (has_own_text()) {
          list_.pieces.push_back(pieces_[i]);
        } else {
          add_point(pieces_[i].raw);
        }
      } else if (partners_[i] == kNoPartner) {
        add_between(pieces_[i].raw);
      } else if (read_special(i, last)) {
        i = last;
      } else if (is_within_text(i)) {
        add_element(i, last);
        i = last;
      } else if (holds_paragraphs(i, last)) {
        // A text box or a note: paragraphs of their own.
        read_range(i, last + 1, false);
        i = last;
      } else {
        add_point(whole_of(range(i, last)));
        i = last;
      }
    }
  }

  bool holds_paragraphs(std::size_t begin, std::size_t end) const {
    return std::any_of(pieces_.begin() + static_cast<std::ptrdiff_t>(begin),
                       pieces_.begin() + static_cast<std::ptrdiff_t>(end),
                       [&](const MarkupPiece& piece) { return is_paragraph(piece); });
  }

 private:
  // Behind its first tag. Without text, all of it stays as it is.
  void read_paragraph(std::size_t begin, std::size_t end) {
    const std::size_t before = list_.pieces.size();
    read_range(begin + 1, end, true);
    end_paragraph();
    const bool has_text = std::any_of(
        list_.pieces.begin() + static_cast<std::ptrdiff_t>(before), list_.pieces.end(),
        [](const MarkupPiece& piece) { return piece.is_text && !is_blank(piece.text()); });
    if (!has_text) {
      list_.pieces.resize(before);
      if (end > begin + 1) add_between(whole_of(range(begin + 1, end - 1)));
    }
    add_between(pieces_[end].raw);
  }

  void add_element(std::size_t begin, std::size_t end) {
    list_.pieces.push_back(pieces_[begin]);
    list_.pieces.back().is_inline = true;
    if (end == begin) return;
    read_range(begin + 1, end, true);
    list_.pieces.push_back(pieces_[end]);
    list_.pieces.back().is_inline = true;
  }

  std::vector<MarkupPiece> pieces_;
  std::vector<std::size_t> partners_;
  PieceList list_;
};

std::string escaped_open_document(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t spaces = 0;
    while (i + spaces < text.size() && text[i + spaces] == ' ') ++spaces;
    if (spaces > 1) {
      out += " <text:s text:c=\"" + std::to_string(spaces - 1) + "\"/>";
      i += spaces - 1;
    } else if (text[i] == '\t') {
      out += "<text:tab/>";
    } else if (text[i] == '\n') {
      out += "<text:line-break/>";
    } else {
      out += escaped_markup(text.substr(i, 1));
    }
  }
  return out;
}

class OpenDocumentParagraphs final : public Paragraphs {
 public:
  using Paragraphs::Paragraphs;

 private:
  bool is_paragraph(const MarkupPiece& piece) const override {
    return is_one_of(piece.name, {"text:p", "text:h"}) && !piece.closes && !piece.closes_self;
  }
  bool is_within_text(std::size_t i) const override {
    return is_one_of(piece(i).name,
                     {"text:span", "text:a", "text:ruby", "text:ruby-base", "text:meta"});
  }
  bool has_own_text() const override { return true; }
  bool read_special(std::size_t begin, std::size_t end) override {
    const std::string_view raw = whole_of(range(begin, end)), name = piece(begin).name;
    if (name == "text:tab") {
      add_character(raw, "\t");
    } else if (name == "text:line-break") {
      add_character(raw, "\n");
    } else if (name == "text:s") {
      constexpr int kMost = 1000;
      const std::string_view count = attribute_of(piece(begin).raw, "text:c");
      int spaces = 1;
      std::from_chars(count.data(), count.data() + count.size(), spaces);
      add_character(raw, std::string(static_cast<std::size_t>(std::clamp(spaces, 1, kMost)), ' '));
    } else {
      return false;
    }
    return true;
  }
};

constexpr std::string_view kTextBegin = "<w:t xml:space=\"preserve\">";
constexpr std::string_view kTextEnd = "</w:t>";

std::string escaped_word(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\t' || c == '\n') {
      out += std::string(kTextEnd) + (c == '\t' ? "<w:tab/>" : "<w:br/>") + std::string(kTextBegin);
    } else {
      out += escaped_markup({&c, 1});
    }
  }
  return out;
}

class WordParagraphs final : public Paragraphs {
 public:
  using Paragraphs::Paragraphs;

 private:
  bool is_paragraph(const MarkupPiece& piece) const override {
    return piece.name == "w:p" && !piece.closes && !piece.closes_self;
  }
  bool is_within_text(std::size_t i) const override {
    if (is_one_of(piece(i).name, {"w:hyperlink", "w:ins", "w:moveto", "w:smarttag", "w:customxml",
                                  "w:sdt", "w:sdtcontent", "w:dir", "w:bdo"}))
      return true;
    return piece(i).name == "w:fldsimple" && is_prose(attribute_of(piece(i).raw, "w:instr"));
  }
  bool has_own_text() const override { return false; }
  // A field without an end must not hide the rest of the file.
  void end_paragraph() override {
    std::erase_if(fields_, [](const std::string& field) { return !is_prose(field); });
  }

  // Whether the result of a field is text, not a number, a date or a name.
  static bool is_prose(std::string_view instruction) {
    const std::size_t begin = std::min(instruction.find_first_not_of(' '), instruction.size());
    std::string name(instruction.substr(begin, instruction.find(' ', begin) - begin));
    for (char& c : name) c = ascii_lower(c);
    return is_one_of(name, {"hyperlink", "toc", "ref"});
  }

  bool read_special(std::size_t begin, std::size_t end) override {
    if (piece(begin).name != "w:r") return false;
    if (end == begin) {
      add_point(piece(begin).raw);
    } else if (holds_paragraphs(begin, end)) {
      read_range(begin, end + 1, false);
    } else if (is_badly_nested(begin, end)) {
      add_between(whole_of(range(begin, end)));
    } else {
      read_run(begin, end);
    }
    return true;
  }

  bool is_badly_nested(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i)
      if (partner(i) == kNoPartner) return true;
    return false;
  }

  // The state of fields: <w:fldChar w:fldCharType="begin"/>, an instruction, "separate", the
  // result, "end".
  void follow_field(std::size_t i) {
    if (piece(i).name == "w:fldchar") {
      const std::string_view type = attribute_of(piece(i).raw, "w:fldCharType");
      if (type == "begin") fields_.emplace_back();
      if (type == "end" && !fields_.empty()) fields_.pop_back();
    } else if (piece(i).name == "w:instrtext" && !fields_.empty() && partner(i) > i) {
      for (std::size_t at = i + 1; at < partner(i); ++at) fields_.back() += piece(at).text();
    }
  }
  bool in_prose() const { return std::all_of(fields_.begin(), fields_.end(), is_prose); }

  // What a child of a run says; nothing for those that are no text.
  bool is_character(std::size_t i, std::string& text) const {
    const std::string_view name = piece(i).name;
    if (name == "w:t") {
      for (std::size_t at = i + 1; at < partner(i); ++at)
        if (piece(at).is_text) text += piece(at).text();
    } else if (name == "w:tab") {
      text += '\t';
    } else if (name == "w:cr" || (name == "w:br" && attribute_of(piece(i).raw, "w:type").empty())) {
      text += '\n';
    } else if (name == "w:nobreakhyphen") {
      text += "\u2011";
    } else {
      return name == "w:lastrenderedpagebreak";  // where Word last began a page
    }
    return true;
  }

  // A run whose text and other things take turns becomes several.
  void read_run(std::size_t begin, std::size_t end) {
    std::size_t first = begin + 1;
    while (first < end && piece(first).is_text) ++first;
    std::size_t content = begin + 1;
    if (first < end && piece(first).name == "w:rpr") content = partner(first) + 1;
    const std::string opening(whole_of(range(begin, content - 1)));
    const std::string closing(piece(end).raw);
    std::string text;
    bool has_text = false;
    const auto add_text = [&] {
      if (!has_text) return;
      add_made(opening + std::string(kTextBegin), {.name = "w:r", .is_inline = true});
      if (!text.empty()) {
        const std::string_view raw = keep(escaped_word(text));
        add_character(raw, std::exchange(text, {}));
      }
      add_made(std::string(kTextEnd) + closing, {.name = "w:r", .closes = true, .is_inline = true});
      has_text = false;
    };
    bool is_whole = true;  // nothing of it is text
    std::vector<std::pair<std::size_t, std::size_t>> children;
    for (std::size_t i = content; i < end; ++i) {
      if (piece(i).is_text || piece(i).name.empty()) continue;
      const std::size_t last = std::max(partner(i), i);
      follow_field(i);
      children.emplace_back(i, last);
      std::string own;
      if (in_prose() && piece(i).name != "w:fldchar" && is_character(i, own) && !own.empty())
        is_whole = false;
      i = last;
    }
    if (is_whole) return add_point(whole_of(range(begin, end)));
    for (const auto& [i, last] : children) {
      if (is_character(i, text)) {
        has_text = true;
        continue;
      }
      add_text();
      add_made(opening + std::string(whole_of(range(i, last))) + closing,
               {.closes_self = true, .is_inline = piece(i).name != "w:br"});  // a new page
    }
    add_text();
  }

  std::vector<std::string> fields_;  // the instructions of those that are open
};

}  // namespace

MarkupDocument word_part(std::string_view xml) {
  const PieceList list = WordParagraphs(all_pieces(xml, MarkupLanguage::xml)).read();
  return {blocks_of(list.pieces, true), escaped_word};
}

MarkupDocument open_document_part(std::string_view xml) {
  const PieceList list = OpenDocumentParagraphs(all_pieces(xml, MarkupLanguage::xml)).read();
  return {blocks_of(list.pieces, false), escaped_open_document};
}

}  // namespace attend
