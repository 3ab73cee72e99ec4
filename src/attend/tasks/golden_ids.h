// What the golden examples of all kinds of models share: where a model file keeps them, and their random ids.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/core/random.h"
#include "attend/text/tokenizer.h"

namespace attend {

inline constexpr const char* kGoldenKey = "attend.golden";

// 4 to 9 ids of the vocabulary, each as likely as any other.
std::vector<std::int32_t> golden_ids(Random& random, const Tokenizer& tokenizer);

bool is_in_vocabulary(const std::vector<std::int32_t>& ids, const Tokenizer& tokenizer);

}  // namespace attend
