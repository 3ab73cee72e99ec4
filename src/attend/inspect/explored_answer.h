// What the explorer answers of a text that a model has read, as JSON. A server and the engine of a
// page make an answer when somebody asks; a page that `attend attention` writes holds it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "attend/inspect/encoded_text.h"
#include "attend/inspect/scored_pair.h"
#include "attend/inspect/scored_text.h"

namespace attend {

// {"translation", "log_probability", "attention"} of a translator, {"classes": [{"label",
// "probability"}], "attention"} of a classifier, most probable first, {"log_probability",
// "attention"} of a language model, {"attention"} of an embedding model; "attention" is
// attention_data(). Throw like that.
nlohmann::ordered_json explored_answer(const TranslationModel& model, const ScoredPair& pair);
nlohmann::ordered_json explored_answer(const ClassificationModel& model,
                                       const ClassifiedText& text);
nlohmann::ordered_json explored_answer(const EmbeddingModel& model, const EmbeddedText& text);
nlohmann::ordered_json explored_answer(const LanguageModel& model, const ScoredText& text);

// The same with inside_data() in place of "attention". Throw like that.
nlohmann::ordered_json inside_answer(const TranslationModel& model, const ScoredPair& pair,
                                     const std::vector<std::string>& modules);
nlohmann::ordered_json inside_answer(const ClassificationModel& model, const ClassifiedText& text,
                                     const std::vector<std::string>& modules);
nlohmann::ordered_json inside_answer(const EmbeddingModel& model, const EmbeddedText& text,
                                     const std::vector<std::string>& modules);
nlohmann::ordered_json inside_answer(const LanguageModel& model, const ScoredText& text,
                                     const std::vector<std::string>& modules);

}  // namespace attend
