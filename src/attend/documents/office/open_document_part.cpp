#include "attend/documents/office/open_document_part.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "attend/documents/markup/html_characters.h"
#include "attend/documents/markup/xml_attributes.h"
#include "attend/documents/office/paragraphs.h"

namespace attend {
namespace {

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
  // Comments, deleted text, and what stands where the text of a slide goes.
  bool is_kept(std::size_t i) const override {
    return is_one_of(piece(i).name, {"office:annotation", "text:tracked-changes"}) ||
           xml_attribute(piece(i).raw, "presentation:placeholder").value_or("") == "true";
  }
  bool read_special(std::size_t begin, std::size_t end) override {
    const std::string_view raw = whole(begin, end), name = piece(begin).name;
    if (name == "text:tab") {
      add_character(raw, "\t");
    } else if (name == "text:line-break") {
      add_character(raw, "\n");
    } else if (name == "text:s") {
      constexpr int kMost = 1000;
      const std::string_view count = xml_attribute(piece(begin).raw, "text:c").value_or("");
      int spaces = 1;
      std::from_chars(count.data(), count.data() + count.size(), spaces);
      add_character(raw, std::string(static_cast<std::size_t>(std::clamp(spaces, 1, kMost)), ' '));
    } else {
      return false;
    }
    return true;
  }
};

}  // namespace

MarkupDocument open_document_part(std::string_view xml) {
  return {OpenDocumentParagraphs(all_pieces(xml, MarkupLanguage::xml)).read(false),
          escaped_open_document};
}

}  // namespace attend
