// A breakdown as JSON, for programs. Lines are numbered from 1.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "attend/translation_breakdown.h"

namespace attend {

// {"source_lengths": [{"words": "0-10", "lines": 12, "BLEU": 41.0, ...}],
//  "rarest_words", "word_frequencies": with training words,
//  "copied": [{"words": "numbers", "reference": 4, "translation": 2, "both": 2}],
//  "negation": {"negated": 5, "lost": [1, 7], "not_negated": 10, "added": []} or null,
//  "flags": {"copy": [3]}}
nlohmann::ordered_json to_json(const TranslationBreakdown& breakdown);

}  // namespace attend
