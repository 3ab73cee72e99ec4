#include "attend/tasks/classification/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "attend/checkpoint/finite.h"
#include "attend/checkpoint/json.h"
#include "attend/checkpoint/options_json.h"
#include "attend/checkpoint/parameters.h"
#include "attend/core/error.h"
#include "attend/core/quote.h"
#include "attend/core/utf8.h"
#include "attend/ops/softmax.h"
#include "attend/tasks/model_kind.h"

namespace attend {

namespace {

// A label that is found twice, or that no line of a file of texts can have, would be counted as another or never.
void check_labels(const std::vector<std::string>& labels, const Checkpoint& checkpoint) {
  std::set<std::string_view> names;
  for (const std::string& label : labels) {
    if (is_blank(label) || label.find_first_of("\t\n\r") != std::string::npos)
      throw DataError(fmt::format("{}: attend.labels: expected names without tabs and line ends, got {}", checkpoint.source, quote(label)));
    if (!names.insert(label).second)
      throw DataError(fmt::format("{}: attend.labels: expected every class once, got {} twice", checkpoint.source, quote(label)));
  }
}

std::vector<std::string> read_labels(const Checkpoint& checkpoint) {
  const std::string where = fmt::format("{}: attend.labels", checkpoint.source);
  const auto labels = parse_json(checkpoint.text("attend.labels"), where);
  const bool are_names = labels.is_array() && std::all_of(labels.begin(), labels.end(), [](const auto& one) { return one.is_string(); });
  if (!are_names || labels.size() < 2) throw DataError(fmt::format("{}: expected a list of two or more names of classes", where));
  auto names = labels.get<std::vector<std::string>>();
  check_labels(names, checkpoint);
  return names;
}

template <class Options>
Options read_options(const Checkpoint& checkpoint, const char* key) {
  Options options;
  options_from_json(checkpoint.text(key), options, fmt::format("{}: {}", checkpoint.source, key));
  return options;
}

}  // namespace

SpecialTokens ClassificationModel::special() const {
  SpecialTokens special = tokenizer.special_tokens();
  if (classifier->config().pooling != Pooling::first) special.bos = -1;
  return special;
}

void describe_classification_model(Checkpoint& checkpoint, const ClassificationModel& model) {
  checkpoint.metadata["attend.task"] = kClassification;
  checkpoint.metadata["attend.config"] = options_to_json(model.classifier->config());
  checkpoint.metadata["attend.text"] = options_to_json(model.length);
  checkpoint.metadata["attend.labels"] = nlohmann::json(model.labels).dump();
  checkpoint.tensors.push_back({"tokenizer", bytes_tensor(model.tokenizer.bytes())});
}

ClassificationModel classification_model(const Checkpoint& checkpoint) {
  require_task(checkpoint, kClassification);
  Tokenizer tokenizer = read_tokenizer(checkpoint);
  std::vector<std::string> labels = read_labels(checkpoint);
  const auto length = read_options<TextLengthOptions>(checkpoint, "attend.text");
  auto config = read_options<ClassifierConfig>(checkpoint, "attend.config");
  config.vocab_size = tokenizer.vocab_size();
  config.classes = static_cast<int>(labels.size());
  if (config.n_encoder_layers > std::ssize(checkpoint.tensors))
    throw DataError(fmt::format("{}: attend.config: {} layers need more than {} tensors", checkpoint.source, config.n_encoder_layers,
                                checkpoint.tensors.size()));
  try {
    auto classifier = std::make_shared<TextClassifier>(config, TextClassifier::Purpose::inference);
    load_parameters(checkpoint, classifier->parameters());
    ClassificationModel model{std::move(classifier), std::move(tokenizer), std::move(labels), length, checkpoint.source};
    classifier_ids({}, model.special(), length);  // refuses a length that has no room for a token
    return model;
  } catch (const DataError&) {
    throw;
  } catch (const Error& error) {  // no such shape, or no memory for it
    throw DataError(fmt::format("{}: attend.config: {}", checkpoint.source, error.what()));
  }
}

ClassificationModel load_classification_model(const std::filesystem::path& path) { return classification_model(open_checkpoint(path)); }

Tensor class_log_probabilities(const ClassificationModel& model, const Ragged& texts) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  const Tensor result = log_softmax(model.classifier->forward(texts, pass)).value();
  require_finite(result.span(), "log-probabilities of the classes", model.source);
  return result;
}

}  // namespace attend
