// The architecture "t5" of llama.cpp.
#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "attend/error.h"
#include "attend/interchange/families/families.h"
#include "attend/interchange/families/gguf/gguf_config.h"
#include "attend/interchange/families/gguf/gguf_directory.h"
#include "attend/interchange/families/gguf/gguf_text_tokenizer.h"
#include "attend/tasks/translation/model.h"

namespace attend {

namespace {

constexpr std::array kGgufT5{
    NameRule{"embedding.weight", "token_embd.weight"},
    NameRule{"output_proj.weight", "output.weight"},
    NameRule{"encoder.relative_positions.weight", "enc.blk.0.attn_rel_b.weight"},
    NameRule{"decoder.relative_positions.weight", "dec.blk.0.attn_rel_b.weight"},
    NameRule{"encoder.norm.*", "enc.output_norm.*"},
    NameRule{"decoder.norm.*", "dec.output_norm.*"},
    NameRule{"encoder.layers.*.norm1.*", "enc.blk.*.attn_norm.*"},
    NameRule{"decoder.layers.*.norm1.*", "dec.blk.*.attn_norm.*"},
    NameRule{"encoder.layers.*.norm2.*", "enc.blk.*.ffn_norm.*"},
    NameRule{"decoder.layers.*.norm2.*", "dec.blk.*.cross_attn_norm.*"},
    NameRule{"decoder.layers.*.norm3.*", "dec.blk.*.ffn_norm.*"},
};
// Parts of a layer by their names in both stacks.
constexpr std::array<std::pair<const char*, const char*>, 9> kT5Parts{{
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.out_proj", "attn_o"},
    {"self_attn.relative_positions", "attn_rel_b"},
    {"cross_attn.q_proj", "cross_attn_q"},
    {"cross_attn.k_proj", "cross_attn_k"},
    {"cross_attn.v_proj", "cross_attn_v"},
    {"cross_attn.out_proj", "cross_attn_o"},
}};

constexpr const char* kStartKey = "t5.decoder_start_token_id";
// The distance from which on llama.cpp takes all for equally far.
constexpr int kT5Distance = 128;

}  // namespace

GgufDirectory read_gguf_t5(ForeignConfig& metadata, const TensorTable& tensors) {
  ignore_gguf_descriptions(metadata);
  GgufTokenizer tokenizer = read_gguf_text_tokenizer(metadata);
  metadata.require("t5.vocab_size", tokenizer.pieces);
  metadata.ignore({"t5.context_length"});  // which T5 does not have
  const double epsilon = read_gguf_epsilon(metadata, "t5.attention.layer_norm_rms_epsilon");
  metadata.ignore({"t5.attention.layer_norm_epsilon"});
  const std::int64_t heads = metadata.integer("t5.attention.head_count", kHeadCounts),
                     width = metadata.integer("t5.embedding_length", kWidths),
                     head = metadata.integer_or("t5.attention.key_length", width / heads, kWidths),
                     layers = metadata.integer("t5.block_count", kLayerCounts);
  metadata.require("t5.attention.head_count_kv", heads);
  metadata.require("t5.attention.value_length", head);
  const bool has_own_positions = tensors.contains("enc.blk.1.attn_rel_b.weight"),  // umT5
      is_gated = tensors.contains("enc.blk.0.ffn_gate.weight"),
             is_tied = !tensors.contains("output.weight");
  const std::int64_t start = metadata.integer_or(
                         kStartKey, 0, between(0, static_cast<double>(tokenizer.pieces - 1))),
                     end = metadata.integer_or("tokenizer.ggml.eos_token_id", 1, between(0, 1e9)),
                     pad =
                         metadata.integer_or("tokenizer.ggml.padding_token_id", 0, between(0, 1e9));
  return {
      {{"model_type", has_own_positions ? "umt5" : "t5"},
       {"architectures", {"T5ForConditionalGeneration"}},
       {"is_encoder_decoder", true},
       {"vocab_size", tokenizer.pieces},
       {"d_model", width},
       {"d_kv", head},
       {"d_ff", metadata.integer("t5.feed_forward_length", between(1, 1e6))},
       {"num_layers", layers},
       {"num_decoder_layers", metadata.integer_or("t5.decoder_block_count", layers, kLayerCounts)},
       {"num_heads", heads},
       {"feed_forward_proj", is_gated ? "gated-gelu" : "relu"},
       {"relative_attention_num_buckets",
        metadata.integer("t5.attention.relative_buckets_count", between(4, 4096))},
       {"relative_attention_max_distance", kT5Distance},
       {"layer_norm_epsilon", epsilon},
       {"tie_word_embeddings", is_tied},
       {"decoder_start_token_id", start},
       {"eos_token_id", end},
       {"pad_token_id", pad}},
      std::move(tokenizer.files)};
}

void write_gguf_t5(const nlohmann::json& config, const SavedModel& model, GgufEntries& entries) {
  const auto* const translator = dynamic_cast<const TranslationModel*>(&model);
  if (translator == nullptr || translator->tokenizers().size() > 1)
    throw ConfigError("llama.cpp has no such encoder-decoder; it has T5");
  entries.add("general.architecture", "t5");
  entries.add("general.type", "model");
  constexpr int kUsualContext = 512;
  entries.add_count("t5.context_length", kUsualContext);
  for (const auto& [theirs, ours] :
       {std::pair{"embedding_length", "d_model"},
        {"feed_forward_length", "d_ff"},
        {"block_count", "num_layers"},
        {"decoder_block_count", "num_decoder_layers"},
        {"attention.head_count", "num_heads"},
        {"attention.key_length", "d_kv"},
        {"attention.value_length", "d_kv"},
        {"attention.relative_buckets_count", "relative_attention_num_buckets"},
        {"decoder_start_token_id", "decoder_start_token_id"}})
    entries.add_count(fmt::format("t5.{}", theirs), config.at(ours));
  for (const char* epsilon : {"layer_norm_epsilon", "layer_norm_rms_epsilon"})
    entries.add_number(fmt::format("t5.attention.{}", epsilon), config.at("layer_norm_epsilon"));
  add_gguf_text_tokenizer(translator->tgt_tokenizer, {{}, {translator->tgt_tokenizer.eos_id()}},
                          entries);
}

NameMap gguf_t5_names(const nlohmann::json& config) {
  NameMap names(kGgufT5);
  const bool is_gated = config.at("feed_forward_proj") != "relu";
  const auto add = [&names](std::string_view stack, std::string_view ours,
                            std::string_view theirs) {
    const std::string mine = fmt::format("{}coder.layers.*.{}.*", stack, ours),
                      other = fmt::format("{}.blk.*.{}.*", stack == "en" ? "enc" : "dec", theirs);
    names.add(std::array{NameRule{mine, other}});
  };
  for (const char* stack : {"en", "de"}) {
    for (const auto& [ours, theirs] : kT5Parts) add(stack, ours, theirs);
    add(stack, "feed_forward.linear1", is_gated ? "ffn_gate" : "ffn_up");
    add(stack, "feed_forward.linear_gate", "ffn_up");
    add(stack, "feed_forward.linear2", "ffn_down");
  }
  return names;
}

}  // namespace attend
