// What happens to text before WordPiece and byte-level BPE cut it. Private to text/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attend::detail {

// Unicode's normalization forms.
enum class UnicodeForm : std::uint8_t { none, nfc, nfd, nfkc, nfkd };

std::string_view name_of(UnicodeForm form);
std::optional<UnicodeForm> unicode_form(std::string_view name);

struct TextNormalization {
  UnicodeForm form = UnicodeForm::none;
  bool fold_case = false;
  // Control characters vanish, white space of all kinds is a space, runs of them are one, and none
  // is at the ends.
  bool clean_spaces = false;

  bool changes_nothing() const { return form == UnicodeForm::none && !fold_case && !clean_spaces; }
};

// The text as UTF-8, whatever bytes it has, in linear time but for sorting the marks of a
// character.
std::string normalized(std::string_view text, const TextNormalization& normalization);

// In the form; case folded if asked for.
std::u32string in_form(std::u32string_view text, UnicodeForm form, bool fold_case);

// The property White_Space of Unicode.
bool has_white_space_property(char32_t c);

}  // namespace attend::detail
