// The architecture "bert" of llama.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/error.h"
#include "attend/interchange/families/families.h"
#include "attend/interchange/families/gguf/gguf_config.h"
#include "attend/interchange/families/gguf/gguf_directory.h"
#include "attend/interchange/families/gguf/gguf_text_tokenizer.h"
#include "attend/interchange/sentence_transformers.h"
#include "attend/tasks/embedding/model.h"

namespace attend {

namespace {

constexpr std::array kGgufBert{
    NameRule{"embedding.weight", "token_embd.weight"},
    NameRule{"positions.weight", "position_embd.weight"},
    NameRule{"token_types.weight", "token_types.weight"},
    NameRule{"norm.*", "token_embd_norm.*"},
    NameRule{"encoder.layers.*.self_attn.q_proj.*", "blk.*.attn_q.*"},
    NameRule{"encoder.layers.*.self_attn.k_proj.*", "blk.*.attn_k.*"},
    NameRule{"encoder.layers.*.self_attn.v_proj.*", "blk.*.attn_v.*"},
    NameRule{"encoder.layers.*.self_attn.out_proj.*", "blk.*.attn_output.*"},
    NameRule{"encoder.layers.*.norm1.*", "blk.*.attn_output_norm.*"},
    NameRule{"encoder.layers.*.feed_forward.linear1.*", "blk.*.ffn_up.*"},
    NameRule{"encoder.layers.*.feed_forward.linear2.*", "blk.*.ffn_down.*"},
    NameRule{"encoder.layers.*.norm2.*", "blk.*.layer_output_norm.*"},
};

// In the numbers of llama.cpp; 0: the vectors of tokens.
constexpr std::array<std::pair<std::int64_t, Pooling>, 3> kGgufPoolings{
    {{1, Pooling::mean}, {2, Pooling::first}, {3, Pooling::last}}};

constexpr const char *kBertPooling = "bert.pooling_type", *kBertCausal = "bert.attention.causal",
                     *kBertTypes = "tokenizer.ggml.token_type_count";

// nullopt: the file does not say.
std::optional<Pooling> read_gguf_pooling(ForeignConfig& metadata) {
  const std::int64_t number = metadata.integer_or(kBertPooling, 0, between(0, 100));
  for (const auto& [theirs, pooling] : kGgufPoolings)
    if (number == theirs) return pooling;
  if (number != 0)
    metadata.refuse(kBertPooling, "supported: 0 (none), 1 (mean), 2 (first token), 3 (last token)");
  return std::nullopt;
}

std::int64_t rows_of_types(ForeignConfig& metadata, const TensorTable& tensors) {
  for (const ForeignTensor& tensor : tensors.tensors())
    if (tensor.name == "token_types.weight" && !tensor.shape.empty()) {
      metadata.require(kBertTypes, tensor.shape.front());
      return tensor.shape.front();
    }
  metadata.ignore({kBertTypes});
  return 0;
}

}  // namespace

GgufDirectory read_gguf_bert(ForeignConfig& metadata, const TensorTable& tensors) {
  ignore_gguf_descriptions(metadata);
  GgufTokenizer tokenizer = read_gguf_text_tokenizer(metadata);
  metadata.require("bert.vocab_size", tokenizer.pieces);
  // Without it, llama.cpp lets no token see later ones.
  if (metadata.boolean(kBertCausal)) metadata.refuse(kBertCausal, "expected false");
  const std::int64_t context = metadata.integer("bert.context_length", between(3, 1e6)),
                     width = metadata.integer("bert.embedding_length", kWidths),
                     heads = metadata.integer("bert.attention.head_count", kHeadCounts);
  metadata.require("bert.attention.head_count_kv", heads);
  GgufDirectory read{
      {{"model_type", "bert"},
       {"architectures", {"BertModel"}},
       {"vocab_size", tokenizer.pieces},
       {"hidden_size", width},
       {"num_hidden_layers", metadata.integer("bert.block_count", kLayerCounts)},
       {"num_attention_heads", heads},
       {"intermediate_size", metadata.integer("bert.feed_forward_length", between(1, 1e6))},
       {"hidden_act", "gelu"},  // for which llama.cpp computes an approximation
       {"layer_norm_eps", read_gguf_epsilon(metadata, "bert.attention.layer_norm_epsilon")},
       {"max_position_embeddings", context},
       {"type_vocab_size", rows_of_types(metadata, tensors)}},
      std::move(tokenizer.files)};
  // Programs of llama.cpp scale vectors to length 1.
  if (const std::optional<Pooling> pooling = read_gguf_pooling(metadata))
    read.files.merge(write_sentence_modules(
        {.poolings = {*pooling}, .normalize = true, .length = static_cast<int>(context)}, width));
  return read;
}

void write_gguf_bert(const nlohmann::json& config, const SavedModel& model, GgufEntries& entries) {
  const auto* const embedder = dynamic_cast<const EmbeddingModel*>(&model);
  if (embedder == nullptr)
    throw ConfigError("llama.cpp has language models, embedding models and T5; the model is none");
  if (embedder->network->config().uncounted_token >= 0)
    throw ConfigError(
        "llama.cpp has no positions that leave out a token, as those of RoBERTa and XLM-R do");
  const std::vector<Pooling> poolings = embedder->network->config().poolings();
  const auto pooling = std::find_if(kGgufPoolings.begin(), kGgufPoolings.end(),
                                    [&](const auto& one) { return one.second == poolings[0]; });
  if (pooling == kGgufPoolings.end() || poolings.size() > 1)
    throw ConfigError("llama.cpp has no such pooling; it has mean, first and last");
  entries.add("general.architecture", "bert");
  entries.add("general.type", "model");
  for (const auto& [theirs, ours] : {std::pair{"context_length", "max_position_embeddings"},
                                     {"embedding_length", "hidden_size"},
                                     {"block_count", "num_hidden_layers"},
                                     {"feed_forward_length", "intermediate_size"},
                                     {"attention.head_count", "num_attention_heads"}})
    entries.add_count(fmt::format("bert.{}", theirs), config.at(ours));
  entries.add_number("bert.attention.layer_norm_epsilon", config.at("layer_norm_eps"));
  entries.add_flag(kBertCausal, false);
  entries.add_count(kBertPooling, pooling->first);
  entries.add_count(kBertTypes, config.at("type_vocab_size"));
  const SpecialTokens& special = embedder->tokenizer.special_tokens();
  add_gguf_text_tokenizer(embedder->tokenizer, {{special.bos}, {special.eos}}, entries);
}

NameMap gguf_bert_names(const nlohmann::json&) { return NameMap(kGgufBert); }

const GgufDirectoryKind* gguf_directory_kind(std::string_view architecture) {
  static constexpr std::array kKinds{
      GgufDirectoryKind{"bert", write_bert, read_gguf_bert, write_gguf_bert, gguf_bert_names},
      GgufDirectoryKind{"t5", write_t5, read_gguf_t5, write_gguf_t5, gguf_t5_names}};
  const auto found = std::find_if(kKinds.begin(), kKinds.end(), [&](const GgufDirectoryKind& kind) {
    return kind.architecture == architecture;
  });
  return found == kKinds.end() ? nullptr : &*found;
}

}  // namespace attend
