// T5Gemma (Zhang et al. 2025), as transformers has it: an encoder and a decoder of the layers of
// Gemma 2, each with settings of its own.
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "attend/interchange/families/bart/bart_type_writing.h"
#include "attend/interchange/families/decoders/gemma.h"
#include "attend/interchange/families/decoders/llama_family.h"
#include "attend/interchange/families/generation.h"
#include "attend/interchange/families/layer_types.h"
#include "attend/interchange/families/tied_embeddings.h"
#include "attend/interchange/families/two_stacks.h"
#include "attend/interchange/weights/foreign_weights.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/translation/model.h"

namespace attend {

namespace {

constexpr std::array kT5Gemma{
    NameRule{"#.layers.*.norm1.*", "model.#.layers.*.pre_self_attn_layernorm.*", kLessOne},
    NameRule{"#.layers.*.norm1_branch.*", "model.#.layers.*.post_self_attn_layernorm.*", kLessOne},
    NameRule{"decoder.layers.*.norm2.*", "model.decoder.layers.*.pre_cross_attn_layernorm.*",
             kLessOne},
    NameRule{"decoder.layers.*.norm2_branch.*",
             "model.decoder.layers.*.post_cross_attn_layernorm.*", kLessOne},
    NameRule{"encoder.layers.*.norm2.*", "model.encoder.layers.*.pre_feedforward_layernorm.*",
             kLessOne},
    NameRule{"encoder.layers.*.norm2_branch.*",
             "model.encoder.layers.*.post_feedforward_layernorm.*", kLessOne},
    NameRule{"decoder.layers.*.norm3.*", "model.decoder.layers.*.pre_feedforward_layernorm.*",
             kLessOne},
    NameRule{"decoder.layers.*.norm3_branch.*",
             "model.decoder.layers.*.post_feedforward_layernorm.*", kLessOne},
    NameRule{"#.layers.*.self_attn.out_proj.*", "model.#.layers.*.self_attn.o_proj.*"},
    NameRule{"#.layers.*.self_attn.*", "model.#.layers.*.self_attn.*"},
    NameRule{"#.layers.*.cross_attn.out_proj.*", "model.#.layers.*.cross_attn.o_proj.*"},
    NameRule{"#.layers.*.cross_attn.*", "model.#.layers.*.cross_attn.*"},
    NameRule{"#.layers.*.feed_forward.linear1.*", "model.#.layers.*.mlp.gate_proj.*"},
    NameRule{"#.layers.*.feed_forward.linear_gate.*", "model.#.layers.*.mlp.up_proj.*"},
    NameRule{"#.layers.*.feed_forward.linear2.*", "model.#.layers.*.mlp.down_proj.*"},
    NameRule{"#.norm.*", "model.#.norm.*", kLessOne},
    NameRule{"src_embedding.weight", "model.encoder.embed_tokens.weight"},
    NameRule{"tgt_embedding.weight", "model.decoder.embed_tokens.weight"},
    NameRule{"output_proj.weight", "lm_head.out_proj.weight"},
};

// "encoder" or "decoder": a stack, its layers and its vocabulary.
LanguageTransformerConfig read_stack(ForeignConfig& config) {
  ignore_common_settings(config);
  config.ignore({"model_type", "attention_dropout", "dropout_rate", "cross_attention_hidden_size",
                 "num_hidden_layers"});
  LanguageTransformerConfig stack = read_unrotated_llama_shape(
      config, {.head_dim = 256, .activation = "hidden_activation", .tied = true});
  stack.embedding_scale = 0.0f;
  stack.attention_biases = read_attention_bias(config);
  stack.norm_first = stack.norm_branch = true;
  stack.attention.inverse_temperature = read_query_scale(config);
  stack.attention_cap = read_gemma_cap(config, "attn_logit_softcapping", 50);
  stack.logit_cap = read_gemma_cap(config, "final_logit_softcapping", 30);
  stack.rotary = read_rotary(config);
  std::vector<LayerKind> kinds(static_cast<std::size_t>(stack.n_layers), LayerKind::local);
  for (std::size_t i = 1; i < kinds.size(); i += 2) kinds[i] = LayerKind::global;
  set_layers(read_layer_types(config, kinds),
             static_cast<int>(config.integer_or("sliding_window", 4096, kWindows)), stack);
  return stack;
}

TransformerConfig read_t5gemma_shape(ForeignConfig& config, const std::string& where) {
  LanguageTransformerConfig encoder = read_stack(config.object("encoder")),
                            decoder = read_stack(config.object("decoder"));
  // The encoder's window includes its last token on both sides.
  if (encoder.attention_window > 0) ++encoder.attention_window;
  for (LanguageTransformerConfig* stack : {&encoder, &decoder}) {
    stack->dropout = stack->activation_dropout = read_dropout(config, "dropout_rate", 0.0);
    stack->attention_dropout = read_dropout(config, "attention_dropout", 0.0);
  }
  TransformerConfig shape;
  static_cast<StackConfig&>(shape) = encoder;
  shape.n_encoder_layers = encoder.n_layers;
  shape.n_decoder_layers = decoder.n_layers;
  shape.src_vocab_size = encoder.vocab_size;
  shape.tgt_vocab_size = decoder.vocab_size;
  shape.logit_cap = decoder.logit_cap;
  set_decoder(shape, decoder, where);
  return shape;
}

// The output projection is the decoder's table, unless the file has another one.
TiedEmbeddings read_ties(const ModelDirectory& directory, ForeignConfig& config) {
  if (!config.boolean_or("tie_word_embeddings", true)) return TiedEmbeddings::none;
  if (directory.is_in_memory()) return TiedEmbeddings::target;
  TensorTable weights = open_huggingface_weights(directory);
  const NameMap names(kT5Gemma);
  const std::string output = names.theirs("output_proj.weight").name;
  return !weights.contains(output) ||
                 same_tables(weights, output, names.theirs("tgt_embedding.weight").name)
             ? TiedEmbeddings::target
             : TiedEmbeddings::none;
}

}  // namespace

ForeignModel read_t5gemma(const ModelDirectory& directory, ForeignConfig& config) {
  config.require("is_encoder_decoder", true);
  ignore_common_settings(config);
  config.ignore({"classifier_dropout_rate", "initializer_range", "pad_token_id", "vocab_size"});
  TransformerConfig shape = read_t5gemma_shape(config, directory.path() + "/config.json");
  shape.tie_embeddings = read_ties(directory, config);
  const ForeignTokenizer read = read_tokenizer_of(directory, shape.tgt_vocab_size);
  require_vocabulary(directory, read.tokenizer, shape.src_vocab_size);
  GenerationSettings generation = read_generation(directory, config, shape.tgt_vocab_size);
  // The token that texts begin with, which the settings of the decoder repeat. config.json counts
  // where the other file names none.
  if (const auto start = beginning_of_generation(directory, shape.tgt_vocab_size))
    generation.start = start;
  if (!generation.start)
    generation.start =
        read_int(config.object("decoder"), "bos_token_id", between(0, shape.tgt_vocab_size - 1));
  config.ignore({"bos_token_id", "eos_token_id"});
  PairFormat format{.marks = {read.prefix, read.suffix, {*generation.start}}};
  if (generation.first) format.marks.before_target.push_back(*generation.first);
  TranslationModel model(make_encoder_decoder(shape), read.tokenizer, read.tokenizer,
                         generation.after(format.marks.of_target()));
  model.format = std::move(format);
  model.suppressed = generation.suppressed;
  if (!generation.ends.empty()) model.ends = generation.ends;
  ForeignModel foreign{nullptr, NameMap(kT5Gemma)};
  const std::vector<std::int32_t> fillers = fillers_of(read.tokenizer);
  model.suppressed.insert(model.suppressed.end(), fillers.begin(), fillers.end());
  remark_fillers(read.tokenizer, foreign.remarks);
  foreign.model = std::make_shared<TranslationModel>(std::move(model));
  if (shape.tie_embeddings == TiedEmbeddings::target)
    foreign.ignorable.push_back("lm_head.out_proj.weight");
  return foreign;
}

namespace {

nlohmann::ordered_json stack_json(const StackConfig& stack, int layers, int window,
                                  const nlohmann::ordered_json& ids) {
  nlohmann::ordered_json config{
      {"model_type", "t5_gemma_module"},
      {"hidden_size", stack.d_model},
      {"intermediate_size", stack.d_ff},
      {"num_hidden_layers", layers},
      {"num_attention_heads", stack.n_heads},
      {"num_key_value_heads", stack.n_key_heads > 0 ? stack.n_key_heads : stack.n_heads},
      {"head_dim", stack.key_width()},
      {"hidden_activation", stack.activation == Activation::gelu_tanh
                                ? "gelu_pytorch_tanh"
                                : write_activation(stack.activation)},
      {"rms_norm_eps", stack.norm.epsilon},
      {"attention_bias", stack.attention_biases == AttentionBiases::all},
      {"query_pre_attn_scalar", query_scalar(stack)},
      {"attn_logit_softcapping", gemma_cap(stack.attention_cap)},
      {"layer_types", layer_types_json(stack.kinds_of_layers(layers))}};
  if (window > 0) config["sliding_window"] = window;
  add_rotary(config, stack);
  config.update(ids);
  return config;
}

}  // namespace

std::optional<TextFiles> write_t5gemma(const SavedModel& saved, Checkpoint& equal) {
  const TranslationModel* const model = as_transformer(saved);
  if (model == nullptr || !model->format.languages.empty()) return std::nullopt;
  if (model->tokenizers().size() > 1) throw ConfigError("two vocabularies");
  const auto shape = std::get<TransformerConfig>(model->network->architecture());
  const StackConfig decoder = shape.decoder();
  const SpecialTokens special = model->special();
  const nlohmann::ordered_json ids{{"vocab_size", model->tgt_tokenizer.vocab_size()},
                                   {"pad_token_id", padding_of(special)},
                                   {"eos_token_id", special.eos},
                                   {"bos_token_id", model->format.marks.before_target.front()}};
  nlohmann::ordered_json of_decoder =
      stack_json(decoder, shape.n_decoder_layers, decoder.attention_window, ids);
  of_decoder["final_logit_softcapping"] = gemma_cap(shape.logit_cap);
  nlohmann::ordered_json config{
      {"model_type", "t5gemma"},
      {"architectures", {"T5GemmaForConditionalGeneration"}},
      {"is_encoder_decoder", true},
      {"tie_word_embeddings", shape.tie_embeddings == TiedEmbeddings::target},
      {"dropout_rate", shape.dropout},
      {"attention_dropout", shape.attention_dropout},
      {"dtype", "float32"},
      {"encoder", stack_json(shape, shape.n_encoder_layers, shape.attention_window - 1, ids)},
      {"decoder", of_decoder}};
  config.update(ids);
  round_gains(equal, NameMap(kT5Gemma));
  TextFiles files;
  files["config.json"] = write_json(config);
  files[kGenerationConfig] = write_json(generation_json(*model, kUsualLength));
  const PairSpecialTokens& marks = model->format.marks;
  write_tokenizer_files(model->tgt_tokenizer, {marks.before_source, marks.after_source}, {}, files,
                        equal);
  return files;
}

}  // namespace attend
