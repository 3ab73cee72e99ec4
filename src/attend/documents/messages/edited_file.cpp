#include "attend/documents/messages/edited_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/core/too_long.h"
#include "attend/error.h"

namespace attend {
namespace {

// The limit of a file: a large program has a tenth of it.
constexpr std::size_t kMostTexts = 1 << 20;

}  // namespace

std::vector<SourceText> EditedFile::texts() const {
  std::vector<SourceText> all;
  for (const MarkedText& one : texts_) all.push_back(source_text(one));
  return all;
}

std::size_t EditedFile::bytes() const {
  std::size_t all = content_.size();
  for (const MarkedText& one : texts_) {
    all += sizeof one + one.text.size();
    for (const Mark& mark : one.marks) all += sizeof mark + mark.open.size() + mark.close.size();
  }
  for (const Edit& edit : edits_) all += sizeof edit + edit.before.size() + edit.after.size();
  return all;
}

std::string EditedFile::translation(std::span<const TranslatedText> texts, std::size_t k) const {
  std::string out;
  std::size_t at = 0;
  for (const Edit& edit : edits_) {
    out.append(content_, at, edit.place.begin - at);
    out += edit.before;
    if (edit.text != Edit::kNoText) out += written(edit, texts[edit.text], k);
    out += edit.after;
    at = edit.place.end;
  }
  return out.append(content_, at);
}

std::size_t EditedFile::add_text(MarkedText text) {
  if (texts_.size() == kMostTexts)
    throw TooLongError(fmt::format("the file has more than {} texts", kMostTexts));
  texts_.push_back(std::move(text));
  return texts_.size() - 1;
}

bool has_letters(std::string_view text) {
  for (std::size_t at = 0; at < text.size();)
    if (unicode::is_letter(next_code_point(text, at))) return true;
  return false;
}

std::string place_in_file(std::string_view name, std::string_view content, std::size_t byte) {
  const std::string_view before = content.substr(0, byte);
  return fmt::format("{}:{}", quote(name), std::count(before.begin(), before.end(), '\n') + 1);
}

void require_utf8(std::string_view name, std::string_view content) {
  const std::size_t at = find_invalid_utf8(content);
  if (at != content.npos)
    throw DataError(fmt::format("{}: expected UTF-8", place_in_file(name, content, at)));
}

}  // namespace attend
