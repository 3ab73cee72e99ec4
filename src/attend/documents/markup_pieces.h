// The pieces of HTML or XML: texts, tags, comments. Takes any bytes, as browsers do.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attend {

struct MarkupPiece {
  std::string_view raw;
  std::string name = {};  // of a tag, in small letters; empty: text, a comment or the like
  bool is_text = false;
  bool closes = false;       // </b>
  bool closes_self = false;  // <br>, <x/>, and an opaque element with its content
  bool is_opaque = false;    // <script>, <p translate="no">: its content is no text
};

// Reads one piece after another; together they are the markup, byte for byte.
class MarkupReader {
 public:
  // The markup must outlive the pieces.
  explicit MarkupReader(std::string_view markup) : markup_(markup) {}

  // Returns false at the end.
  bool next(MarkupPiece& piece);

 private:
  bool starts_tag(std::size_t at) const;
  std::size_t end_of_tag(std::size_t begin);
  void skip_content(MarkupPiece& piece, std::size_t begin);

  std::string_view markup_;
  std::size_t at_ = 0;
  bool ignores_quotes_ = false;
};

}  // namespace attend
