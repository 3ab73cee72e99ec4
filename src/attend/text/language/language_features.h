// What the model of languages reads of a text. Private to text/.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace attend::detail {

// Hashes, in any order and as often as each occurs, of
//
//   - every letter, and the block of 128 code points that it is in
//   - 2, 3 and 4 letters in a row; the beginning and the end of a word count as one
//   - every word that is longer than those
//
// Letters are in small letters, in NFC. In scripts that do not separate words, only single letters
// and two in a row count. Reads the first 4096 bytes, which bounds the time. Words with "://" or
// "@" are read only if there are no others. Empty for a text without letters.
std::vector<std::uint32_t> language_features(std::string_view text);

}  // namespace attend::detail
