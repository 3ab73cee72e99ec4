#include "attend/tasks/language/perplexity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "attend/checkpoint/finite.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/counted.h"
#include "attend/error.h"
#include "attend/ops/embedding.h"

namespace attend {

namespace {

// The rows of a batch that count.
std::vector<std::int32_t> scored_rows(const LanguageBatch& batch) {
  std::vector<std::int32_t> rows;
  rows.reserve(static_cast<std::size_t>(batch.scored()));
  for (std::size_t b = 0; b < batch.first_scored.size(); ++b) {
    const std::int32_t begin = batch.input.begin_of(static_cast<std::int64_t>(b)),
                       end = batch.input.begin_of(static_cast<std::int64_t>(b) + 1);
    for (std::int32_t n = begin + batch.first_scored[b]; n < end; ++n) rows.push_back(n);
  }
  return rows;
}

// The targets of a batch that count, with the hidden states that predict them, in text order.
struct Predictions {
  Tensor hidden;  // [M, D]
  std::vector<std::int32_t> targets;
  std::vector<float> log_probabilities;
};

Predictions predict(const LanguageTransformer& model, const LanguageBatch& batch) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  Variable hidden = model.hidden(batch.input, pass);
  std::vector<std::int32_t> targets(batch.target->begin(), batch.target->end());
  if (batch.scored() < batch.input.tokens()) {
    const Ids rows = scored_rows(batch);
    hidden = gather_rows(hidden, rows);
    targets.clear();
    for (const std::int32_t row : *rows) targets.push_back(batch.target[row]);
  }
  std::vector<float> log_probabilities = model.target_log_probabilities(hidden, targets);
  return {hidden.value(), std::move(targets), std::move(log_probabilities)};
}

double nll_of(std::span<const float> log_probabilities) {
  return -std::accumulate(log_probabilities.begin(), log_probabilities.end(), 0.0);
}

}  // namespace

std::vector<float> target_log_probabilities(const LanguageTransformer& model,
                                            const LanguageBatch& batch) {
  return predict(model, batch).log_probabilities;
}

double negative_log_likelihood(const LanguageTransformer& model, const LanguageBatch& batch) {
  return nll_of(predict(model, batch).log_probabilities);
}

namespace {

TextPerplexity begun_perplexity(const LanguageModel& model, const TextPerplexityOptions& options) {
  check_options(options);
  TextPerplexity result;
  result.of_documents = !model.text.has_lines();
  result.context = model.context_for(options.context);
  result.stride = options.stride == 0 ? std::max(1, result.context / 2) : options.stride;
  result.cache_tokens = options.cache.tokens;
  return result;
}

// The log-probabilities of a text, batch by batch: with a cache, if there is one, and without.
class TextMeasure {
 public:
  TextMeasure(const LanguageModel& model, const TextPerplexityOptions& options) : model_(model) {
    if (options.cache.used())
      cache_.emplace(options.cache, model.network->config().width_of_embeddings());
  }
  struct Batch {
    std::vector<float> with, without;
  };
  Batch measure(const LanguageBatch& batch) {
    Predictions predictions = predict(*model_.network, batch);
    require_finite(predictions.log_probabilities, "log-probabilities of the tokens", model_.source);
    Batch result{{}, predictions.log_probabilities};
    result.with = !cache_ ? result.without
                          : cache_->read(predictions.hidden, predictions.targets,
                                         predictions.log_probabilities);
    return result;
  }

 private:
  const LanguageModel& model_;
  std::optional<ContinuousCache> cache_;
};

// What was summed over a text.
struct TextSums {
  double nll = 0, nll_without = 0;
  std::int64_t tokens = 0;
};

TextPerplexity finished_perplexity(TextPerplexity result, const TextSums& sums,
                                   const LanguageCounts& counts, const LanguageModel& model) {
  result.perplexity.add(sums.nll, sums.tokens, counts.words, counts.characters);
  if (result.cache_tokens > 0)
    result.without_cache.emplace().add(sums.nll_without, sums.tokens, counts.words,
                                       counts.characters);
  for (const Perplexity& one :
       {result.perplexity, result.without_cache.value_or(result.perplexity)}) {
    const auto per_token = static_cast<float>(one.per_token());
    require_finite(std::span(&per_token, 1), "perplexity of the text", model.source);
  }
  return result;
}

}  // namespace

TextPerplexity text_perplexity(const LanguageModel& model, const LanguageText& text,
                               const TextPerplexityOptions& options, const Advance& advance) {
  TextPerplexity result = begun_perplexity(model, options);
  result.unknown = std::count(text.stream.begin(), text.stream.end(), model.tokenizer.unk_id());
  const LanguageEvaluationBatcher batches(text.stream, {result.context}, result.stride,
                                          options.batch);
  TextMeasure measure(model, options);
  TextSums sums{.tokens = text.targets()};
  for (std::int64_t i = 0; i < batches.batches(); ++i) {
    const TextMeasure::Batch batch = measure.measure(batches.batch(i));
    sums.nll += nll_of(batch.with);
    sums.nll_without += nll_of(batch.without);
    if (advance) advance(std::ssize(batch.with));
  }
  return finished_perplexity(std::move(result), sums, text, model);
}

