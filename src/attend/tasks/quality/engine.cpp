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
#include "attend/core/threads/interruption.h"
#include "attend/core/version.h"
#include "attend/error.h"
#include "attend/ops/embedding.h"
#include "attend/tasks/quality/encoded_texts.h"

namespace attend {

namespace {

// Lines whose vectors are in memory together, and pairs of vectors that are scored together.
constexpr std::size_t kLinesTogether = 4096, kPairsTogether = 1024;
// Texts whose vectors are kept for further systems.
constexpr std::size_t kMostKeptTexts = 32768;

using TokenIds = std::vector<std::vector<std::int32_t>>;

void require_utf8(std::span<const std::string> texts, std::string_view what) {
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (!is_utf8(texts[i]))
      throw DataError(fmt::format("{} {}: expected UTF-8, found {}", what, i + 1, quote(texts[i])));
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

// What a translation is scored with, in the order of the translations. Texts are UTF-8.
struct Sides {
  std::span<const std::string> translations, sources, references;
};

// Each text has its vector; those of sources and references may be known already.
std::vector<float> scores_of_vectors(const QualityModel& model, const Sides& sides,
                                     const EncodedTexts* known) {
  std::vector<float> scores;
  const auto part = [](std::span<const std::string> side, std::size_t begin, std::size_t end) {
    return side.empty() ? side : side.subspan(begin, end - begin);
  };
  for (std::size_t begin = 0; begin < sides.translations.size(); begin = scores.size()) {
    const std::size_t last = std::min(begin + kLinesTogether, sides.translations.size());
    EncodedTexts own(model);
    own.add(part(sides.translations, begin, last));
    if (known == nullptr) {
      own.add(part(sides.sources, begin, last));
      own.add(part(sides.references, begin, last));
    }
    const EncodedTexts& context = known == nullptr ? own : *known;
    while (scores.size() < last) {
      look_for_interruption();
      const std::size_t from = scores.size(), to = std::min(from + kPairsTogether, last);
      const std::vector<float> some = quality_scores(
          model, QualityVectors{own.rows(part(sides.translations, from, to)),
                                context.rows(part(sides.sources, from, to)),
                                sides.references.empty()
                                    ? Variable()
                                    : context.rows(part(sides.references, from, to))});
      scores.insert(scores.end(), some.begin(), some.end());
    }
  }
  return scores;
}

std::vector<float> scores_of_joined(const QualityModel& model, const Sides& sides) {
  const TokenIds ids = quality_ids(model, sides.translations),
                 sources = quality_ids(model, sides.sources),
                 references = quality_ids(model, sides.references);
  std::vector<std::int64_t> costs;
  for (std::size_t line = 0; line < ids.size(); ++line)
    costs.push_back(std::ssize(ids[line]) + (sources.empty() ? 0 : std::ssize(sources[line])) +
                    (references.empty() ? 0 : std::ssize(references[line])));
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  std::vector<float> scores(ids.size());
  for (const std::span<const std::size_t> lines : quality_batches(order, costs)) {
    look_for_interruption();
    const std::vector<float> some = quality_scores(
        model,
        QualityTexts{batch_of(ids, lines), batch_of(sources, lines), batch_of(references, lines)});
    for (std::size_t i = 0; i < lines.size(); ++i) scores[lines[i]] = some[i];
  }
  return scores;
}

// The texts that the model reads of these. Throws ConfigError and DataError.
Sides checked_sides(const QualityModel& model, std::span<const std::string> translations,
                    const QualityContext& context) {
  Sides sides{translations, {}, {}};
  if (model.reads_source()) sides.sources = context.sources;
  if (model.reads_reference()) sides.references = context.references;
  if (model.reads_source()) require_texts(sides.sources, "source", translations.size());
  if (model.needs_reference() || !sides.references.empty())
    require_texts(sides.references, "reference", translations.size());
  require_utf8(sides.translations, "translation");
  require_utf8(sides.sources, "source");
  require_utf8(sides.references, "reference");
  return sides;
}

// The vectors of what several systems translate and are compared with; null where there are none,
// or too many to keep.
std::shared_ptr<const EncodedTexts> encoded_context(const QualityModel& model,
                                                    const QualityContext& context) {
  if (!model.encodes_texts_alone() ||
      context.sources.size() + context.references.size() > kMostKeptTexts)
    return nullptr;
  require_utf8(context.sources, "source");
  require_utf8(context.references, "reference");
  const auto texts = std::make_shared<EncodedTexts>(model);
  texts->add(context.sources);
  if (model.reads_reference()) texts->add(context.references);
  return texts;
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
  const Sides sides = checked_sides(*model_, translations, context);
  return model_->encodes_texts_alone() ? scores_of_vectors(*model_, sides, nullptr)
                                       : scores_of_joined(*model_, sides);
}

std::vector<float> QualityEngine::score_lines(std::span<const std::string> translations,
                                              const QualityContext& context) const {
  const std::vector<std::string> sources = stripped(context.sources),
                                 references = stripped(context.references);
  return score(stripped(translations), {sources, references});
}

std::vector<double> QualityEngine::pair_scores(const std::string& source,
                                               std::span<const std::string> translations) const {
  if (translations.empty()) return {};
  require_utf8(translations, "translation");
  require_utf8(std::span(&source, 1), "source");
  EncodedTexts encoded(*model_);
  encoded.add(translations);
  encoded.add(std::span(&source, 1));
  const Variable texts = encoded.rows(translations),
                 source_vector = encoded.rows(std::span(&source, 1));
  const std::size_t count = translations.size();
  std::vector<double> scores;
  while (scores.size() < count * count) {
    look_for_interruption();
    const std::size_t end = std::min(scores.size() + kPairsTogether, count * count);
    std::vector<std::int32_t> translation_rows, reference_rows;
    for (std::size_t pair = scores.size(); pair < end; ++pair) {
      translation_rows.push_back(static_cast<std::int32_t>(pair % count));
      reference_rows.push_back(static_cast<std::int32_t>(pair / count));
    }
    const std::vector<std::int32_t> source_rows(translation_rows.size(), 0);
    const std::vector<float> some =
        quality_scores(*model_, QualityVectors{gather_rows(texts, translation_rows),
                                               gather_rows(source_vector, source_rows),
                                               gather_rows(texts, reference_rows)});
    scores.insert(scores.end(), some.begin(), some.end());
  }
  return scores;
}

ReportedMetric quality_metric(QualityEngine engine, const std::string& name,
                              const QualityContext& context, const Resampling& resampling) {
  const QualityModel& model = engine.model();
  const bool reference = model.reads_reference() && !context.references.empty();
  const std::string signature = fmt::format("nrefs:{}{}|src:{}|model:{}|version:attend-{}",
                                            reference ? 1 : 0, resampling_signature(resampling),
                                            model.reads_source() ? "yes" : "no", name, kVersion);
  const auto sources = std::make_shared<const std::vector<std::string>>(stripped(context.sources)),
             references =
                 std::make_shared<const std::vector<std::string>>(stripped(context.references));
  const auto known = encoded_context(model, {*sources, *references});
  const auto count = [engine = std::move(engine), sources, references,
                      known](std::span<const std::string> lines) {
    const std::vector<std::string> read = stripped(lines);
    if (!known) return counts_of(engine.score(read, {*sources, *references}));
    const Sides sides = checked_sides(engine.model(), read, {*sources, *references});
    return counts_of(scores_of_vectors(engine.model(), sides, known.get()));
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
