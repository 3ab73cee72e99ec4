// Whether a translation says the same again and again, as models do that have lost the source.
#pragma once

#include <string>
#include <string_view>

namespace attend {

// What the translation repeats and the source does not; empty: nothing. Looks for words that follow
// each other in a circle, for sequences of four words that occur too often (Raunak et al. 2021,
// "The Curious Case of Hallucinations in Neural Machine Translation") and for circles within a
// word.
std::string repeated_part(std::string_view source, std::string_view translation);

}  // namespace attend
