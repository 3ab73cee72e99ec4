#include "attend/tasks/translation/trust/calibrating.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "attend/core/options/option_fields.h"
#include "attend/core/random/random.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/tasks/translation/translation_call.h"
#include "attend/tasks/translation/trust/names.h"
#include "attend/tasks/translation/trust/trust.h"

namespace attend {

namespace {

constexpr std::size_t kFewestPairs = 200;
constexpr std::int64_t kLongestPair = 256;  // in tokens, on each side
// A text counts as detached where at most so many right ones would and, if there are enough, so
// many wrong ones do.
constexpr double kMostRight = 0.005, kWrong = 0.99;

// A pair with what the model makes of it, and of its translation beside a wrong source.
struct JudgedPair {
  std::string source, reference;
  TranslationCandidate translation;
  std::string other_source, other_reference;  // of another pair; empty: none is as long
  std::vector<float> wrong_scores;            // of the translation
  // The same of the reference; the last is without a source.
  std::vector<float> reference_scores, wrong_reference_scores, reference_alone;
};

using JudgedPairs = std::vector<JudgedPair>;

// Pairs from all of the text that the model can read.
JudgedPairs chosen_pairs(const TranslationEngine& engine, std::span<const std::string> sources,
                         std::span<const std::string> targets, int most) {
  const std::int64_t room = engine.longest_source();
  const std::int64_t longest = room > 0 ? std::min(room, kLongestPair) : kLongestPair;
  const auto fits = [&](const std::string& text, const Tokenizer& tokenizer) {
    const std::int64_t tokens = std::ssize(tokenizer.encode(text));
    return !is_blank(text) && tokens > 0 && tokens <= longest;
  };
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (fits(sources[i], engine.model().src_tokenizer) &&
        fits(targets[i], engine.model().tgt_tokenizer))
      places.push_back(i);
  if (places.size() < kFewestPairs)
    throw DataError(fmt::format("expected at least {} pairs of sentences to calibrate with, got {}",
                                kFewestPairs, places.size()));
  const std::size_t count = std::min(places.size(), static_cast<std::size_t>(most));
  JudgedPairs pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = places[i * places.size() / count];
    JudgedPair& pair = pairs.emplace_back();
    pair.source = sources[place];
    pair.reference = targets[place];
  }
  return pairs;
}

// Gives every pair the source of another one of about its length.
void choose_wrong_sources(JudgedPairs& pairs, std::uint64_t seed) {
  constexpr std::size_t kNear = 20, kTries = 20;
  std::vector<std::size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return pairs[a].source.size() < pairs[b].source.size();
  });
  Random random({seed, stream_of("wrong sources")});
  for (std::size_t i = 0; i < order.size(); ++i) {
    JudgedPair& pair = pairs[order[i]];
    const std::size_t begin = i < kNear ? 0 : i - kNear,
                      end = std::min(order.size(), i + kNear + 1);
    for (std::size_t t = 0; t < kTries && pair.other_source.empty(); ++t) {
      const JudgedPair& other = pairs[order[begin + random.below(end - begin)]];
      if (other.source == pair.source || other.reference == pair.reference) continue;
      pair.other_source = other.source;
      pair.other_reference = other.reference;
    }
  }
}

// The scores of texts beside sources, in the order of the pairs.
template <class Source, class Target>
std::vector<SequenceScore> scores_of(const TranslationEngine& engine, const JudgedPairs& pairs,
                                     const Source& source, const Target& target,
                                     const LanguagePair& languages) {
  std::vector<std::string> sources, targets;
  for (const JudgedPair& pair : pairs) {
    sources.push_back(source(pair));
    targets.push_back(target(pair));
  }
  return engine.score(sources, targets, {}, languages);
}

