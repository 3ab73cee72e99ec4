// What Llama and the decoders that follow it have in common: the names and settings of
// transformers.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "attend/interchange/families/decoders/rotary_settings.h"
#include "attend/interchange/families/families.h"
#include "attend/models/language_transformer.h"

namespace attend {

// What differs between families, and what files mean that do not say.
struct LlamaDefaults {
  int head_dim = 0;                            // 0: the hidden size divided by the heads
  std::string_view activation = "hidden_act";  // name of the setting
  bool tied = false;
  RotaryRules rotary = {};
  bool layer_norm = false;  // in place of RMSNorm
};

// The settings of a model with RMSNorm (or "layer_norm_eps") and a gated network, all but the
// rotary positions.
LanguageTransformerConfig read_unrotated_llama_shape(ForeignConfig& config,
                                                     const LlamaDefaults& defaults);
// The same with rotary positions.
LanguageTransformerConfig read_llama_shape(ForeignConfig& config,
                                           const LlamaDefaults& defaults = {});

AttentionBiases read_attention_bias(ForeignConfig& config);

// What GPT-NeoX and Phi say in the same words: sizes, the epsilon of layer normalization, rotary
// positions, the dropout of attention and whether embeddings are tied.
void read_layer_norm_sizes(ForeignConfig& config, LanguageTransformerConfig& shape);

std::span<const NameRule> names_of_llama();
// A model with the names of Llama's weights.
ForeignModel finish_llama(const ModelDirectory& directory, ForeignConfig& config,
                          const LanguageTransformerConfig& shape, int context_length);

// The settings that all of them share, in the words of older files, which all versions read.
nlohmann::ordered_json llama_config(std::string_view type, std::string_view architecture,
                                    const LanguageModel& model,
                                    const LanguageTransformerConfig& shape,
                                    const RotaryRules& rotary = {});

// Rules for queries, keys and values that share a tensor: in each of several groups the heads of
// queries, those of keys and those of values; `adjacent` as in rotated_heads(). As many groups as
// heads of keys have one of these each.
std::array<NameRule, 3> fused_heads(const StackConfig& shape, std::string_view theirs, int groups,
                                    bool adjacent = false);
// The same for projections of their own, whose names end with "q_proj.*" and so on in both.
std::array<NameRule, 2> separate_heads(const StackConfig& shape, std::string_view queries,
                                       std::string_view keys, bool adjacent = false);

// A model of attend, in the words of Llama: its embeddings come as they are.
LanguageTransformerConfig use_words_of_llama(const LanguageModel& model, Checkpoint& equal);

}  // namespace attend
