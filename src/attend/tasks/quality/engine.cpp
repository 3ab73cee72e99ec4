#include "attend/tasks/quality/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string_view>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/core/threads/parallel.h"
#include "attend/core/version.h"
#include "attend/error.h"

namespace attend {

namespace {

// Tokens of all texts of a batch. A batch of more is not faster, only larger.
constexpr std::int64_t kQualityBatchTokens = 2048;
// A thread tokenizes so many at least.
constexpr std::int64_t kTextsToTokenize = 16;

using TokenIds = std::vector<std::vector<std::int32_t>>;

TokenIds ids_of(const QualityModel& model, std::span<const std::string> texts,
                std::string_view what) {
  TokenIds ids(texts.size());
  parallel_for(std::ssize(texts), kTextsToTokenize, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      if (!is_utf8(texts[i]))
        throw DataError(
            fmt::format("{} {}: expected UTF-8, found {}", what, i + 1, quote(texts[i])));
      ids[i] = model.ids(texts[i]);
    }
  });
  return ids;
}

void require_texts(std::span<const std::string> texts, std::string_view what, std::size_t count) {
  if (texts.size() != count)
    throw ConfigError(fmt::format("expected a {} for each of {} translations, got {}", what, count,
                                  texts.size()));
}

Ragged batch_of(const TokenIds& ids, std::span<const std::size_t> lines) {
  RaggedBuilder batch;
  if (!ids.empty())
    for (const std::size_t line : lines) batch.add(ids[line]);
  return batch.build();
}

// Scores as whole numbers, which reports add up: in units that no printed score shows, and with
// room for the sum of many lines.
constexpr double kScoreUnits = 1 << 30, kLargestScore = 1 << 10;

SegmentCounts counts_of(std::span<const float> scores) {
  SegmentCounts counts{2, {}};
  for (const float score : scores) {
    if (std::abs(score) > kLargestScore)
      throw DataError(
          fmt::format("expected scores of translations up to {}, found {}", kLargestScore, score));
    counts.values.push_back(std::llround(static_cast<double>(score) * kScoreUnits));
    counts.values.push_back(1);
  }
  return counts;
}

double mean_score(std::span<const std::int64_t> sum) {
  return static_cast<double>(sum[0]) / kScoreUnits / static_cast<double>(sum[1]);
}

std::vector<std::string> stripped(std::span<const std::string> lines) {
  std::vector<std::string> all;
  all.reserve(lines.size());
  for (const std::string& line : lines) all.emplace_back(unicode::strip(line));
  return all;
}

}  // namespace

QualityEngine QualityEngine::load(const std::filesystem::path& path) {
  return QualityEngine(load_quality_model(path));
}

std::vector<float> QualityEngine::score(std::span<const std::string> translations,
                                        const QualityContext& context) const {
  const bool source = model_->reads_source(),
             reference = model_->needs_reference() ||
                         (model_->reads_reference() && !context.references.empty());
  if (source) require_texts(context.sources, "source", translations.size());
  if (reference) require_texts(context.references, "reference", translations.size());
  const TokenIds ids = ids_of(*model_, translations, "translation");
  const TokenIds sources = source ? ids_of(*model_, context.sources, "source") : TokenIds();
  const TokenIds references =
      reference ? ids_of(*model_, context.references, "reference") : TokenIds();
  const auto cost = [&](std::size_t line) {
    return std::ssize(ids[line]) + (source ? std::ssize(sources[line]) : 0) +
           (reference ? std::ssize(references[line]) : 0);
  };
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return cost(a) > cost(b); });
  std::vector<float> scores(ids.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    for (std::int64_t tokens = 0; end < order.size(); ++end) {
      tokens += cost(order[end]);
      if (end > begin && tokens > kQualityBatchTokens) break;
    }
    const std::span<const std::size_t> lines(order.data() + begin, end - begin);
    const std::vector<float> some = quality_scores(
        *model_, {batch_of(ids, lines), batch_of(sources, lines), batch_of(references, lines)});
    for (std::size_t i = 0; i < lines.size(); ++i) scores[lines[i]] = some[i];
    begin = end;
  }
  return scores;
}

std::vector<float> QualityEngine::score_lines(std::span<const std::string> translations,
                                              const QualityContext& context) const {
  const std::vector<std::string> sources = stripped(context.sources),
                                 references = stripped(context.references);
  return score(stripped(translations), {sources, references});
}

ReportedMetric quality_metric(QualityEngine engine, const std::string& name,
                              const QualityContext& context, const Resampling& resampling) {
  const QualityModel& model = engine.model();
  const bool reference = model.reads_reference() && !context.references.empty();
  const std::string signature = fmt::format("nrefs:{}{}|src:{}|model:{}|version:attend-{}",
                                            reference ? 1 : 0, resampling_signature(resampling),
                                            model.reads_source() ? "yes" : "no", name, kVersion);
  const auto count = [engine = std::move(engine), context](std::span<const std::string> lines) {
    return counts_of(engine.score_lines(lines, context));
  };
  constexpr int kMoreDigits = 2;  // than metrics whose best score is 100
  return {"COMET",
          signature,
          count,
          mean_score,
          [](std::span<const std::int64_t>) { return std::string(); },
          /*less_is_better=*/false,
          kMoreDigits};
}

}  // namespace attend
