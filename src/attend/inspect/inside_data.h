// Everything that a Transformer computes for one text, as JSON:
//
//   {"tokens": {"source", "written", "read": [label]}, "ids": {"source", "read": [id]},
//    "d_model", "heads", "key_heads", "d_key", "d_value", "d_ff", "layers": {"encoder", "decoder"},
//    "vocabulary", "embedding_scale", ..., "configuration": the options of the model,
//    "values": [{"module", "name", "shape": [rows, columns], "heads", "data"}],
//    "next": [[{"token", "id", "logit", "probability"}]],
//    "labels": [name]}
//
// Labels are those of axis_labels.h. An encoder has a row for each token of "source", a decoder for
// each of "read"; its last rows predict "written". "next", of models that write: for each row of
// "read" the most probable tokens behind it. "labels", of classifiers: the columns of the logits.
//
// Values come in the order of computation, under the names of modules in the model file. "data" is
// base64 of 32-bit floats, row by row, the lowest byte first.
//   encoder, decoder    tokens (embeddings times their scale), positions and types (what is added
//                       to them, if anything is), sum (what the first layer reads), and output
//                       where the stack normalizes or scales what the last layer gives
//   attention           queries, keys, values (as the scores use them, heads side by side), scores
//                       [heads * rows, keys] (-infinity where a query sees no key), weights, heads,
//                       output
//   feed_forward        hidden (after the activation), output; of experts router (the probability
//                       of each), output
//   every sublayer      input (what it reads, where that is normalized), added (its output as it is
//                       added, where that differs), sum, and norm where the sum is normalized
//   pooling             output: the vector of the text, of classifiers and embedding models
//   head, head_norm     output, of a classifier that has such layers
//   output              logits of a classifier
//   dense, second_dense, normalize  output, of an embedding model that has such layers
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "attend/inspect/scored_pair.h"
#include "attend/tasks/classification/model.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/language/model.h"

namespace attend {

// Values of one answer, as base64.
inline constexpr std::int64_t kMostInsideBytes = 64'000'000;

// Describes a pair. `modules`: patterns of the names of the modules whose values are wanted; none:
// all. All functions throw ConfigError for a recurrent model, a pattern that fits no module and
// more values than kMostInsideBytes; DataError if a value is not finite.
nlohmann::ordered_json inside_data(const TranslationModel& model, const ScoredPair& pair,
                                   const std::vector<std::string>& modules);

// Describe a text that an encoder reads. `ids`: as attention_maps() takes them.
nlohmann::ordered_json inside_data(const ClassificationModel& model,
                                   const std::vector<std::int32_t>& ids,
                                   const std::vector<std::string>& modules);
nlohmann::ordered_json inside_data(const EmbeddingModel& model,
                                   const std::vector<std::int32_t>& ids,
                                   const std::vector<std::string>& modules);

// Describes a text that a language model writes, as attention_data() does.
nlohmann::ordered_json inside_data(const LanguageModel& model, const std::vector<std::int32_t>& ids,
                                   const std::vector<float>& scores,
                                   const std::vector<std::string>& modules);

}  // namespace attend
