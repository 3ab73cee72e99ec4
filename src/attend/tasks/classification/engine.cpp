#include "attend/tasks/classification/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/tasks/answers.h"

namespace attend {

namespace {

void require_words(const std::string& text, const std::string& where) {
  if (is_blank(text))
    throw LineError(fmt::format("{}: expected a text to classify, found none", where));
}

float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

// The labels of scores: the highest, or all those that reach the threshold.
void choose_labels(std::span<const float> scores, ProblemType problem, float threshold,
                   Classification& result) {
  const auto best = std::max_element(scores.begin(), scores.end());
  result.label = static_cast<std::size_t>(best - scores.begin());
  if (problem == ProblemType::single_label) {
    result.labels = {result.label};
    return;
  }
  for (std::size_t c = 0; c < scores.size(); ++c)
    if (scores[c] >= threshold) result.labels.push_back(c);
}

// `scores`: a row of class_scores().
Classification classification(std::span<const float> scores, const ClassificationModel& model,
                              float threshold) {
  Classification result;
  if (model.problem_type() == ProblemType::regression) {
    result.value = model.cross_encoder_function == OutputFunction::sigmoid ? sigmoid(scores.front())
                                                                           : scores.front();
    return result;
  }
  for (const float score : scores) result.probabilities.push_back(std::exp(score));
  choose_labels(result.probabilities, model.problem_type(), threshold, result);
  return result;
}

std::vector<float> applied(OutputFunction function, std::span<const float> logits) {
  std::vector<float> scores(logits.begin(), logits.end());
  if (function == OutputFunction::sigmoid)
    std::transform(scores.begin(), scores.end(), scores.begin(), sigmoid);
  if (function != OutputFunction::softmax) return scores;
  const float highest = *std::max_element(scores.begin(), scores.end());
  float sum = 0;
  for (float& score : scores) sum += score = std::exp(score - highest);
  for (float& score : scores) score /= sum;
  return scores;
}

// Another function than the standard one. The labels are those of the standard one.
Classification classification_of_logits(std::span<const float> logits,
                                        const ClassificationModel& model,
                                        const ClassificationOptions& options) {
  Classification result;
  const std::vector<float> scores = applied(options.function_to_apply, logits);
  if (model.problem_type() == ProblemType::regression) {
    result.value = scores.front();
    return result;
  }
  choose_labels(applied(OutputFunction::sigmoid, logits), model.problem_type(), options.threshold,
                result);
  result.probabilities = scores;
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
  std::vector<PairInput> all;
  all.reserve(texts.size());
  for (const std::string& text : texts)
    all.push_back(reader.input(text, fmt::format("text {}", all.size() + 1)));
  return classify_inputs(all, options);
}

ClassificationEngine ClassificationEngine::reading(const ClassificationOptions& options) const {
  const bool pairs = model_->pairs || options.pairs;
  const SpecialText special =
      options.split_special_tokens ? SpecialText::as_text : model_->special_text;
  ClassificationEngine reader = *this;
  reader.prepare_ = TextPreparer::of_input(model_->text_kinds, options.preparation);
  if (pairs == model_->pairs && special == model_->special_text) return reader;
  ClassificationModel other = *model_;
  other.pairs = pairs;
  other.special_text = special;
  reader.model_ = std::make_shared<const ClassificationModel>(std::move(other));
  return reader;
}

PairInput ClassificationEngine::input(const std::string& text, const std::string& where) const {
  require_words(text, where);
  try {
    return model_->input(model_->pairs ? prepare_.in_parts(text, '\t') : prepare_(text));
  } catch (const DataError& error) {
    throw OptionError<LineError>("{}: {}", where, message_of(error));
  }
}

void ClassificationEngine::classify(LineReader& lines, const AnswerSink<Classification>& sink,
                                    const ClassificationOptions& options) const {
  check_options(options);
  const ClassificationEngine reader = reading(options);
  answer_lines(
      lines, static_cast<std::size_t>(options.window), sink,
      [&](const std::string& line) { return reader.input(line, lines.where()); },
      [&](std::span<const PairInput> window) { return classify_inputs(window, options); });
}

std::vector<Classification> ClassificationEngine::classify_inputs(
    std::span<const PairInput> texts, const ClassificationOptions& options) const {
  std::vector<Classification> results;
  results.reserve(texts.size());
  RaggedBuilder next;
  std::vector<std::size_t> second;
  const auto flush = [&] {
    const Ragged batch = next.build();
    if (batch.sequences() == 0) return;
    const bool standard = options.function_to_apply == OutputFunction::standard;
    const Ids types = model_->token_types(batch, std::exchange(second, {}));
    const Tensor scores =
        standard ? class_scores(*model_, batch, types) : class_logits(*model_, batch, types);
    const auto width = static_cast<std::size_t>(scores.cols());
    for (std::int64_t b = 0; b < batch.sequences(); ++b) {
      const std::span<const float> row(scores.row(b), width);
      results.push_back(standard ? classification(row, *model_, options.threshold)
                                 : classification_of_logits(row, *model_, options));
    }
  };
  for (const PairInput& text : texts) {
    if (next.tokens() + std::ssize(text.ids) > options.batch_tokens) flush();
    next.add(text.ids);
    second.push_back(text.second);
  }
  flush();
  return results;
}

}  // namespace attend
