#include "attend/tasks/classification/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "attend/checkpoint/finite.h"
#include "attend/checkpoint/options_json.h"
#include "attend/core/json.h"
#include "attend/core/quote.h"
#include "attend/core/utf8.h"
#include "attend/error.h"
#include "attend/ops/softmax.h"
#include "attend/tasks/golden.h"
#include "attend/tasks/model_reading.h"

namespace attend {

namespace {

// A duplicate label, or one that no line of a text file can have, would be miscounted.
void check_labels(const std::vector<std::string>& labels, const Checkpoint& checkpoint) {
  std::set<std::string_view> names;
  for (const std::string& label : labels) {
    if (is_blank(label) || label.find_first_of("\t\n\r") != std::string::npos)
      throw DataError(
          fmt::format("{}: attend.labels: expected names without tabs and line ends, got {}",
                      checkpoint.source, quote(label)));
    if (!names.insert(label).second)
      throw DataError(fmt::format("{}: attend.labels: expected every class once, got {} twice",
                                  checkpoint.source, quote(label)));
  }
}

std::vector<std::string> read_labels(const Checkpoint& checkpoint) {
  const std::string where = fmt::format("{}: attend.labels", checkpoint.source);
  const auto labels = parse_json(checkpoint.text("attend.labels"), where);
  const bool are_names =
      labels.is_array() &&
      std::all_of(labels.begin(), labels.end(), [](const auto& one) { return one.is_string(); });
  if (!are_names || labels.size() < 2)
    throw DataError(fmt::format("{}: expected a list of two or more names of classes", where));
  auto names = labels.get<std::vector<std::string>>();
  check_labels(names, checkpoint);
  return names;
}

}  // namespace

ClassificationModel::ClassificationModel(std::shared_ptr<TextClassifier> network_,
                                         Tokenizer tokenizer_, std::vector<std::string> labels_,
                                         TextLengthOptions length_)
    : network(std::move(network_)),
      tokenizer(std::move(tokenizer_)),
      labels(std::move(labels_)),
      length(length_) {}

SpecialTokens ClassificationModel::special() const {
  SpecialTokens special = tokenizer.special_tokens();
  const ClassifierConfig& config = network->config();
  if (config.pooling != Pooling::first && !config.bos) special.bos = -1;
  return special;
}

Metadata ClassificationModel::configuration() const {
  return {{"attend.config", options_to_json(network->config())},
          {"attend.text", options_to_json(length)},
          {"attend.labels", nlohmann::json(labels).dump()}};
}

std::int64_t ClassificationModel::longest_input() const {
  return network->config().learned_positions();
}

TextEncoder ClassificationModel::text_encoder() const {
  return {tokenizer,
          special(),
          network->config().n_encoder_layers,
          network->config().d_model,
          [network = network] { return network->embeddings(); },
          [network = network](const Ragged& texts, Pass& pass) {
            return network->encode(texts, pass);
          }};
}

GoldenInput ClassificationModel::random_input(Random& random) const {
  return {classifier_ids(random_ids(random, tokenizer), special(), length)};
}

std::vector<std::vector<float>> ClassificationModel::golden_outputs(
    const std::vector<GoldenInput>& inputs) const {
  RaggedBuilder texts;
  for (const GoldenInput& input : inputs) texts.add(input[0]);
  const Tensor results = class_log_probabilities(*this, texts.build());
  std::vector<std::vector<float>> outputs;
  for (std::int64_t b = 0; b < results.rows(); ++b)
    outputs.emplace_back(results.row(b), results.row(b) + results.cols());
  return outputs;
}

ClassificationModel classification_model(const Checkpoint& checkpoint) {
  require_task(checkpoint, ClassificationModel::kTask);
  Tokenizer tokenizer = read_tokenizer(checkpoint);
  std::vector<std::string> labels = read_labels(checkpoint);
  const auto length = read_options<TextLengthOptions>(checkpoint, "attend.text");
  auto config = read_options<ClassifierConfig>(checkpoint, "attend.config");
  config.vocab_size = tokenizer.vocab_size();
  config.classes = static_cast<int>(labels.size());
  auto network = read_network(checkpoint, config.n_encoder_layers, [&] {
    return std::make_shared<TextClassifier>(config, TextClassifier::Purpose::inference);
  });
  ClassificationModel model(std::move(network), std::move(tokenizer), std::move(labels), length);
  model.source = checkpoint.source;
  model.text_kinds = read_text_kinds(checkpoint);
  from_configuration(checkpoint, [&] {
    classifier_ids({}, model.special(), length);
  });  // rejects a length without room for a token
  return model;
}

ClassificationModel load_classification_model(const std::filesystem::path& path) {
  return read_checkpoint(path, classification_model);
}

Tensor class_log_probabilities(const ClassificationModel& model, const Ragged& texts) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  const Tensor result = log_softmax(model.network->forward(texts, pass)).value().to_host();
  require_finite(result.span(), "log-probabilities of the classes", model.source);
  return result;
}

}  // namespace attend
