#include "attend/tasks/classification/golden.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/checkpoint/json.h"
#include "attend/core/error.h"
#include "attend/core/random.h"
#include "attend/tasks/golden_ids.h"

namespace attend {

namespace {

constexpr int kTexts = 3;

Tensor log_probabilities(const ClassificationModel& model, const std::vector<GoldenText>& golden) {
  RaggedBuilder texts;
  for (const GoldenText& one : golden) texts.add(one.text);
  return class_log_probabilities(model, texts.build());
}

void check(const std::vector<GoldenText>& golden, const ClassificationModel& model) {
  for (const GoldenText& one : golden) {
    if (one.text.empty() || !is_in_vocabulary(one.text, model.tokenizer) || one.log_probabilities.size() != model.labels.size())
      throw DataError(fmt::format("{}: expected ids of the vocabulary and a number for each class", kGoldenKey));
  }
}

}  // namespace

void add_golden_texts(Checkpoint& checkpoint) {
  const ClassificationModel model = classification_model(checkpoint);
  Random random({0, stream_of(kGoldenKey)});
  std::vector<GoldenText> golden(kTexts);
  for (GoldenText& one : golden) {
    one.text = classifier_ids(golden_ids(random, model.tokenizer), model.special(), model.length);
  }
  const Tensor results = log_probabilities(model, golden);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < golden.size(); ++i) {
    const float* row = results.row(static_cast<std::int64_t>(i));
    json.push_back({{"text", golden[i].text}, {"log_probabilities", std::vector<float>(row, row + results.cols())}});
  }
  checkpoint.metadata[kGoldenKey] = json.dump();
}

std::vector<GoldenText> golden_texts(const Checkpoint& checkpoint) {
  const auto found = checkpoint.metadata.find(kGoldenKey);
  if (found == checkpoint.metadata.end()) return {};
  const std::string where = fmt::format("{}: {}", checkpoint.source, kGoldenKey);
  std::vector<GoldenText> golden;
  for (const auto& entry : parse_json(found->second, where)) {
    GoldenText& one = golden.emplace_back();
    one.text = json_ids(json_member(entry, "text", where), where);
    for (const auto& number : json_member(entry, "log_probabilities", where)) one.log_probabilities.push_back(json_float(number, where));
  }
  return golden;
}

double golden_deviation(const ClassificationModel& model, const std::vector<GoldenText>& golden) {
  check(golden, model);
  const Tensor results = log_probabilities(model, golden);
  double largest = 0;
  for (std::size_t i = 0; i < golden.size(); ++i) {
    for (std::size_t c = 0; c < model.labels.size(); ++c) {
      const double expected = golden[i].log_probabilities[c];
      const double difference = std::abs(double{results.row(static_cast<std::int64_t>(i))[c]} - expected);
      largest = std::max(largest, std::isfinite(difference) ? difference / (1.0 + std::abs(expected)) : INFINITY);
    }
  }
  return largest;
}

}  // namespace attend
