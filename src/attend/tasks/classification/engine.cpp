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

Classification classification(const float* log_probabilities, std::int64_t classes) {
  Classification result;
  for (std::int64_t c = 0; c < classes; ++c)
    result.probabilities.push_back(std::exp(log_probabilities[c]));
  const auto best = std::max_element(log_probabilities, log_probabilities + classes);
  result.label = static_cast<std::size_t>(best - log_probabilities);
  return result;
}

}  // namespace

ClassificationEngine ClassificationEngine::load(const std::filesystem::path& path) {
  return ClassificationEngine(load_classification_model(path));
}

std::vector<Classification> ClassificationEngine::classify(
    std::span<const std::string> texts, const ClassificationOptions& options) const {
  check_options(options);
  std::vector<std::vector<std::int32_t>> all;
  all.reserve(texts.size());
  for (const std::string& text : texts)
    all.push_back(ids(text, fmt::format("text {}", all.size() + 1)));
  return classify_ids(all, options);
}

std::vector<std::int32_t> ClassificationEngine::ids(const std::string& text,
                                                    const std::string& where) const {
  require_words(text, where);
  return model_->ids(text);
}

void ClassificationEngine::classify(LineReader& lines, const AnswerSink<Classification>& sink,
                                    const ClassificationOptions& options) const {
  check_options(options);
  using TokenIds = std::vector<std::int32_t>;
  std::string line;
  answer_all(Conversation<TokenIds, Classification>{
      .window = static_cast<std::size_t>(options.window),
      .arrived = [&] { return lines.has_arrived(); },
      .next = [&]() -> std::optional<TokenIds> {
        if (!lines.next(line)) return std::nullopt;
        return ids(line, lines.where());
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
    const Tensor log_probabilities = class_log_probabilities(*model_, batch);
    for (std::int64_t b = 0; b < batch.sequences(); ++b)
      results.push_back(classification(log_probabilities.row(b), log_probabilities.cols()));
  };
  for (const std::vector<std::int32_t>& text : texts) {
    if (next.tokens() + std::ssize(text) > options.batch_tokens) flush();
    next.add(text);
  }
  flush();
  return results;
}

}  // namespace attend
