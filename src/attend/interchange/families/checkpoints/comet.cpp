#include "attend/interchange/families/checkpoints/comet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "attend/core/json/json.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/families/encoders/bert_like.h"
#include "attend/interchange/families/encoders/encoder_family.h"
#include "attend/interchange/hub_cache.h"
#include "attend/tasks/quality/model.h"

namespace attend {

namespace {

constexpr const char *kCheckpoints = "checkpoints", *kConfig = "config.json",
                     *kTokenizerConfig = "tokenizer_config.json";

enum class CometKind { regression, referenceless, unified };

// What hparams.yaml decides; all else is in the checkpoint.
struct CometFile {
  CometKind kind = CometKind::regression;
  // Versions of COMET that confused the two have trained models with a softmax and called it a
  // sparsemax.
  bool patches_sparsemax = false;
};

CometFile read_hparams(const ModelDirectory& directory) {
  ForeignConfig file = ForeignConfig::from_yaml(directory.text(kCometSettings),
                                                directory.path() + "/" + kCometSettings);
  const std::size_t kind =
      file.choice("class_identifier",
                  {"regression_metric", "referenceless_regression_metric", "unified_metric"});
  return {static_cast<CometKind>(kind),
          file.text_or("layer_transformation", "") == "sparsemax_patch"};
}

// The directory with the settings and the tokenizer of the encoder.
ModelDirectory encoder_directory(const ModelDirectory& directory, const std::string& name) {
  if (directory.contains(kConfig)) return directory;
  std::string command = "the files of that model";
  if (auto model = parse_hub_model(name)) {
    constexpr const char* kDashes = "--";  // an option of that program
    command = fmt::format("`{} {}include '*.json' '*.model'`", download_command(*model), kDashes);
    if (auto found = find_file_in_hub_cache(*model, kConfig); !found.empty())
      return ModelDirectory(found);
    if (name.find('/') == name.npos) {  // the Hub has given these models longer names
      model->name = "FacebookAI/" + name;
      if (auto found = find_file_in_hub_cache(*model, kConfig); !found.empty())
        return ModelDirectory(found);
    }
  }
  throw DataError(fmt::format(
      "{}: expected {} and the tokenizer of its encoder {}, found neither beside {} nor in the "
      "cache of the Hugging Face Hub; get them with {}, or copy them beside {}",
      directory.path(), kConfig, quote(name), kCometSettings, command, kCometSettings));
}

// The activations of PyTorch that COMET finds by name, with a capital letter.
std::string activation_of(ForeignConfig& settings, const char* key, const char* otherwise) {
  std::string name = settings.text_or(key, otherwise);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return name;
}

void read_estimator(ForeignConfig& settings, CometKind kind, QualityConfig& shape) {
  std::vector<std::int64_t> widths = kind == CometKind::referenceless
                                         ? std::vector<std::int64_t>{2048, 1024}
                                         : std::vector<std::int64_t>{3072, 1024};
  if (settings.has("hidden_sizes")) widths = settings.integers("hidden_sizes", kWidths);
  if (widths.empty()) settings.refuse("hidden_sizes", "expected at least one width");
  for (const std::int64_t width : widths) shape.estimator_widths.push_back(std::to_string(width));
  const std::string hidden = activation_of(settings, "activations", "Tanh"),
                    last = activation_of(settings, "final_activation", "identity");
  if (hidden != "tanh" && hidden != "identity")
    settings.refuse("activations", "supported: Tanh and Identity");
  shape.estimator_activation = hidden == "tanh" ? Activation::tanh : Activation::none;
  if (last != "identity" && last != "sigmoid" && last != "tanh")
    settings.refuse("final_activation", "supported: none, Identity, Sigmoid and Tanh");
  shape.output = last == "sigmoid" ? EstimatorOutput::sigmoid
                 : last == "tanh"  ? EstimatorOutput::tanh
                                   : EstimatorOutput::none;
}

void read_layer_mix(ForeignConfig& settings, const CometFile& file, QualityConfig& shape) {
  const bool unified = file.kind == CometKind::unified;
  const char* const key = unified ? "sent_layer" : "layer";
  const std::string usual = unified ? "sparsemax" : "softmax";
  const std::string transformation = settings.text_or("layer_transformation", usual);
  const bool normed = settings.boolean_or("layer_norm", true);
  if (settings.is_number(key)) {
    shape.mix.layer = static_cast<int>(settings.integer(key, between(0, shape.n_encoder_layers)));
    return;
  }
  settings.require(key, "mix");
  // Whatever is not called sparsemax is a softmax there.
  shape.mix.weights = transformation == "sparsemax" && !file.patches_sparsemax
                          ? LayerWeights::sparsemax
                          : LayerWeights::softmax;
  shape.mix.norm = normed;
}

void read_texts(ForeignConfig& settings, CometKind kind, QualityConfig& shape) {
  shape.reference = kind == CometKind::regression;
  if (kind != CometKind::unified) {
    shape.pooling = std::array{Pooling::mean, Pooling::first,
                               Pooling::max}[settings.choice_or("pool", 0, {"avg", "cls", "max"})];
    return;
  }
  shape.reading = QualityReading::joined;
  shape.pooling = Pooling::first;
  std::vector<std::string> segments{"mt", "src", "ref"};
  constexpr const char* kSegments = "input_segments";
  if (settings.has(kSegments)) segments = settings.texts(kSegments);
  const auto has = [&](const char* name) {
    return std::find(segments.begin(), segments.end(), name) != segments.end();
  };
  shape.source = has("src");
  shape.reference = has("ref");
  const std::size_t known = 1u + (shape.source ? 1 : 0) + (shape.reference ? 1 : 0);
  if (!has("mt") || segments.size() != known || known < 2)
    settings.refuse(kSegments, "expected mt with src, ref or both");
}

// Whatever else the checkpoint says is for training, or dropped by the classes of COMET.
NameMap names_of(const QualityConfig& shape) {
  NameMap names({});
  names.add(kRobertaEncoder, "encoder.model.");
  constexpr std::array kMix{
      NameRule{"layer_mix.weights.*", "layerwise_attention.scalar_parameters.*"},
      NameRule{"layer_mix.gamma", "layerwise_attention.gamma"}};
  names.add(kMix);
  constexpr std::size_t kModules = 3;  // a layer, its activation, and dropout
  for (std::size_t i = 0; i <= shape.estimator_widths.size(); ++i) {
    const std::string ours = fmt::format("estimator.{}.*", i),
                      theirs = fmt::format("estimator.ff.{}.*", kModules * i);
    names.add(std::array{NameRule{ours, theirs}});
  }
  return names;
}

// Buffers, what a model lost when it was trained, and what marks words.
constexpr std::array<std::string_view, 7> kCometIgnorable{
    "encoder.model.embeddings.position_ids",
    "encoder.model.pooler.dense.*",
    "layerwise_attention.dropout_mask",
    "layerwise_attention.dropout_fill",
    "hidden2tag.*",
    "wordloss.weight",
    "encoder.model.embeddings.token_type_ids"};

// The tokens of XLM-R's class that files need not name.
constexpr std::array kXlmRobertaTokens{
    std::pair{"bos_token", "<s>"},    std::pair{"eos_token", "</s>"},
    std::pair{"sep_token", "</s>"},   std::pair{"cls_token", "<s>"},
    std::pair{"unk_token", "<unk>"},  std::pair{"pad_token", "<pad>"},
    std::pair{"mask_token", "<mask>"}};

// The settings of a tokenizer.json that is read as it is, whatever class they name: COMET runs with
// versions of transformers that do so.
std::string tokenizer_settings(const FileText& files, const std::string& path) {
  const auto object_in = [&](const char* name) {
    const std::string where = fmt::format("{}/{}", path, name);
    const auto text = files(name);
    nlohmann::json object = nlohmann::json::object();
    if (text) object = parse_sorted_json(*text, where);
    if (!object.is_object()) throw DataError(where + ": expected an object of settings");
    return object;
  };
  nlohmann::json settings = object_in(kTokenizerConfig);
  const nlohmann::json others = object_in("special_tokens_map.json");
  for (const auto& [key, token] : kXlmRobertaTokens)
    if (!settings.contains(key) && !others.contains(key)) settings[key] = token;
  settings["tokenizer_class"] = "PreTrainedTokenizerFast";
  return settings.dump();
}

ForeignTokenizer read_comet_tokenizer(const ModelDirectory& directory) {
  const FileText files = texts_of(directory);
  const bool is_whole = files("tokenizer.json").has_value();
  const auto as_it_is = [&](std::string_view name) -> std::optional<std::string> {
    if (is_whole && name == kTokenizerConfig) return tokenizer_settings(files, directory.path());
    return files(name);
  };
  ForeignTokenizer tokenizer = read_tokenizer_directory(as_it_is, directory.path());
  require_marks(directory, tokenizer);
  return tokenizer;
}

EncoderConfig read_encoder(const ModelDirectory& directory) {
  ForeignConfig config =
      ForeignConfig::from_json(directory.text(kConfig), directory.path() + "/" + kConfig);
  config.require("model_type", "xlm-roberta");
  config.ignore({"architectures", "id2label", "label2id", "num_labels"});
  ignore_encoder_settings(config);
  const EncoderConfig shape = read_roberta_shape(config);
  config.require_all_known();
  return shape;
}

void require_right_truncation(const ModelDirectory& directory) {
  if (!directory.contains(kTokenizerConfig)) return;
  ForeignConfig options = ForeignConfig::from_json(
      directory.text(kTokenizerConfig), fmt::format("{}/{}", directory.path(), kTokenizerConfig));
  options.require("truncation_side", "right");
}

std::string checkpoint_in(const ModelDirectory& folder) {
  constexpr const char* kUsual = "model.ckpt";
  std::vector<std::string> found;
  for (const std::string& name : folder.names()) {
    if (name == kUsual) return name;
    if (name.ends_with(".ckpt")) found.push_back(name);
  }
  if (found.size() == 1) return found.front();
  throw DataError(fmt::format("{}: expected {} or one checkpoint *.ckpt, found {}", folder.path(),
                              kUsual, found.empty() ? "none" : "several; name the one to import"));
}

}  // namespace

bool is_lightning_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return path.extension() == ".ckpt" && std::filesystem::is_regular_file(path, ignored);
}

