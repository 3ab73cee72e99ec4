// Text as careless writers have it: with typos, in other case, without punctuation. A translator
// that has read such sources in training keeps more of its quality on them (Belinkov and Bisk 2018;
// Karpukhin et al. 2019).
#pragma once

#include <string>
#include <string_view>

#include "attend/core/random/random.h"

namespace attend {

// One letter of a word in ten, and of one word at least, is swapped with the next, left out,
// written twice, or replaced by another letter of the text. Text without letters stays as it is.
std::string with_typos(std::string_view text, Random& random);
// All in small letters, all in capital letters, or the first letter of each word so.
std::string in_other_case(std::string_view text, Random& random);
// Without the last punctuation, or without all of it.
std::string without_punctuation(std::string_view text, Random& random);

// One of them. May be `text`.
std::string with_noise(std::string_view text, Random& random);

}  // namespace attend
