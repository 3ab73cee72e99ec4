// What the explorer shows as JSON, for servers and pages.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "attend/inspect/class_explanation.h"
#include "attend/inspect/drawn_text.h"
#include "attend/inspect/head_importance.h"
#include "attend/inspect/words/word_uses.h"
#include "attend/tasks/explanation/answer_explanation.h"

namespace attend {

// {"module": "decoder.layers.0.cross_attn", "head": 0, "change": -0.2}
nlohmann::ordered_json to_json(const HeadEffect& effect);

// {"word", "probability_without", "change"}, both null where nothing would be left. `probability`:
// that of the class for the whole text.
nlohmann::ordered_json to_json(const WordEffect& effect, float probability);

// {"entropy": 0.83, "nearly_uniform": false, "heads": [[0.8, ...], ...]}
nlohmann::ordered_json to_json(const AttentionEntropy& entropy);

// {"text", "log_probability", "complete"}
nlohmann::ordered_json to_json(const DrawnText& drawn);

// {"layer", "layers", "shown_variance", "uses": [{"text", "x", "y", "nearest", "similarity"}]};
// "nearest" and "similarity" are null for the only use. `layers`: those of the embedder.
nlohmann::ordered_json to_json(const WordUses& found, int layers);

// As tasks/explanation/explanation_json.h shows; of a model that translates {"translation"} comes
// first.
nlohmann::ordered_json to_json(const AnswerExplanation& found, bool translates);

}  // namespace attend
