// The pieces of HTML, XHTML or XML: texts, tags, comments. Takes any bytes, as browsers do.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "attend/documents/markup/html_characters.h"

namespace attend {

// xhtml: the elements of HTML in the syntax of XML.
enum class MarkupLanguage { html, xhtml, xml };

// Elements that are open, by their names.
class OpenElements {
 public:
  void open(std::string name);
  // Closes the innermost element of this name, and those within it; false if there is none.
  bool close(const std::string& name);
  bool has(const std::string& name) const;
  bool has_blocks() const { return blocks_ > 0; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> count_;
  std::size_t blocks_ = 0;
};

struct MarkupPiece {
  std::string_view raw = {};
  std::string name = {};  // of a tag, in small letters; empty: text, a comment or the like
  bool is_text = false;
  std::string_view literal = {};  // what a text says if it has no escapes: <![CDATA[x]]>, a tab
  bool closes = false;            // </b>
  bool closes_self = false;       // <br>, <x/>, and an opaque element with its content
  bool is_opaque = false;         // <script>, <p translate="no">: its content is no text
  bool is_inline = false;         // within a line of text: <b>, a comment
  // A point in the text that has texts of its own, such as a footnote: its pieces.
  const std::vector<MarkupPiece>* inset = nullptr;

  // What a text says.
  std::string text() const { return literal.empty() ? unescaped_html(raw) : std::string(literal); }
};

// Reads one piece after another; together they are the markup, byte for byte.
class MarkupReader {
 public:
  // The markup must outlive the pieces.
  MarkupReader(std::string_view markup, MarkupLanguage language)
      : markup_(markup), language_(language) {}

  // Returns false at the end.
  bool next(MarkupPiece& piece);

 private:
  bool starts_tag(std::size_t at) const;
  std::size_t end_of_text(std::size_t begin) const;
  std::size_t end_of_comment(std::size_t begin) const;
  std::size_t end_of_tag(std::size_t begin);
  std::size_t end_of_only_text(std::size_t begin, std::string_view name) const;
  bool is_html() const { return language_ == MarkupLanguage::html; }
  bool is_literal(std::size_t at) const;
  MarkupPiece read_tag(std::size_t begin);
  void skip_content(MarkupPiece& piece, std::size_t begin);

  std::string_view markup_;
  MarkupLanguage language_;
  std::size_t at_ = 0;
  bool ignores_quotes_ = false;
  OpenElements open_;         // of HTML
  std::string only_text_of_;  // the open element whose content is only text: "title"
};

// All pieces. Throws TooLongError for more than a million.
std::vector<MarkupPiece> all_pieces(std::string_view markup, MarkupLanguage language);

}  // namespace attend
