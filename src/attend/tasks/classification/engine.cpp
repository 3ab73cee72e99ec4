#include "attend/tasks/classification/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "attend/core/option_fields.h"
#include "attend/core/utf8.h"
#include "attend/error.h"
#include "attend/tasks/answers.h"

namespace attend {

namespace {

void require_words(const std::string& text, const std::string& where) {
  if (is_blank(text))
    throw LineError(fmt::format("{}: expected a text to classify, found none", where));
}

// `scores`: a row of class_scores().
Classification classification(std::span<const float> scores, ProblemType problem, float threshold) {
  Classification result;
  if (problem == ProblemType::regression) {
    result.value = scores.front();
    return result;
  }
  for (const float score : scores) result.probabilities.push_back(std::exp(score));
  const auto best = std::max_element(scores.begin(), scores.end());
  result.label = static_cast<std::size_t>(best - scores.begin());
  if (problem == ProblemType::single_label) {
    result.labels = {result.label};
    return result;
  }
  for (std::size_t c = 0; c < scores.size(); ++c)
    if (result.probabilities[c] >= threshold) result.labels.push_back(c);
  return result;
}

}  // namespace

ClassificationEngine ClassificationEngine::load(const std::filesystem::path& path) {
  return ClassificationEngine(load_classification_model(path));
}

std::vector<Classification> ClassificationEngine::classify(
    std::span<const std::string> texts, const ClassificationOptions& options) const {
  check_options(options);
  const ClassificationEngine reader = reading(options);
  std::vector<std::vector<std::int32_t>> all;
  all.reserve(texts.size());
  for (const std::string& text : texts)
    all.push_back(reader.ids(text, fmt::format("text {}", all.size() + 1)));
  return classify_ids(all, options);
}

ClassificationEngine ClassificationEngine::reading(const ClassificationOptions& options) const {
  if (model_->pairs || !options.pairs) return *this;
  ClassificationModel of_pairs = *model_;
  of_pairs.pairs = true;
  return ClassificationEngine(std::move(of_pairs));
}

std::vector<std::int32_t> ClassificationEngine::ids(const std::string& text,
                                                    const std::string& where) const {
  require_words(text, where);
  try {
    return model_->ids(text);
  } catch (const DataError& error) {
    throw LineError(fmt::format("{}: {}", where, error.what()));
  }
}

void ClassificationEngine::classify(LineReader& lines, const AnswerSink<Classification>& sink,
                                    const ClassificationOptions& options) const {
  check_options(options);
  using TokenIds = std::vector<std::int32_t>;
  const ClassificationEngine reader = reading(options);
  std::string line;
  answer_all(Conversation<TokenIds, Classification>{
      .window = static_cast<std::size_t>(options.window),
      .arrived = [&] { return lines.has_arrived(); },
      .next = [&]() -> std::optional<TokenIds> {
        if (!lines.next(line)) return std::nullopt;
        return reader.ids(line, lines.where());
      },
      .where = [&] { return lines.where(); },
      .answer = [&](std::span<const TokenIds> window) { return classify_ids(window, options); },
      .sink = sink,
  });
}

std::vector<Classification> ClassificationEngine::classify_ids(
    std::span<const std::vector<std::int32_t>> texts, const ClassificationOptions& options) const {
  std::vector<Classification> results;
  results.reserve(texts.size());
  RaggedBuilder next;
  const auto flush = [&] {
    const Ragged batch = next.build();
    if (batch.sequences() == 0) return;
    const Tensor scores = class_scores(*model_, batch);
    const auto width = static_cast<std::size_t>(scores.cols());
    for (std::int64_t b = 0; b < batch.sequences(); ++b)
      results.push_back(
          classification({scores.row(b), width}, model_->problem_type(), options.threshold));
  };
  for (const std::vector<std::int32_t>& text : texts) {
    if (next.tokens() + std::ssize(text) > options.batch_tokens) flush();
    next.add(text);
  }
  flush();
  return results;
}

}  // namespace attend
