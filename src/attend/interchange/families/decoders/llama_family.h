// What Llama and the decoders that follow it have in common: the names and settings of
// transformers.
#pragma once

#include <nlohmann/json.hpp>

#include "attend/interchange/families/families.h"
#include "attend/models/language_transformer.h"

namespace attend {

// "rope_parameters" of newer files, "rope_scaling" and "rope_theta" of older ones; `theta` of files
// that do not say.
RotaryOptions read_rotary(ForeignConfig& config, double theta = 1e4);
// The settings of an object such as "rope_parameters"; `otherwise` has the base.
RotaryOptions read_rotary_of(ForeignConfig& rope, RotaryOptions otherwise);

// What differs between families, and what files mean that do not say.
struct LlamaDefaults {
  int head_dim = 0;                            // 0: the hidden size divided by the heads
  std::string_view activation = "hidden_act";  // name of the setting
  bool tied = false;
  double rotary_theta = 1e4;
};

// The settings of a model with RMSNorm and a gated network, all but the rotary positions.
LanguageTransformerConfig read_unrotated_llama_shape(ForeignConfig& config,
                                                     const LlamaDefaults& defaults);
// The same with rotary positions.
LanguageTransformerConfig read_llama_shape(ForeignConfig& config,
                                           const LlamaDefaults& defaults = {});

// A model with the names of Llama's weights.
ForeignModel finish_llama(const ModelDirectory& directory, ForeignConfig& config,
                          const LanguageTransformerConfig& shape, int context_length);

// The settings that all of them share, in the words of older files, which all versions read.
nlohmann::ordered_json llama_config(std::string_view type, std::string_view architecture,
                                    const LanguageModel& model,
                                    const LanguageTransformerConfig& shape);

// A model of attend, in the words of Llama: its embeddings come as they are.
LanguageTransformerConfig use_words_of_llama(const LanguageModel& model, Checkpoint& equal);

}  // namespace attend