void judge_pairs(const TranslationEngine& engine, JudgedPairs& pairs,
                 const LanguagePair& languages) {
  TranslationOptions options = engine.default_options();
  options.languages = languages;
  std::vector<std::string> sources;
  for (const JudgedPair& pair : pairs) sources.push_back(pair.source);
  std::vector<Translation> translations = engine.translate(sources, options);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    pairs[i].translation = std::move(translations[i].candidates.front());
  const auto own = [](const JudgedPair& pair) { return pair.source; };
  const auto other = [](const JudgedPair& pair) { return pair.other_source; };
  const auto none = [](const JudgedPair&) { return std::string(); };
  const auto translation = [](const JudgedPair& pair) { return pair.translation.text; };
  const auto reference = [](const JudgedPair& pair) { return pair.reference; };
  const auto wrong = scores_of(engine, pairs, other, translation, languages),
             right_reference = scores_of(engine, pairs, own, reference, languages),
             wrong_reference = scores_of(engine, pairs, other, reference, languages),
             alone = scores_of(engine, pairs, none, reference, languages);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i].wrong_scores = wrong[i].token_scores;
    pairs[i].reference_scores = right_reference[i].token_scores;
    pairs[i].wrong_reference_scores = wrong_reference[i].token_scores;
    pairs[i].reference_alone = alone[i].token_scores;
  }
}

// Pairs with one source are in one half.
std::pair<JudgedPairs, JudgedPairs> halves(JudgedPairs pairs) {
  std::pair<JudgedPairs, JudgedPairs> both;
  for (JudgedPair& pair : pairs)
    (stream_of(pair.source) % 2 == 0 ? both.first : both.second).push_back(std::move(pair));
  return both;
}

