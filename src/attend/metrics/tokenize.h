// The tokenisations of BLEU. A BLEU score is a number about tokens, so two scores compare only when both used the same one of these.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace attend {

enum class BleuTokenization {
  k13a,   // the rules of NIST's mteval-v13a, for languages written with spaces: the default of published scores
  kNone,  // the text is tokenised already: split at white space only
  kIntl,  // mteval-v14: splits at Unicode punctuation and symbols, except between digits
  kChar,  // every character is a token
};

std::span<const std::string_view> enum_names(BleuTokenization);

// `line` with one space between its tokens. Throws DataError if it is not valid UTF-8.
std::string bleu_tokenize(std::string_view line, BleuTokenization tokenization);

}  // namespace attend
