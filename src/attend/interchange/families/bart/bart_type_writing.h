// Translation models as encoder-decoders of transformers that go back to BART: what the files of
// these families share.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "attend/interchange/families/generation.h"
#include "attend/models/architecture.h"
#include "attend/tasks/translation/model.h"

namespace attend {

// The longest text of models that do not say otherwise. Sinusoids have no last position.
inline constexpr int kUsualLength = 1024;

// The model if it is a translation model that is a Transformer; nullptr for others.
const TranslationModel* as_transformer(const SavedModel& model);

// The token that pads batches: transformers needs one.
std::int32_t padding_of(const SpecialTokens& special);

// The content of config.json that read_bart_type() reads as `shape`, the shape of `model`. `name`
// is the model_type, `architecture` the class.
nlohmann::ordered_json bart_type_config(const TranslationModel& model,
                                        const TransformerConfig& shape, std::string_view name,
                                        std::string_view architecture);

}  // namespace attend
