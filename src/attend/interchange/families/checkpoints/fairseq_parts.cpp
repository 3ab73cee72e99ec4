#include "attend/interchange/families/checkpoints/fairseq_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/formats/pickle_json.h"

namespace attend {

namespace {

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

constexpr ForeignLayout kAsStored = ForeignLayout::same;
// Older names. The weights of queries, keys and values were one tensor.
constexpr const char *kSelfWeights = "model.#.layers.*.self_attn.in_proj_weight",
                     *kSelfBiases = "model.#.layers.*.self_attn.in_proj_bias";
constexpr std::array kOlderSelfNames{
    NameRule{"#.layers.*.self_attn.q_proj.weight", kSelfWeights, kAsStored, {0, 3}},
    NameRule{"#.layers.*.self_attn.k_proj.weight", kSelfWeights, kAsStored, {1, 3}},
    NameRule{"#.layers.*.self_attn.v_proj.weight", kSelfWeights, kAsStored, {2, 3}},
    NameRule{"#.layers.*.self_attn.q_proj.bias", kSelfBiases, kAsStored, {0, 3}},
    NameRule{"#.layers.*.self_attn.k_proj.bias", kSelfBiases, kAsStored, {1, 3}},
    NameRule{"#.layers.*.self_attn.v_proj.bias", kSelfBiases, kAsStored, {2, 3}},
};
}  // namespace

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

void read_fairseq_parts(ForeignConfig& config, StackConfig& shape) {
  shape.activation = read_fairseq_activation(config);
  shape.dropout = read_dropout(config, "dropout", 0.1);
  shape.attention_dropout = read_dropout(config, "attention_dropout", 0.0);
  shape.activation_dropout = read_dropout(config, "activation_dropout", 0.0);
  shape.norm_embedding = config.boolean_or("layernorm_embedding", false);
  if (config.boolean_or("no_scale_embedding", false)) shape.embedding_scale = 1.0f;
}

void refuse_other_fairseq_parts(ForeignConfig& config) {
  for (const char* flag : {"adaptive_input", "tie_adaptive_weights", "tie_adaptive_proj",
                           "scale_fc", "scale_attn", "scale_heads", "scale_resids"})
    config.require(flag, false);
  for (const char* count : {"quant_noise_pq", "quant_noise_scalar", "base_layers"})
    config.require(count, 0);
  for (const char* list :
       {"adaptive_softmax_cutoff", "decoder_layers_to_keep", "decoder_xformers_att_config"})
    config.require(list, "");
  // These are for training, or for parts that are off.
  config.ignore({"decoder_embed_path", "decoder_layerdrop", "adaptive_softmax_dropout",
                 "adaptive_softmax_factor", "quant_noise_pq_block_size", "base_sublayers",
                 "base_shuffle", "relu_dropout"});
}

void ignore_other_fairseq_options(ForeignConfig& config) {
  for (const std::string& key : config.keys()) {
    const bool is_of_model =
        std::any_of(kModelOptions.begin(), kModelOptions.end(),
                    [&](std::string_view begin) { return key.starts_with(begin); });
    if (!is_of_model) config.ignore({key});
  }
  config.require_all_known();
}

int fairseq_version(TensorTable& weights, const std::string& name) {
  return weights.contains(name) ? static_cast<int>(weights.read(name, {1}).span()[0]) : 1;
}

int fairseq_positions_in(const TensorTable& weights, const std::string& name) {
  const ForeignTensor* const table = weights.find(name);
  if (table == nullptr || table->shape.size() != 2 || table->shape[0] <= kFairseqPad + 1 ||
      table->shape[0] > (1 << 20))
    throw DataError(fmt::format("{}: expected a table of positions {}", weights.where(), name));
  return static_cast<int>(table->shape[0]) - kFairseqPad - 1;
}

void add_older_fairseq_names(const TensorTable& weights, std::string_view stack,
                             std::vector<NameRule>& rules) {
  if (weights.contains(fmt::format("model.{}.layers.0.self_attn.in_proj_weight", stack)))
    rules.insert(rules.end(), kOlderSelfNames.begin(), kOlderSelfNames.end());
}

SubwordFile find_fairseq_subwords(const ModelDirectory& directory, const std::string& kind,
                                  std::vector<std::string>& remarks) {
  const bool is_known =
      kind.empty() || kind == "subword_nmt" || kind == "fastbpe" || kind == "sentencepiece";
  if (!is_known)
    throw DataError(fmt::format(
        "{}: its words are split by {}; subword_nmt, fastbpe and sentencepiece are supported",
        directory.path(), quote(kind)));
  SubwordFile file = find_subwords(directory);
  remark_subwords(file, remarks);
  return file;
}

Tokenizer fairseq_tokenizer(const ModelDirectory& directory, const SubwordFile& file,
                            const std::string& dictionary, std::vector<std::string>& remarks) {
  VocabularyOrder order{.pieces = read_fairseq_dictionary(directory, dictionary),
                        .controls = {},
                        .special = {"<s>", "</s>", "<pad>", "<unk>"}};
  if (file.kind == SubwordFile::Kind::sentencepiece)
    remark_unknown_pieces(file.name, directory.text(file.name), order, remarks);
  return subword_tokenizer(directory, file, order);
}

}  // namespace attend
