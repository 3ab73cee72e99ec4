// XML, piece by piece, in memory that does not grow with the file.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace attend {

struct XmlPiece {
  enum class Kind { start, end, text };
  Kind kind = Kind::text;
  std::string name = {};        // of an element, without the prefix of a namespace
  std::string text = {};        // without escapes; of CDATA, too
  std::string attributes = {};  // of a start tag, as they are
  bool closes_self = false;
};

// The value of an attribute, without escapes, whatever the prefix of its name; empty if there is
// none.
std::string attribute_of(const XmlPiece& start, std::string_view name);

// Comments, processing instructions and the document type are passed over. UTF-8, or UTF-16 with a
// byte order mark.
class XmlReader {
 public:
  // Reads between 1 and `capacity` bytes; 0 at the end.
  using Source = std::function<std::size_t(char* to, std::size_t capacity)>;

  // `where` is for errors.
  XmlReader(Source source, std::string where);

  // Returns false at the end. Throws DataError for a tag that does not end, for other encodings,
  // and for a text or a tag of more than 64 MiB.
  bool next(XmlPiece& piece);

 private:
  enum class Encoding { unknown, utf8, utf16_little, utf16_big };

  bool refill();
  void detect();
  void decode_utf16(std::string_view bytes);
  int peek();
  int take();
  void take_until(std::string_view end, std::string& to);
  void take_text(XmlPiece& piece);
  bool take_markup(XmlPiece& piece);
  void take_declaration();
  void take_instruction();
  void take_tag(XmlPiece& piece);
  [[noreturn]] void refuse(std::string_view why) const;

  Source source_;
  std::string where_;
  Encoding encoding_ = Encoding::unknown;
  std::string buffer_;   // in UTF-8
  std::string waiting_;  // the beginning of a character in UTF-16
  std::size_t at_ = 0;
};

}  // namespace attend
