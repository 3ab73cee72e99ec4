// What classifiers and taggers say of texts, in the dialects of Hugging Face's servers.
#pragma once

#include <memory>

#include "attend/server/models/served_model.h"
#include "attend/server/route.h"

namespace attend {

// POST /predict of text-embeddings-inference: the labels of a text, the most probable first, or a
// list of those for a list of texts. A number comes through the sigmoid, unless "raw_scores".
void predict(const std::shared_ptr<Call>& call);

// POST / of the inference API. Of a classifier: a list for each text, also for one; "parameters":
// {"top_k"}. Of a tagger: the entities of a text, or a list of those for a list of texts;
// "parameters": {"aggregation_strategy", "ignore_labels"}.
void classify_inputs(const std::shared_ptr<Call>& call, const ServedModelPointer& model);
void tag_inputs(const std::shared_ptr<Call>& call, const ServedModelPointer& model);

}  // namespace attend
