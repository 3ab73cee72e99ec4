// Checkpoints of fairseq (Ott et al. 2019), and its Transformers that translate.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

#include "attend/error.h"
#include "attend/interchange/families/bart/bart_type.h"
#include "attend/interchange/families/checkpoints/fairseq_parts.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/translation/model.h"

namespace attend {

namespace {

// One value of both sides.
template <class Read>
auto same_of_both(ForeignConfig& config, const std::string& what, const Read& read) {
  const auto encoder = read("encoder_" + what), decoder = read("decoder_" + what);
  if (encoder != decoder)
    config.refuse("decoder_" + what, fmt::format("expected that of encoder_{}, {}", what, encoder));
  return encoder;
}

void refuse_other_parts_of_translators(ForeignConfig& config, int width) {
  for (const char* flag : {"no_cross_attention", "cross_self_attention", "char_inputs",
                           "character_embeddings", "decoder_no_cross_attention"})
    config.require(flag, false);
  for (const char* list : {"encoder_layers_to_keep", "encoder_xformers_att_config"})
    config.require(list, "");
  for (const char* other : {"decoder_input_dim", "decoder_output_dim"})
    config.require(other, width);
  refuse_other_fairseq_parts(config);
  // These are for training.
  config.ignore({"encoder_embed_path", "encoder_layerdrop"});
}

// Models before these versions did not normalize the output of their layers.
void read_fairseq_norms(ForeignConfig& config, TensorTable& weights, TransformerConfig& shape) {
  constexpr int kFirstOfEncoder = 2, kFirstOfDecoder = 3;
  shape.norm_first = same_of_both(config, "normalize_before", [&](const std::string& key) {
    return config.boolean_or(key, false);
  });
  const bool never = config.boolean_or("no_decoder_final_norm", false);
  const bool encoder = fairseq_version(weights, "model.encoder.version") >= kFirstOfEncoder,
             decoder =
                 fairseq_version(weights, "model.decoder.version") >= kFirstOfDecoder && !never;
  if (!shape.norm_first) return;
  if (encoder != decoder)
    config.refuse("no_decoder_final_norm",
                  "only the output of both stacks, or of none, can be normalized");
  if (!encoder) shape.norm_output = OutputNorm::off;
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
    shape.max_positions = fairseq_positions_in(weights, "model.encoder.embed_positions.weight");
    if (fairseq_positions_in(weights, "model.decoder.embed_positions.weight") !=
        shape.max_positions)
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
  read_fairseq_parts(config, shape);
  read_fairseq_norms(config, weights, shape);
  read_fairseq_positions(config, weights, shape);
  refuse_other_parts_of_translators(config, shape.d_model);
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
constexpr const char *kCrossWeights = "model.decoder.layers.*.encoder_attn.in_proj_weight",
                     *kCrossBiases = "model.decoder.layers.*.encoder_attn.in_proj_bias";
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
  add_older_fairseq_names(weights, "encoder", first);
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

// fairseq-generate searches with these options unless it is told otherwise.
ModelDecoding fairseq_decoding() {
  ModelDecoding decoding;
  decoding.beam_size = 5;
  decoding.length_penalty = 1.0f;
  decoding.min_length = 1;
  return decoding;
}

}  // namespace

CheckpointModel read_fairseq_translator(const OpenedCheckpoint& checkpoint,
                                        FairseqSettings settings) {
  settings.task.require("prepend_bos", false);
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
  const ModelDirectory& directory = checkpoint.directory;
  const SubwordFile subwords = find_fairseq_subwords(directory, settings.subwords, foreign.remarks);
  const auto tokenizer = [&](const std::string& language) {
    return fairseq_tokenizer(directory, subwords, fmt::format("dict.{}.txt", language),
                             foreign.remarks);
  };
  Tokenizer source = tokenizer(read.languages.source), target = tokenizer(read.languages.target);
  if (source.bytes() == target.bytes()) target = source;
  if (shares_inputs(shape.tie_embeddings) && source.bytes() != target.bytes())
    throw DataError(directory.path() +
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

namespace {

void require_task(ForeignConfig& task, std::string_view name) {
  for (const char* key : {"task", "_name"})
    if (task.has(key)) task.require(key, name);
}

}  // namespace

CheckpointModel read_fairseq(const OpenedCheckpoint& checkpoint) {
  FairseqSettings settings = read_fairseq_settings(checkpoint);
  const char* const key = settings.model.has("arch") ? "arch" : "_name";
  if (settings.model.text(key).starts_with("transformer_lm")) {
    require_task(settings.task, "language_modeling");
    return read_fairseq_language(checkpoint, std::move(settings));
  }
  // The architectures that are plain Transformers.
  settings.model.choice(
      key, {"transformer", "transformer_tiny", "transformer_iwslt_de_en", "transformer_wmt_en_de",
            "transformer_vaswani_wmt_en_de_big", "transformer_vaswani_wmt_en_fr_big",
            "transformer_wmt_en_de_big", "transformer_wmt_en_de_big_t2t"});
  require_task(settings.task, "translation");
  return read_fairseq_translator(checkpoint, std::move(settings));
}

}  // namespace attend
