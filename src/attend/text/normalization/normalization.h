// Normalization of text before WordPiece and byte-level BPE split it. Private to text/.
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
  // Removes control characters, turns every run of white space into one space, and removes outer
  // spaces.
  bool clean_spaces = false;

  bool changes_nothing() const { return form == UnicodeForm::none && !fold_case && !clean_spaces; }
};

// Returns valid UTF-8 for any bytes. Takes linear time, except for sorting the combining marks of a
// character.
std::string normalized(std::string_view text, const TextNormalization& normalization);

// The text in a normalization form, optionally case-folded.
std::u32string in_form(std::u32string_view text, UnicodeForm form, bool fold_case);

// The property White_Space of Unicode.
bool has_white_space_property(char32_t c);

}  // namespace attend::detail
