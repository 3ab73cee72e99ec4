#include "attend/tasks/classification/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "attend/checkpoint/finite.h"
#include "attend/checkpoint/options_json.h"
#include "attend/core/json/json.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/ops/softmax.h"
#include "attend/tasks/model_file/model_reading.h"

namespace attend {

namespace {

const std::string kCrossEncoderKey = "attend.cross_encoder",
                  kActivationKey = "attend.activation_fn";

std::optional<OutputFunction> read_cross_encoder_function(const Checkpoint& checkpoint,
                                                          ProblemType problem) {
  if (!checkpoint.metadata.contains(kCrossEncoderKey)) return std::nullopt;
  const std::string name = checkpoint.text(kCrossEncoderKey);
  if (problem != ProblemType::regression || (name != "sigmoid" && name != "none"))
    throw DataError(fmt::format("{}: {}: expected sigmoid or none, of a regression; found {}",
                                checkpoint.source, kCrossEncoderKey, quote(name)));
  return name == "none" ? OutputFunction::none : OutputFunction::sigmoid;
}

}  // namespace

ClassificationModel::ClassificationModel(std::shared_ptr<TextClassifier> network_,
                                         Tokenizer tokenizer_, std::vector<std::string> labels_,
                                         TextLengthOptions length_)
    : EncoderModel(std::move(network_), std::move(tokenizer_)),
      labels(std::move(labels_)),
      length(length_) {}

std::string ClassificationModel::activation() const {
  if (!saved_activation.empty()) return saved_activation;
  const bool squashes = cross_encoder_function
                            ? *cross_encoder_function == OutputFunction::sigmoid
                            : labels.size() == 1 && problem_type() != ProblemType::regression;
  return squashes ? kSigmoid : kIdentity;
}

SpecialTokens ClassificationModel::special() const {
  SpecialTokens special = tokenizer.special_tokens();
  const ClassifierConfig& config = network->config();
  if (config.pooling != Pooling::first && !config.bos) special.bos = -1;
  return special;
}

PairInput ClassificationModel::input(std::string_view text) const {
  if (!pairs) {
    PairInput single{classifier_ids(tokenizer.encode(text, special_text), special(), length)};
    single.second = single.ids.size();
    return single;
  }
  const auto tabs = std::count(text.begin(), text.end(), '\t');
  if (tabs != 1)
    throw DataError(
        fmt::format("expected a pair of texts with a tab between, found {}", counted(tabs, "tab")));
  const std::size_t tab = text.find('\t');
  return pair_input(tokenizer.encode(text.substr(0, tab), special_text),
                    tokenizer.encode(text.substr(tab + 1), special_text), special(), length,
                    network->config().separators);
}

Ids ClassificationModel::token_types(const Ragged& texts,
                                     std::span<const std::size_t> second) const {
  if (network->config().token_types < 2) return {};
  std::vector<std::int32_t> types;
  types.reserve(texts.ids->size());
  for (std::int64_t b = 0; b < texts.sequences(); ++b)
    for (std::size_t t = 0; t < texts[b].size(); ++t)
      types.push_back(t < second[static_cast<std::size_t>(b)] ? 0 : 1);
  return types;
}

Ids ClassificationModel::token_types(const Ragged& texts) const {
  if (network->config().token_types < 2) return {};
  std::vector<std::int32_t> types;
  types.reserve(texts.ids->size());
  for (std::int64_t b = 0; b < texts.sequences(); ++b) {
    std::int32_t type = 0;
    for (const std::int32_t id : texts[b]) {
      types.push_back(type);
      if (id == tokenizer.eos_id()) type = 1;
    }
  }
  return types;
}

Variable ClassificationModel::features(const Ragged& texts, Pass& pass) const {
  return network->features(texts, pass, token_types(texts));
}

Metadata ClassificationModel::configuration() const {
  Metadata all{{"attend.config", options_to_json(network->config())},
               {"attend.text", options_to_json(length)},
               {"attend.labels", nlohmann::json(labels).dump()}};
  if (pairs) all["attend.pairs"] = "true";
  write_special_text(special_text, all);
  if (cross_encoder_function)
    all[kCrossEncoderKey] = *cross_encoder_function == OutputFunction::none ? "none" : "sigmoid";
  if (!saved_activation.empty()) all[kActivationKey] = saved_activation;
  return all;
}

Tensor ClassificationModel::outputs(const Ragged& texts) const {
  return class_scores(*this, texts);
}

ClassificationModel classification_model(const Checkpoint& checkpoint) {
  require_task(checkpoint, ClassificationModel::kTask);
  Tokenizer tokenizer = read_tokenizer(checkpoint);
  const auto length = read_options<TextLengthOptions>(checkpoint, "attend.text");
  auto config = read_options<ClassifierConfig>(checkpoint, "attend.config");
  std::vector<std::string> labels =
      read_label_names(checkpoint, config.problem_type == ProblemType::single_label ? 2 : 1);
  config.vocab_size = tokenizer.vocab_size();
  config.classes = static_cast<int>(labels.size());
  auto network = read_network(checkpoint, config.n_encoder_layers,
                              [&] { return std::make_shared<TextClassifier>(config); });
  ClassificationModel model(std::move(network), std::move(tokenizer), std::move(labels), length);
  model.special_text = read_special_text(checkpoint);
  model.source = checkpoint.source;
  model.pairs = checkpoint.metadata.contains("attend.pairs");
  if (checkpoint.metadata.contains(kActivationKey))
    model.saved_activation = checkpoint.text(kActivationKey);
  model.cross_encoder_function = read_cross_encoder_function(checkpoint, config.problem_type);
  model.text_kinds = read_text_kinds(checkpoint);
  from_configuration(checkpoint, [&] {
    classifier_ids({}, model.special(), length);
    if (model.pairs) pair_ids({}, {}, model.special(), length, config.separators);
  });  // rejects a length without room for a token
  return model;
}

ClassificationModel load_classification_model(const std::filesystem::path& path) {
  return read_checkpoint(path, classification_model);
}

Tensor class_logits(const ClassificationModel& model, const Ragged& texts, const Ids& types) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  const Tensor result = model.logits(texts, pass, types).value().to_host();
  require_finite(result.span(), "outputs", model.source);
  return result;
}

Tensor class_scores(const ClassificationModel& model, const Ragged& texts, const Ids& types) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  const Variable logits = model.logits(texts, pass, types);
  if (model.problem_type() == ProblemType::single_label) {
    const Tensor result = log_softmax(logits).value().to_host();
    require_finite(result.span(), "log-probabilities of the classes", model.source);
    return result;
  }
  const Tensor result = Tensor::empty_on_host(logits.shape());
  const std::vector<float> outputs = logits.value().to_vector();
  const bool several = model.problem_type() == ProblemType::multi_label;
  std::transform(outputs.begin(), outputs.end(), result.data(), [several](float x) {
    return several ? std::min(x, 0.0f) - std::log1p(std::exp(-std::abs(x))) : x;
  });
  require_finite(result.span(), several ? "log-probabilities of the classes" : "numbers",
                 model.source);
  return result;
}

}  // namespace attend
