// Cuts words that are too long for SentencePiece's trainers. Private to text/.
//
// Its BPE trainer numbers the characters of a word in 16 bits, of which one is a sign; a longer
// word ends the process. Its unigram trainer takes quadratic time for text that repeats itself
// within a word.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "attend/text/sentencepiece/character_map.h"

namespace attend::detail {

// In characters, with the one that stands for the space before.
inline constexpr std::size_t kLongestLearnedWord = 32768;

// Whether a word of the sentence may be too long, however characters are mapped.
bool may_have_long_words(std::string_view sentence);

// The sentence, cut within each word that is too long once `characters` has mapped it, into parts
// that are short; usually one part.
std::vector<std::string_view> parts_for_training(std::string_view sentence,
                                                 const CharacterMap& characters);

}  // namespace attend::detail
