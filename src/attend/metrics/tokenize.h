// The tokenizations of BLEU and TER. Scores are comparable only with equal tokenization.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "attend/metrics.h"

namespace attend {

std::span<const std::string_view> enum_names(BleuTokenization);

// `line` with single spaces between its tokens. Throws DataError if it is not valid UTF-8.
std::string bleu_tokenize(std::string_view line, BleuTokenization tokenization);
// The same of Tercom.
std::string ter_tokenize(std::string_view line, const TerOptions& options);

}  // namespace attend
