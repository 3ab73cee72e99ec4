#include "attend/interchange/families/gguf/gguf_config_writing.h"

#include <fmt/format.h>

#include <string>

#include "attend/core/options/options.h"
#include "attend/error.h"
#include "attend/interchange/families/gguf/gguf_experts.h"
#include "attend/interchange/families/gguf/gguf_gemma.h"

namespace attend {

namespace {

void add_rotation(const std::string& prefix, const LanguageTransformerConfig& shape,
                  std::int64_t head, GgufEntries& entries) {
  const RotaryOptions& rotary = shape.rotary;
  if (rotary.scaling == RotaryScaling::llama3 && prefix != "llama.")
    throw ConfigError(
        fmt::format("llama.cpp has no scaling of positions as in Llama 3 in the "
                    "architecture {}",
                    gguf_architecture(shape)));
  const auto key = [&](std::string_view name) { return fmt::format("{}rope.{}", prefix, name); };
  entries.add_count(key("dimension_count"), head);
  entries.add_number(key("freq_base"), rotary.theta);
  if (rotary.scaling == RotaryScaling::llama3)
    entries.add_count(key("scaling.original_context_length"), rotary.original_length);
  if (rotary.scaling == RotaryScaling::none || rotary.scaling == RotaryScaling::llama3) return;
  const bool is_yarn = rotary.scaling == RotaryScaling::yarn;
  entries.add(key("scaling.type"), is_yarn ? "yarn" : "linear");
  entries.add_number(key("scaling.factor"), rotary.factor);
  if (is_yarn) entries.add_count(key("scaling.original_context_length"), rotary.original_length);
}

}  // namespace

std::string_view gguf_architecture(const LanguageTransformerConfig& shape) {
  switch (shape.positions) {
    case PositionKind::rotary:
      if (shape.norm_first && shape.norm_branch) return shape.qk_norm ? "gemma3" : "gemma2";
      if (shape.activation == Activation::gelu_tanh) return "gemma";
      if (shape.experts > 0) return gguf_architecture_of_experts(shape);
      if (shape.qk_norm) return "qwen3";
      return shape.attention_biases == AttentionBiases::qkv ? "qwen2" : "llama";
    case PositionKind::learned:
      return "gpt2";
    case PositionKind::alibi:
      return "bloom";
    default:
      throw ConfigError("llama.cpp has no architecture with the positions of the model");
  }
}

void add_gguf_config(const LanguageTransformerConfig& shape, std::int64_t context,
                     GgufEntries& entries) {
  const std::string_view architecture = gguf_architecture(shape);
  const std::string prefix = fmt::format("{}.", architecture);
  const std::int64_t keys = shape.n_key_heads > 0 ? shape.n_key_heads : shape.n_heads,
                     head = shape.d_key > 0 ? shape.d_key : shape.d_model / shape.n_heads;
  entries.add("general.architecture", architecture);
  entries.add("general.type", "model");
  entries.add_count(prefix + "context_length", context);
  entries.add_count(prefix + "embedding_length", shape.d_model);
  entries.add_count(prefix + "block_count", shape.n_layers);
  entries.add_count(prefix + "feed_forward_length", shape.d_ff);
  entries.add_count(prefix + "attention.head_count", shape.n_heads);
  entries.add_count(prefix + "attention.head_count_kv", keys);
  const bool is_rotary = shape.positions == PositionKind::rotary;
  entries.add_number(
      prefix + (is_rotary ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon"),
      shape.norm.epsilon);
  if (!is_rotary) return;
  entries.add_count(prefix + "attention.key_length", head);
  entries.add_count(prefix + "attention.value_length", head);
  if (architecture == "qwen3" && shape.attention_biases != AttentionBiases::none)
    throw ConfigError("llama.cpp has no such biases of attention in the architecture qwen3");
  add_rotation(prefix, shape, head, entries);
  if (const int version = gemma_version(architecture); version > 0)
    add_gguf_gemma(shape, version, prefix, entries);
  if (shape.experts > 0) add_gguf_experts(shape, entries);
}

}  // namespace attend