CheckpointModel read_comet(const ModelDirectory& directory,
                           const std::optional<std::string>& name) {
  const CometFile hparams = read_hparams(directory);
  const ModelDirectory folder = directory.folder(kCheckpoints);
  const std::string checkpoint_name = name ? *name : checkpoint_in(folder);
  const TorchFile file(folder.open(checkpoint_name), OtherFunctions::opaque);
  const OpenedCheckpoint checkpoint{folder, checkpoint_name, file};
  const PickleValue *const settings_value = checkpoint.find("hyper_parameters"),
                           *const tensors = checkpoint.find("state_dict");
  if (settings_value == nullptr || tensors == nullptr)
    throw DataError(
        fmt::format("{}: expected a checkpoint of PyTorch Lightning (state_dict and "
                    "hyper_parameters), found another file of PyTorch",
                    checkpoint.path()));
  ForeignConfig settings = checkpoint.settings(*settings_value, "hyper_parameters");
  if (settings.text_or("encoder_model", "XLM-RoBERTa") != "XLM-RoBERTa")
    settings.refuse("encoder_model", "supported: XLM-RoBERTa");
  const ModelDirectory encoder = encoder_directory(
      directory, settings.text_or("pretrained_model", hparams.kind == CometKind::unified
                                                          ? "microsoft/infoxlm-large"
                                                          : "xlm-roberta-large"));
  ForeignTokenizer tokenizer = read_comet_tokenizer(encoder);
  require_right_truncation(encoder);
  CheckpointModel model{{nullptr, NameMap({})}, TensorTable(checkpoint.path()), "comet", "COMET"};
  QualityConfig shape;
  static_cast<EncoderConfig&>(shape) = read_encoder(encoder);
  set_vocabulary(encoder, tokenizer.tokenizer, shape, model.foreign);
  read_texts(settings, hparams.kind, shape);
  read_layer_mix(settings, hparams, shape);
  read_estimator(settings, hparams.kind, shape);
  if (settings.boolean_or("word_level_training", false))
    model.foreign.remarks.emplace_back(
        "the model also marks errors in translations, which is not supported: it gives scores "
        "alone");
  // COMET cuts a text two tokens before the last position.
  const TextLengthOptions length{.max_length = shape.max_positions - 2};
  auto quality = std::make_shared<QualityModel>(std::make_shared<QualityEstimator>(shape),
                                                std::move(tokenizer.tokenizer), length);
  quality->special_text = SpecialText::as_tokens;
  model.foreign.names = names_of(shape);
  model.foreign.ignorable.assign(kCometIgnorable.begin(), kCometIgnorable.end());
  model.foreign.model = std::move(quality);
  file.add_tensors(*tensors, "", model.weights);
  return model;
}

}  // namespace attend
