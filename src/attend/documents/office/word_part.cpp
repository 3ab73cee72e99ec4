#include "attend/documents/office/word_part.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "attend/core/strings/ascii.h"
#include "attend/documents/markup/element_tree.h"
#include "attend/documents/markup/html_characters.h"
#include "attend/documents/markup/xml_attributes.h"
#include "attend/documents/office/paragraphs.h"

namespace attend {
namespace {

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
    return piece(i).name == "w:fldsimple" &&
           is_prose(xml_attribute(piece(i).raw, "w:instr").value_or(""));
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
    } else if (is_badly_nested(begin, end)) {
      add_between(whole(begin, end));
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
      const std::string_view type = xml_attribute(piece(i).raw, "w:fldCharType").value_or("");
      if (type == "begin") fields_.emplace_back();
      if (type == "end" && !fields_.empty()) fields_.pop_back();
    } else if (piece(i).name == "w:instrtext" && !fields_.empty() && partner(i) > i) {
      for (std::size_t at = i + 1; at < partner(i); ++at) fields_.back() += piece(at).text();
    }
  }
  bool in_prose() const { return std::all_of(fields_.begin(), fields_.end(), is_prose); }

  // What a child of a run says: nothing for those that are no text. A word of another language has
  // other places for soft hyphens.
  bool is_character(std::size_t i, std::string& text) const {
    const std::string_view name = piece(i).name;
    if (name == "w:t") {
      for (std::size_t at = i + 1; at < partner(i); ++at)
        if (piece(at).is_text) text += piece(at).text();
    } else if (name == "w:tab") {
      text += '\t';
    } else if (name == "w:cr" ||
               (name == "w:br" && xml_attribute(piece(i).raw, "w:type").value_or("").empty())) {
      text += '\n';
    } else if (name == "w:nobreakhyphen") {
      text += "\u2011";
    } else {
      return is_one_of(name, {"w:softhyphen", "w:lastrenderedpagebreak"});
    }
    return true;
  }

  struct Child {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  void read_run(std::size_t begin, std::size_t end) {
    std::size_t first = begin + 1;
    while (first < end && piece(first).is_text) ++first;
    std::size_t content = begin + 1;
    if (first < end && piece(first).name == "w:rpr") content = partner(first) + 1;
    bool has_text = false, has_others = false;
    std::vector<Child> children;
    for (std::size_t i = content; i < end; ++i) {
      if (piece(i).is_text || piece(i).name.empty()) continue;
      const std::size_t last = std::max(partner(i), i);
      follow_field(i);
      children.push_back({i, last});
      std::string own;
      if (in_prose() && piece(i).name != "w:fldchar" && is_character(i, own) && !own.empty())
        has_text = true;
      has_others = has_others || piece(i).name != "w:softhyphen";
      i = last;
    }
    if (has_text) {
      add_run(std::string(whole(begin, content - 1)), children, std::string(piece(end).raw));
    } else if (holds_paragraphs(begin, end)) {
      add_inset(begin, end);
    } else if (has_others || children.empty()) {
      add_point(whole(begin, end));
    }
  }

  // A run whose text and other things take turns becomes several.
  void add_run(const std::string& opening, const std::vector<Child>& children,
               const std::string& closing) {
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
    for (const Child& child : children) {
      if (is_character(child.begin, text)) {
        has_text = true;
        continue;
      }
      add_text();
      if (holds_paragraphs(child.begin, child.end)) {
        add_made(opening, {.name = "w:r", .is_inline = true});
        add_inset(child.begin, child.end);
        add_made(closing, {.name = "w:r", .closes = true, .is_inline = true});
      } else {
        const bool is_page = piece(child.begin).name == "w:br";
        add_made(opening + std::string(whole(child.begin, child.end)) + closing,
                 {.closes_self = true, .is_inline = !is_page});
      }
    }
    add_text();
  }

  std::vector<std::string> fields_;  // the instructions of those that are open
};

}  // namespace

MarkupDocument word_part(std::string_view xml) {
  return {WordParagraphs(all_pieces(xml, MarkupLanguage::xml)).read(true), escaped_word};
}

}  // namespace attend
