// The data of a page that shows attention, as JSON:
//
//   {"scale": 255,
//    "axes": {"source", "written", "read": {"words": [label], "pieces": [label]}},
//    "maps": {"encoder", "decoder", "cross":
//                 {"modules": [name], "words": [[map]], "pieces": [[map]]}},
//    "entropy": {"entropy", "nearly_uniform", "heads", "summary"}}
//
// Labels are those of axis_labels.h. Maps are ordered by layer and head; a map is base64 of its
// bytes, row by row, and a weight is byte / scale. "modules" are the names of the layers in the
// model file, as AttentionChange has them. The rows of decoder and cross are "written": a row is
// named after the token written there. The columns of decoder are "read", those of cross "source".
// "entropy" is attention_entropy(), of models that have an encoder alone; "summary" is for people.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "attend/inspect/scored_pair.h"
#include "attend/tasks/language/model.h"

namespace attend {

// Describes a pair. Throws DataError if a weight is not finite, as the functions below do.
nlohmann::ordered_json attention_data(const TranslationModel& model, const ScoredPair& pair);

// Describes a text that an encoder reads: "encoder" only. `ids`: as attention_maps() takes them.
nlohmann::ordered_json attention_data(const SavedModel& model, const Tokenizer& tokenizer,
                                      const std::vector<std::int32_t>& ids);

// Describes a text that a language model writes: "decoder" only. `ids`: what begins a text, then at
// least one token; `scores`: the log-probabilities of all but the first.
nlohmann::ordered_json attention_data(const LanguageModel& model,
                                      const std::vector<std::int32_t>& ids,
                                      const std::vector<float>& scores);

}  // namespace attend