namespace {

// The mean over windows of which some tokens do not count.
struct WeighedMean {
  double nll = 0, nll_without = 0, weight = 0;
  std::int64_t tokens = 0;

  void add(const TextMeasure::Batch& batch, std::size_t begin, std::size_t count, bool is_first) {
    const auto of = static_cast<double>(count);
    const double share = is_first ? 1.0 : (of - 1) / of;
    nll += share * nll_of(std::span(batch.with).subspan(begin, count));
    nll_without += share * nll_of(std::span(batch.without).subspan(begin, count));
    weight += share * of;
    tokens += static_cast<std::int64_t>(count);
  }
  TextSums sums() const {
    const double all = static_cast<double>(tokens) / weight;
    return {nll * all, nll_without * all, tokens};
  }
};

// `is_apart`: windows have no token in common, so each has a first one.
void add_document(std::vector<std::int32_t> ids, const TextPerplexity& windows,
                  const TextPerplexityOptions& options, TextMeasure& measure, WeighedMean& mean,
                  const Advance& advance) {
  std::vector<TokenWindow> all = document_windows(std::ssize(ids), windows.context, windows.stride);
  if (all.empty()) return;
  const bool is_apart = windows.stride == windows.context;
  const LanguageEvaluationBatcher batches(std::move(ids), std::move(all), options.batch);
  bool is_first = true;
  for (std::int64_t i = 0; i < batches.batches(); ++i) {
    const LanguageBatch batch = batches.batch(i);
    const TextMeasure::Batch measured = measure.measure(batch);
    std::size_t begin = 0;
    for (std::size_t b = 0; b < batch.first_scored.size(); ++b) {
      const auto count = static_cast<std::size_t>(batch.input.length(static_cast<std::int64_t>(b)) -
                                                  batch.first_scored[b]);
      mean.add(measured, begin, count, is_first || is_apart);
      begin += count;
      is_first = false;
    }
    if (advance) advance(std::ssize(measured.with));
  }
}

}  // namespace

TextPerplexity document_perplexity(const LanguageModel& model,
                                   std::span<const std::string> documents,
                                   const TextPerplexityOptions& options, const Advance& advance) {
  TextPerplexity result = begun_perplexity(model, options);
  TextMeasure measure(model, options);
  WeighedMean mean;
  for (const std::string& document : documents) {
    std::vector<std::int32_t> ids = model.passage_ids(document);
    result.unknown += std::count(ids.begin(), ids.end(), model.tokenizer.unk_id());
    add_document(std::move(ids), result, options, measure, mean, advance);
  }
  if (mean.tokens == 0)
    throw DataError("the text has no token to predict; expected two or more tokens");
  if (mean.weight == 0)
    throw ConfigError("stride: expected 2 or more, so that windows count; got 1");
  return finished_perplexity(std::move(result), mean.sums(),
                             count_text(documents, TextUnit::documents), model);
}

bool TextPerplexity::has_per_word() const {
  return perplexity.words > 0 && std::isfinite(perplexity.per_word());
}

std::string TextPerplexity::summary(int digits) const {
  std::string line =
      fmt::format("perplexity {:.{}f} per token ({}{})", perplexity.per_token(), digits,
                  counted(perplexity.tokens, "token"), of_documents ? "" : ", line ends included");
  if (has_per_word())
    line += fmt::format(", {:.{}f} per word ({})", perplexity.per_word(), digits,
                        counted(perplexity.words, "word"));
  if (perplexity.characters > 0)
    line += fmt::format(", {:.4f} bits per character", perplexity.bits_per_character());
  line += fmt::format("; context {}, stride {}", context, stride);
  if (without_cache)
    line += fmt::format("; with a cache of {}, {:.{}f} per token without",
                        counted(cache_tokens, "token"), without_cache->per_token(), digits);
  if (unknown > 0) line += fmt::format("; {} of the tokens unknown", unknown);
  return line;
}

Perplexity perplexity_of(std::span<const std::string> lines, const LanguageModel& model) {
  TextPerplexityOptions options;
  options.cache = model.cache;
  if (model.text.has_lines())
    return text_perplexity(model, encode_language(lines, model.tokenizer), options).perplexity;
  const std::string document = fmt::format("{}", fmt::join(lines, "\n"));
  return document_perplexity(model, std::span(&document, 1), options).perplexity;
}

}  // namespace attend
