// Checkpoints of fairseq (Ott et al. 2019): Transformers that translate.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/families/bart/bart_type.h"
#include "attend/interchange/families/checkpoints/checkpoint_model.h"
#include "attend/interchange/families/checkpoints/subwords.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/translation/model.h"

namespace attend {

namespace {

constexpr int kFairseqPad = 1;

// The settings of the model and of its task: one namespace of all options, or one for each.
struct FairseqSettings {
  ForeignConfig model, task;
  std::string subwords;  // the kind that was named in training; empty: none
};

// {"encoder": {"layers": 6}} is encoder_layers.
nlohmann::json flattened(nlohmann::json settings) {
  for (const char* side : {"encoder", "decoder", "quant_noise"}) {
    const auto found = settings.find(side);
    if (found == settings.end() || !found->is_object()) continue;
    const nlohmann::json nested = *found;
    settings.erase(found);
    for (const auto& [key, value] : nested.items())
      settings[fmt::format("{}_{}", side, key)] = value;
  }
  return settings;
}

std::string text_in(const nlohmann::json& settings, const char* key) {
  const auto found = settings.is_object() ? settings.find(key) : settings.end();
  return found != settings.end() && found->is_string() ? found->get<std::string>() : "";
}

FairseqSettings read_fairseq_settings(const OpenedCheckpoint& checkpoint) {
  const std::string path = checkpoint.path();
  if (const PickleValue* const args = checkpoint.find("args")) {
    const nlohmann::json all = pickled_json(checkpoint.file.pickle(), *args);
    return {{all, path + ", args"}, {all, path + ", args"}, text_in(all, "bpe")};
  }
  const nlohmann::json all = pickled_json(checkpoint.file.pickle(), *checkpoint.find("cfg"));
  if (!all.is_object() || !all.contains("model") || !all["model"].is_object())
    throw DataError(path + ": expected settings of the model in cfg, found none");
  const nlohmann::json none = nlohmann::json::object(), bpe = all.value("bpe", none);
  return {{flattened(all["model"]), path + ", cfg.model"},
          {all.value("task", none), path + ", cfg.task"},
          text_in(bpe, "_name")};
}

// One value of both sides.
template <class Read>
auto same_of_both(ForeignConfig& config, const std::string& what, const Read& read) {
  const auto encoder = read("encoder_" + what), decoder = read("decoder_" + what);
  if (encoder != decoder)
    config.refuse("decoder_" + what, fmt::format("expected that of encoder_{}, {}", what, encoder));
  return encoder;
}

void refuse_other_fairseq_parts(ForeignConfig& config, int width) {
  for (const char* flag :
       {"adaptive_input", "tie_adaptive_weights", "tie_adaptive_proj", "no_cross_attention",
        "cross_self_attention", "char_inputs", "character_embeddings", "scale_fc", "scale_attn",
        "scale_heads", "scale_resids", "decoder_no_cross_attention"})
    config.require(flag, false);
  for (const char* count : {"quant_noise_pq", "quant_noise_scalar", "base_layers"})
    config.require(count, 0);
  for (const char* list :
       {"adaptive_softmax_cutoff", "encoder_layers_to_keep", "decoder_layers_to_keep",
        "encoder_xformers_att_config", "decoder_xformers_att_config"})
    config.require(list, "");
  for (const char* other : {"decoder_input_dim", "decoder_output_dim"})
    config.require(other, width);
  // These are for training, or for parts that are off.
  config.ignore({"encoder_embed_path", "decoder_embed_path", "encoder_layerdrop",
                 "decoder_layerdrop", "adaptive_softmax_dropout", "adaptive_softmax_factor",
                 "quant_noise_pq_block_size", "base_sublayers", "base_shuffle", "relu_dropout"});
}

Activation read_fairseq_activation(ForeignConfig& config) {
  constexpr Activation kActivations[] = {
      Activation::relu, Activation::gelu, Activation::gelu_tanh, Activation::gelu_tanh,
      Activation::tanh, Activation::none, Activation::swish};
  return kActivations[config.choice_or(
      "activation_fn", 0,
      {"relu", "gelu", "gelu_fast", "gelu_accurate", "tanh", "linear", "swish"})];
}

// What the names of the options of the model begin with; those of other parts of fairseq do not.
constexpr std::array<std::string_view, 17> kModelOptions{
    "encoder",   "decoder",  "share_",   "adaptive_",  "tie_",         "layernorm",
    "no_scale",  "no_token", "no_cross", "no_decoder", "cross_",       "quant_noise",
    "character", "char_",    "scale_",   "base_",      "merge_src_tgt"};

void ignore_other_fairseq_options(ForeignConfig& config) {
  for (const std::string& key : config.keys()) {
    const bool is_of_model =
        std::any_of(kModelOptions.begin(), kModelOptions.end(),
                    [&](std::string_view begin) { return key.starts_with(begin); });
    if (!is_of_model) config.ignore({key});
  }
  config.require_all_known();
}

int version_of(TensorTable& weights, const std::string& name) {
  return weights.contains(name) ? static_cast<int>(weights.read(name, {1}).span()[0]) : 1;
}

// Models before these versions did not normalize the output of their layers.
void read_fairseq_norms(ForeignConfig& config, TensorTable& weights, TransformerConfig& shape) {
  constexpr int kFirstOfEncoder = 2, kFirstOfDecoder = 3;
  shape.norm_first = same_of_both(config, "normalize_before", [&](const std::string& key) {
    return config.boolean_or(key, false);
  });
  shape.norm_embedding = config.boolean_or("layernorm_embedding", false);
  const bool never = config.boolean_or("no_decoder_final_norm", false);
  const bool encoder = version_of(weights, "model.encoder.version") >= kFirstOfEncoder,
             decoder = version_of(weights, "model.decoder.version") >= kFirstOfDecoder && !never;
  if (!shape.norm_first) return;
  if (encoder != decoder)
    config.refuse("no_decoder_final_norm",
                  "only the output of both stacks, or of none, can be normalized");
  if (!encoder) shape.norm_output = OutputNorm::off;
}

// Rows of a learned table behind those of no position.
int positions_in(const TensorTable& weights, const std::string& name) {
  const ForeignTensor* const table = weights.find(name);
  if (table == nullptr || table->shape.size() != 2 || table->shape[0] <= kFairseqPad + 1 ||
      table->shape[0] > (1 << 20))
    throw DataError(fmt::format("{}: expected a table of positions {}", weights.where(), name));
  return static_cast<int>(table->shape[0]) - kFairseqPad - 1;
}

void read_fairseq_positions(ForeignConfig& config, const TensorTable& weights,
                            TransformerConfig& shape) {
  const bool is_learned = same_of_both(
      config, "learned_pos", [&](const std::string& key) { return config.boolean_or(key, false); });
  shape.positions = PositionKind::sinusoidal_t2t;
  shape.first_position = kFairseqPad + 1;
  if (config.boolean_or("no_token_positional_embeddings", false)) {
    shape.positions = PositionKind::none;
    shape.first_position = 0;
  } else if (is_learned) {
    shape.positions = PositionKind::learned;
    shape.first_position = 0;
    shape.max_positions = positions_in(weights, "model.encoder.embed_positions.weight");
    if (positions_in(weights, "model.decoder.embed_positions.weight") != shape.max_positions)
      throw DataError(weights.where() +
                      ": the encoder and the decoder have tables of different numbers of positions "
                      "(max_source_positions, max_target_positions), which is not supported");
  } else if (shape.d_model % 2 != 0) {
    config.refuse("encoder_embed_dim", "sinusoids need an even number");
  }
}

TransformerConfig read_fairseq_shape(ForeignConfig& config, TensorTable& weights) {
  TransformerConfig shape;
  const auto whole = [&](const NumberRange& range) {
    return [&config, range](const std::string& key) { return read_int(config, key, range); };
  };
  shape.d_model = same_of_both(config, "embed_dim", whole(kWidths));
  shape.d_ff = same_of_both(config, "ffn_embed_dim", whole(between(1, 1e6)));
  shape.n_heads = same_of_both(config, "attention_heads", whole(kHeadCounts));
  shape.n_encoder_layers = read_int(config, "encoder_layers", kLayerCounts);
  shape.n_decoder_layers = read_int(config, "decoder_layers", kLayerCounts);
  shape.activation = read_fairseq_activation(config);
  shape.dropout = read_dropout(config, "dropout", 0.1);
  shape.attention_dropout = read_dropout(config, "attention_dropout", 0.0);
  shape.activation_dropout = read_dropout(config, "activation_dropout", 0.0);
  if (config.boolean_or("no_scale_embedding", false)) shape.embedding_scale = 1.0f;
  read_fairseq_norms(config, weights, shape);
  read_fairseq_positions(config, weights, shape);
  refuse_other_fairseq_parts(config, shape.d_model);
  return shape;
}

constexpr std::string_view kEncoderTable = "model.encoder.embed_tokens.weight",
                           kDecoderTable = "model.decoder.embed_tokens.weight",
                           kProjection = "model.decoder.output_projection.weight",
                           kOlderProjection = "model.decoder.embed_out";

// The settings say which tables are one. Where a file repeats one, the copies are equal.
ForeignEmbeddings read_fairseq_ties(ForeignConfig& config, TensorTable& weights) {
  const bool all = config.boolean_or("share_all_embeddings", false),
             target = config.boolean_or("share_decoder_input_output_embed", false) || all;
  const bool inputs = config.boolean_or("merge_src_tgt_embed", false) || all;
  const TiedEmbeddings tied = all || (inputs && target) ? TiedEmbeddings::all
                              : inputs                  ? TiedEmbeddings::inputs
                              : target                  ? TiedEmbeddings::target
                                                        : TiedEmbeddings::none;
  const auto require_one = [&](std::string_view copy, std::string_view table) {
    if (weights.contains(copy) && !same_tables(weights, copy, table))
      throw DataError(fmt::format("{}: {} and {} are one table by the settings, but differ",
                                  weights.where(), copy, table));
  };
  if (inputs) require_one(kEncoderTable, kDecoderTable);
  if (target) require_one(kProjection, kDecoderTable);
  const std::string_view output = target                          ? kDecoderTable
                                  : weights.contains(kProjection) ? kProjection
                                                                  : kOlderProjection;
  return named_embeddings(tied, inputs ? kDecoderTable : kEncoderTable, kDecoderTable, output);
}

constexpr ForeignLayout kAsItIs = ForeignLayout::same;
// Older names. The weights of queries, keys and values were one tensor.
constexpr const char *kSelfWeights = "model.#.layers.*.self_attn.in_proj_weight",
                     *kSelfBiases = "model.#.layers.*.self_attn.in_proj_bias",
                     *kCrossWeights = "model.decoder.layers.*.encoder_attn.in_proj_weight",
                     *kCrossBiases = "model.decoder.layers.*.encoder_attn.in_proj_bias";
constexpr std::array kOlderSelfNames{
    NameRule{"#.layers.*.self_attn.q_proj.weight", kSelfWeights, kAsItIs, {0, 3}},
    NameRule{"#.layers.*.self_attn.k_proj.weight", kSelfWeights, kAsItIs, {1, 3}},
    NameRule{"#.layers.*.self_attn.v_proj.weight", kSelfWeights, kAsItIs, {2, 3}},
    NameRule{"#.layers.*.self_attn.q_proj.bias", kSelfBiases, kAsItIs, {0, 3}},
    NameRule{"#.layers.*.self_attn.k_proj.bias", kSelfBiases, kAsItIs, {1, 3}},
    NameRule{"#.layers.*.self_attn.v_proj.bias", kSelfBiases, kAsItIs, {2, 3}},
};
constexpr std::array kOlderCrossNames{
    NameRule{"decoder.layers.*.cross_attn.q_proj.weight", kCrossWeights, kAsItIs, {0, 3}},
    NameRule{"decoder.layers.*.cross_attn.k_proj.weight", kCrossWeights, kAsItIs, {1, 3}},
    NameRule{"decoder.layers.*.cross_attn.v_proj.weight", kCrossWeights, kAsItIs, {2, 3}},
    NameRule{"decoder.layers.*.cross_attn.q_proj.bias", kCrossBiases, kAsItIs, {0, 3}},
    NameRule{"decoder.layers.*.cross_attn.k_proj.bias", kCrossBiases, kAsItIs, {1, 3}},
    NameRule{"decoder.layers.*.cross_attn.v_proj.bias", kCrossBiases, kAsItIs, {2, 3}},
};
constexpr std::array kOlderNormNames{
    NameRule{"#.layers.*.norm1.*", "model.#.layers.*.layer_norms.0.*"},
    NameRule{"#.layers.*.norm2.*", "model.#.layers.*.layer_norms.1.*"},
    NameRule{"#.layers.*.norm3.*", "model.#.layers.*.layer_norms.2.*"},
};

NameMap fairseq_names(const TensorTable& weights, const ForeignEmbeddings& embeddings) {
  std::vector<NameRule> first(embeddings.names);
  const auto add_if = [&](std::string_view holds, std::span<const NameRule> rules) {
    if (weights.contains(holds)) first.insert(first.end(), rules.begin(), rules.end());
  };
  add_if("model.encoder.layers.0.self_attn.in_proj_weight", kOlderSelfNames);
  add_if("model.decoder.layers.0.encoder_attn.in_proj_weight", kOlderCrossNames);
  add_if("model.encoder.layers.0.layer_norms.0.weight", kOlderNormNames);
  return bart_type_names(first);
}

LanguagePair languages_of(const ModelDirectory& directory, ForeignConfig& task) {
  LanguagePair pair{task.text_or("source_lang", ""), task.text_or("target_lang", "")};
  if (pair.source.empty() || pair.target.empty())
    throw DataError(
        fmt::format("{}: expected source_lang and target_lang in the settings, which name "
                    "dict.SOURCE.txt and dict.TARGET.txt, found none",
                    directory.path()));
  return pair;
}

struct FairseqTokenizers {
  Tokenizer source, target;
};

FairseqTokenizers read_fairseq_texts(const ModelDirectory& directory, const LanguagePair& languages,
                                     const std::string& subwords,
                                     std::vector<std::string>& remarks) {
  const bool is_known = subwords.empty() || subwords == "subword_nmt" || subwords == "fastbpe" ||
                        subwords == "sentencepiece";
  if (!is_known)
    throw DataError(fmt::format(
        "{}: its words are split by {}; subword_nmt, fastbpe and sentencepiece are supported",
        directory.path(), quote(subwords)));
  const SubwordFile file = find_subwords(directory);
  remark_subwords(file, remarks);
  const auto tokenizer = [&](const std::string& language) {
    VocabularyOrder order{
        .pieces = read_fairseq_dictionary(directory, fmt::format("dict.{}.txt", language)),
        .controls = {},
        .special = {"<s>", "</s>", "<pad>", "<unk>"}};
    if (file.kind == SubwordFile::Kind::sentencepiece)
      remark_unknown_pieces(file.name, directory.text(file.name), order, remarks);
    return subword_tokenizer(directory, file, order);
  };
  Tokenizer source = tokenizer(languages.source), target = tokenizer(languages.target);
  return {source, source.bytes() == target.bytes() ? source : target};
}

// fairseq-generate searches with these options unless it is told otherwise.
ModelDecoding fairseq_decoding() {
  ModelDecoding decoding;
  decoding.beam_size = 5;
  decoding.length_penalty = 1.0f;
  decoding.min_length = 1;
  return decoding;
}

}  // namespace

CheckpointModel read_fairseq(const OpenedCheckpoint& checkpoint) {
  FairseqSettings settings = read_fairseq_settings(checkpoint);
  settings.task.require("prepend_bos", false);
  if (settings.task.has("task")) settings.task.require("task", "translation");
  if (settings.task.has("_name")) settings.task.require("_name", "translation");
  // The architectures that are plain Transformers.
  settings.model.choice(
      settings.model.has("arch") ? "arch" : "_name",
      {"transformer", "transformer_tiny", "transformer_iwslt_de_en", "transformer_wmt_en_de",
       "transformer_vaswani_wmt_en_de_big", "transformer_vaswani_wmt_en_fr_big",
       "transformer_wmt_en_de_big", "transformer_wmt_en_de_big_t2t"});
  TensorTable weights(checkpoint.path());
  checkpoint.file.add_tensors(*checkpoint.find("model"), "model.", weights);
  TransformerConfig shape = read_fairseq_shape(settings.model, weights);
  const ForeignEmbeddings embeddings = read_fairseq_ties(settings.model, weights);
  shape.tie_embeddings = embeddings.tied;
  ignore_other_fairseq_options(settings.model);
  CheckpointModel read{{nullptr, fairseq_names(weights, embeddings)},
                       std::move(weights),
                       "fairseq",
                       "fairseq",
                       languages_of(checkpoint.directory, settings.task)};
  ForeignModel& foreign = read.foreign;
  auto [source, target] =
      read_fairseq_texts(checkpoint.directory, read.languages, settings.subwords, foreign.remarks);
  if (shares_inputs(shape.tie_embeddings) && source.bytes() != target.bytes())
    throw DataError(checkpoint.directory.path() +
                    ": its settings share embeddings of source and target, but the dictionaries "
                    "differ");
  shape.src_vocab_size = source.vocab_size();
  shape.tgt_vocab_size = target.vocab_size();
  TranslationModel model(std::shared_ptr<EncoderDecoder>(make_encoder_decoder(shape)),
                         std::move(source), std::move(target), fairseq_decoding());
  const std::int32_t eos = model.special().eos;
  model.format.marks = {{}, {model.src_tokenizer.eos_id()}, {eos}};
  model.suppressed = {model.special().pad};
  foreign.model = std::make_shared<TranslationModel>(std::move(model));
  // Copies of others: fairseq makes those of a layer when it loads a model.
  foreign.ignorable = {kEncoderTable,
                       kDecoderTable,
                       kProjection,
                       "model.*.embed_positions._float_tensor",
                       "model.encoder.layers.*.in_proj_weight",
                       "model.encoder.layers.*.in_proj_bias",
                       "model.encoder.layers.*.out_proj_weight",
                       "model.encoder.layers.*.out_proj_bias",
                       "model.encoder.layers.*.fc1_weight",
                       "model.encoder.layers.*.fc1_bias",
                       "model.encoder.layers.*.fc2_weight",
                       "model.encoder.layers.*.fc2_bias"};
  if (shape.positions != PositionKind::learned)
    foreign.ignorable.push_back("model.*.embed_positions.weights");
  return read;
}

}  // namespace attend
