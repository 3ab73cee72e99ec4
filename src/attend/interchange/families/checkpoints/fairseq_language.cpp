// Language models of fairseq: transformer_lm and its architectures.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

#include "attend/error.h"
#include "attend/interchange/families/bart/bart_type.h"
#include "attend/interchange/families/checkpoints/fairseq_parts.h"
#include "attend/interchange/families/tied_embeddings.h"
#include "attend/models/language_transformer.h"
#include "attend/tasks/language/model.h"

namespace attend {

namespace {

constexpr std::string_view kTable = "model.decoder.embed_tokens.weight",
                           kOutput = "model.decoder.output_projection.weight",
                           kOlderOutput = "model.decoder.embed_out",
                           kPositions = "model.decoder.embed_positions.weight";
constexpr NumberRange kContexts = between(1, 1 << 20);

// A projection between the widths of embeddings and layers goes both ways, or there is none.
int read_width_of_embeddings(ForeignConfig& config, int d_model) {
  const auto width = [&](const char* key) {
    return static_cast<int>(config.integer_or(key, d_model, kWidths));
  };
  const int input = width("decoder_input_dim");
  if (width("decoder_output_dim") != input)
    config.refuse("decoder_output_dim", fmt::format("expected that of decoder_input_dim, {}; other "
                                                    "widths are not supported",
                                                    input));
  return input == d_model ? 0 : input;
}

// Models before version 3 did not normalize the output of their layers, nor do those of a time when
// an option asked for it.
void read_output_norm(ForeignConfig& config, TensorTable& weights, StackConfig& shape) {
  constexpr int kFirst = 3;
  bool never = config.boolean_or("no_decoder_final_norm", false);
  if (config.mentions("no_tie_adaptive_proj")) never = true;
  if (config.has("decoder_final_norm")) never = !config.boolean("decoder_final_norm");
  if (never || fairseq_version(weights, "model.decoder.version") < kFirst)
    shape.norm_output = OutputNorm::off;
}

// Returns the length of a text.
int read_context(ForeignConfig& config, ForeignConfig& task, const TensorTable& weights,
                 LanguageTransformerConfig& shape) {
  const auto tokens = static_cast<int>(task.integer_or("tokens_per_sample", 1024, kContexts));
  const auto longest = static_cast<int>(task.integer_or("max_target_positions", tokens, kContexts));
  const bool is_learned = config.boolean_or("decoder_learned_pos", false);
  if (config.boolean_or("no_token_positional_embeddings", false)) {
    shape.positions = PositionKind::none;
    return longest;
  }
  if (is_learned) {
    shape.positions = PositionKind::learned;
    return shape.max_positions = fairseq_positions_in(weights, std::string(kPositions));
  }
  if (shape.d_model % 2 != 0) config.refuse("decoder_embed_dim", "sinusoids need an even number");
  shape.positions = PositionKind::sinusoidal_t2t;
  shape.first_position = kFairseqPad + 1;
  return longest;
}

LanguageTransformerConfig read_language_shape(ForeignConfig& config, TensorTable& weights) {
  LanguageTransformerConfig shape;
  shape.d_model = read_int(config, "decoder_embed_dim", kWidths);
  shape.d_ff = read_int(config, "decoder_ffn_embed_dim", between(1, 1e6));
  shape.n_heads = read_int(config, "decoder_attention_heads", kHeadCounts);
  shape.n_layers = read_int(config, "decoder_layers", kLayerCounts);
  shape.embedding_width = read_width_of_embeddings(config, shape.d_model);
  shape.norm_first = config.boolean("decoder_normalize_before");
  shape.tied = config.boolean_or("share_decoder_input_output_embed", false);
  if (shape.tied && weights.contains(kOutput) && !same_tables(weights, kOutput, kTable))
    throw DataError(fmt::format("{}: {} and {} are one table by the settings, but differ",
                                weights.where(), kOutput, kTable));
  read_fairseq_parts(config, shape);
  read_output_norm(config, weights, shape);
  config.require("character_embeddings", false);
  refuse_other_fairseq_parts(config);
  config.ignore({"character_filters", "character_embedding_dim", "char_embedder_highway_layers",
                 "adaptive_input_factor", "adaptive_input_cutoff"});
  return shape;
}

constexpr std::array kLanguageNames{
    NameRule{"embedding.weight", kTable},
    NameRule{"norm.*", "model.decoder.layernorm_embedding.*"},
    NameRule{"positions.weight", kPositions, ForeignLayout::behind_two},
    NameRule{"embedding_projection.weight", "model.decoder.project_in_dim.weight"},
    NameRule{"decoder.narrowing.weight", "model.decoder.project_out_dim.weight"},
};
constexpr std::array kSecondNorm{
    NameRule{"decoder.layers.*.norm2.*", "model.decoder.layers.*.final_layer_norm.*"}};
constexpr std::array kOlderNorms{
    NameRule{"decoder.layers.*.norm1.*", "model.decoder.layers.*.layer_norms.0.*"},
    NameRule{"decoder.layers.*.norm2.*", "model.decoder.layers.*.layer_norms.2.*"}};

NameMap language_names(const TensorTable& weights) {
  std::vector<NameRule> first(kLanguageNames.begin(), kLanguageNames.end());
  first.push_back({"output_proj.weight", weights.contains(kOutput) ? kOutput : kOlderOutput});
  add_older_fairseq_names(weights, "decoder", first);
  if (weights.contains("model.decoder.layers.0.layer_norms.0.weight"))
    first.insert(first.end(), kOlderNorms.begin(), kOlderNorms.end());
  first.insert(first.end(), kSecondNorm.begin(), kSecondNorm.end());
  return bart_type_names(first);
}

// Other models predict other tokens than the next of the whole dictionary.
void require_next_tokens(ForeignConfig& task) {
  task.require("output_dictionary_size", -1);
  for (const char* other : {"self_target", "past_target"}) task.require(other, false);
}

}  // namespace

CheckpointModel read_fairseq_language(const OpenedCheckpoint& checkpoint,
                                      FairseqSettings settings) {
  require_next_tokens(settings.task);
  TensorTable weights(checkpoint.path());
  checkpoint.file.add_tensors(*checkpoint.find("model"), "model.", weights);
  LanguageTransformerConfig shape = read_language_shape(settings.model, weights);
  LanguageOptions context;
  context.sequence_length = read_context(settings.model, settings.task, weights, shape);
  ignore_other_fairseq_options(settings.model);
  ForeignModel foreign{nullptr, language_names(weights)};
  const ModelDirectory& directory = checkpoint.directory;
  const SubwordFile subwords = find_fairseq_subwords(directory, settings.subwords, foreign.remarks);
  Tokenizer tokenizer = fairseq_tokenizer(directory, subwords, "dict.txt", foreign.remarks);
  shape.vocab_size = tokenizer.vocab_size();
  LanguageModel model(std::make_shared<LanguageTransformer>(shape), std::move(tokenizer), context);
  const SpecialTokens special = model.tokenizer.special_tokens();
  const bool has_bos = settings.task.boolean_or("add_bos_token", false);
  model.text = text_of_lines(has_bos ? special.bos : special.eos, special.eos);
  model.text.forbidden = {{special.pad}};
  foreign.model = std::make_shared<LanguageModel>(std::move(model));
  foreign.ignorable = {"model.decoder.version", "model.decoder.embed_positions._float_tensor"};
  if (shape.tied) foreign.ignorable.push_back(kOutput);
  if (shape.positions == PositionKind::sinusoidal_t2t)
    foreign.ignorable.push_back("model.decoder.embed_positions.weights");
  return {std::move(foreign), std::move(weights), "fairseq", "fairseq"};
}

}  // namespace attend
