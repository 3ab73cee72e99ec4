// Files of which only some places change: those that translations are written to.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/documents/document.h"
#include "attend/documents/marks/marked_text.h"

namespace attend {

// Bytes of a file and what is written instead of them.
struct Edit {
  static constexpr std::size_t kNoText = std::numeric_limits<std::size_t>::max();

  TextSpan place;              // without bytes: something is inserted there
  std::string before = {};     // stands before the translation
  std::size_t text = kNoText;  // number of the text whose translation is written; kNoText: none
  std::string after = {};      // stands after it
};

class EditedFile : public Document {
 public:
  std::vector<SourceText> texts() const override;
  std::size_t bytes() const override;
  std::string translation(std::span<const TranslatedText> texts, std::size_t k) const override;

 protected:
  explicit EditedFile(std::string_view content) : content_(content) {}

  // The number of a new text. Throws TooLongError for more than a million.
  std::size_t add_text(MarkedText text);
  // The places must ascend, without overlaps.
  void add_edit(Edit edit) { edits_.push_back(std::move(edit)); }

  std::string_view content() const { return content_; }
  const MarkedText& text(std::size_t number) const { return texts_[number]; }

  // The k-th translation of the text of an edit as it is written in the file.
  virtual std::string written(const Edit& edit, const TranslatedText& translated,
                              std::size_t k) const = 0;

 private:
  std::string content_;
  std::vector<MarkedText> texts_;
  std::vector<Edit> edits_;
};

// Whether there is a letter in a text, so that a translator can do something with it.
bool has_letters(std::string_view text);

// "name:line" of a byte of a file, for messages.
std::string place_in_file(std::string_view name, std::string_view content, std::size_t byte);
// Throws DataError with the place of the first byte that is not UTF-8.
void require_utf8(std::string_view name, std::string_view content);

}  // namespace attend
