// The normalizers of Hugging Face's tokenizers: steps that change text before it is cut. Private to
// text/.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attend/text/huggingface/aligned_text.h"

namespace attend::detail {

using NormalizerStep = std::function<void(AlignedText&)>;

// The steps of a list of objects, each as a tokenizer.json has it: Precompiled, Replace, Prepend,
// Strip, StripAccents, Lowercase, NFC, NFD, NFKC, NFKD and BertNormalizer. Throws DataError that
// begins with `where` and names what is not supported.
std::vector<NormalizerStep> read_normalizers(const nlohmann::json& list, const std::string& where);

}  // namespace attend::detail
