// An explanation as JSON, for commands and servers:
//
//   {"tokens": ["▁der", "▁Hund", "</s>"], "position": 1,
//    "token": {"token": "▁Hund", "probability": 0.91},
//    "instead": {"token": "▁Kater", "probability": 0.02}, "difference": 3.82,
//    "parts": [{"module": "embedding", "value": 0.1},
//              {"module": "decoder.layers.0.self_attn", "head": 0, "value": -0.2}, ...],
//    "lens": [[{"token": "▁der", "probability": 0.3}, ...], ...],
//    "additions": [{"module": "embedding", "length": 4.0, "cosine": 0.0}, ...]}
//
// "instead" is null for a logit alone, "position" for a classifier.
#pragma once

#include <nlohmann/json.hpp>

#include "attend/explanation.h"

namespace attend {

nlohmann::ordered_json to_json(const OutputExplanation& explanation);

}  // namespace attend