double chrf_of(const JudgedPair& pair, const std::string& reference) {
  return sentence_chrf(pair.translation.text, std::vector{reference}) / 100;
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

// Where texts count as detached, by a number that is higher for right ones than for wrong ones.
double detached_below(const std::vector<double>& right, const std::vector<double>& wrong) {
  const double most = quantile(right, kMostRight);
  return wrong.empty() ? most : std::min(most, quantile(wrong, kWrong));
}

TrustCalibration learned(const JudgedPairs& pairs) {
  std::vector<TrustFeatures> features, wrong_features;
  std::vector<double> chrf, wrong_chrf, right_mean, wrong_mean, reference, wrong_reference;
  for (const JudgedPair& pair : pairs) {
    features.push_back(trust_features(pair.translation.token_scores));
    chrf.push_back(chrf_of(pair, pair.reference));
    right_mean.push_back(features.back()[0]);
    reference.push_back(said_by_source(pair.reference_scores, pair.reference_alone));
    if (pair.other_source.empty()) continue;
    wrong_features.push_back(trust_features(pair.wrong_scores));
    wrong_chrf.push_back(chrf_of(pair, pair.other_reference));
    wrong_mean.push_back(wrong_features.back()[0]);
    wrong_reference.push_back(said_by_source(pair.wrong_reference_scores, pair.reference_alone));
  }
  TrustCalibration calibration = fit_trust(features, chrf);
  extend_curve(calibration, wrong_features, wrong_chrf);
  calibration.detached_below = detached_below(right_mean, wrong_mean);
  calibration.least_said_by_source = detached_below(reference, wrong_reference);
  return calibration;
}

// Tenths of the pairs by their confidence.
std::vector<ReliabilityPart> reliability(std::vector<std::pair<double, double>> pairs) {
  constexpr std::size_t kParts = 10;
  std::sort(pairs.begin(), pairs.end());
  std::vector<ReliabilityPart> parts;
  for (std::size_t p = 0; p < kParts; ++p) {
    const std::size_t begin = pairs.size() * p / kParts, end = pairs.size() * (p + 1) / kParts;
    if (begin == end) continue;
    ReliabilityPart& part = parts.emplace_back();
    part.pairs = end - begin;
    for (std::size_t i = begin; i < end; ++i) {
      part.confidence += pairs[i].first / static_cast<double>(part.pairs);
      part.chrf += pairs[i].second / static_cast<double>(part.pairs);
    }
  }
  return parts;
}

double correlation_of(const std::vector<std::pair<double, double>>& pairs) {
  double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (const auto& [a, b] : pairs) {
    x += a;
    y += b;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  const auto n = static_cast<double>(pairs.size());
  const double spread = std::sqrt((xx - x * x / n) * (yy - y * y / n));
  return spread > 0 ? (xy - x * y / n) / spread : 0;
}

void count_flags(const TranslationTrust& trust, bool is_right,
                 std::map<std::string, FlagCounts>& counts) {
  const auto count = [&](const std::string& name) {
    FlagCounts& flag = counts[name];
    flag.name = name;
    ++(is_right ? flag.right : flag.wrong);
  };
  for (const TranslationFlag& flag : trust.flags) count(flag.name);
  if (!trust.flags.empty()) count("any");
}

// `judge`: the trust of a pair; with the wrong source, or with its own.
template <class Judge>
FlagMeasure measured_flags(const JudgedPairs& pairs, const Judge& judge) {
  FlagMeasure measure;
  std::map<std::string, FlagCounts> counts;
  for (const JudgedPair& pair : pairs) {
    ++measure.right;
    count_flags(judge(pair, true), true, counts);
    if (pair.other_source.empty()) continue;
    ++measure.wrong;
    count_flags(judge(pair, false), false, counts);
  }
  for (auto& [name, flag] : counts)
    if (name != "any") measure.flags.push_back(flag);
  if (counts.contains("any")) measure.flags.push_back(counts["any"]);
  return measure;
}

void measure_trust(const JudgedPairs& pairs, const TrustJudge& judge, CalibrationReport& report) {
  report.measured_on = pairs.size();
  std::vector<std::pair<double, double>> confidences;  // with chrF
  report.translations = measured_flags(pairs, [&](const JudgedPair& pair, bool is_right) {
    const TranslationTrust trust =
        judge.of(is_right ? pair.source : pair.other_source, pair.translation.text,
                 TranslationScores{is_right ? pair.translation.token_scores : pair.wrong_scores});
    if (is_right) confidences.emplace_back(*trust.confidence, chrf_of(pair, pair.reference));
    return trust;
  });
  report.references = measured_flags(pairs, [&](const JudgedPair& pair, bool is_right) {
    return judge.of(
        is_right ? pair.source : pair.other_source, pair.reference,
        TranslationScores{is_right ? pair.reference_scores : pair.wrong_reference_scores,
                          pair.reference_alone});
  });
  report.correlation = correlation_of(confidences);
  report.parts = reliability(std::move(confidences));
  for (const ReliabilityPart& part : report.parts)
    report.error += std::abs(part.confidence - part.chrf) * static_cast<double>(part.pairs) /
                    static_cast<double>(pairs.size());
}

}  // namespace

double FlagMeasure::precision(const FlagCounts& flag) {
  const std::size_t all = flag.right + flag.wrong;
  return all == 0 ? 0 : static_cast<double>(flag.wrong) / static_cast<double>(all);
}

double FlagMeasure::recall(const FlagCounts& flag) const {
  return wrong == 0 ? 0 : static_cast<double>(flag.wrong) / static_cast<double>(wrong);
}

TrustCalibration calibrate_trust(const TranslationEngine& engine,
                                 std::span<const std::string> sources,
                                 std::span<const std::string> targets,
                                 const CalibrationOptions& options, CalibrationReport& report) {
  check_options(options);
  JudgedPairs pairs = chosen_pairs(engine, sources, targets, options.pairs);
  choose_wrong_sources(pairs, options.seed);
  judge_pairs(engine, pairs, options.languages);
  const auto [first, second] = halves(std::move(pairs));
  if (first.size() < kFewestPairs / 4 || second.size() < kFewestPairs / 4)
    throw DataError("expected different sources to calibrate with, got many equal ones");
  TrustCalibration calibration = learned(first);
  report.learned_from = first.size();
  calibration.languages = options.languages;
  std::vector<std::string> names_src, names_tgt;  // none of the pairs that are measured
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (stream_of(sources[i]) % 2 != 0) continue;
    names_src.push_back(sources[i]);
    names_tgt.push_back(targets[i]);
  }
  calibration.names = learn_names(names_src, names_tgt);
  const TrustJudge judge(text_languages(engine.model(), options.languages, {}),
                         std::make_shared<const TrustCalibration>(calibration));
  measure_trust(second, judge, report);
  return calibration;
}

}  // namespace attend
