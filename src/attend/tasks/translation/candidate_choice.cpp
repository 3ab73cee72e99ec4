#include "attend/tasks/translation/candidate_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <unordered_map>

#include "attend/core/options/option_error.h"
#include "attend/core/strings/unicode.h"
#include "attend/core/threads/entered_runtime.h"
#include "attend/decode/beam_search.h"
#include "attend/error.h"
#include "attend/metrics/expected_utility.h"
#include "attend/tasks/quality/scorer.h"

namespace attend {

namespace {

const QualityModel& model_of(const QualityScorer& scorer) {
  return QualityAccess::view(scorer).engine.model();
}

// comet-mbr of COMET refuses the same models.
void require_utility(const QualityModel& model) {
  if (!model.reads_reference())
    throw OptionError<ConfigError>(
        "{}: expected a model that compares translations with references, as COMET; {} reads none: "
        "give it as {}",
        as_flag("comet"), model.source, as_flag("rerank"));
  if (!model.encodes_texts_alone())
    throw OptionError<ConfigError>(
        "{}: expected a model that encodes each text alone, as COMET; {} reads texts together",
        as_flag("comet"), model.source);
}

void require_estimator(const QualityModel& model) {
  if (model.needs_reference())
    throw OptionError<ConfigError>(
        "{}: expected a model that needs no references, as CometKiwi; {} needs them: give it as "
        "{}, "
        "with {} comet",
        as_flag("rerank"), model.source, as_flag("comet"), as_flag("mbr"));
}

// What an expectation gives to each candidate: samples are equal, outputs of a search have their
// probabilities among these.
std::vector<double> weights_of(const TranslationOptions& options,
                               std::span<const double> log_probabilities) {
  double most = -std::numeric_limits<double>::infinity(), sum = 0;
  for (const double one : log_probabilities) most = std::max(most, one);
  std::vector<double> weights;
  for (const double one : log_probabilities)
    sum += weights.emplace_back(options.sampling ? 1 : std::exp(one - most));
  for (double& weight : weights) weight /= sum;
  return weights;
}

std::vector<std::string> stripped_texts(std::span<const std::string> texts) {
  std::vector<std::string> all;
  all.reserve(texts.size());
  for (const std::string& text : texts) all.emplace_back(unicode::strip(text));
  return all;
}

// Equal candidates are scored once.
std::vector<double> estimated_qualities(const QualityEngine& engine, const std::string& source,
                                        std::span<const std::string> texts) {
  std::unordered_map<std::string_view, std::size_t> numbers;
  std::vector<std::string> distinct;
  for (const std::string& text : texts)
    if (numbers.try_emplace(text, distinct.size()).second) distinct.push_back(text);
  const std::vector<std::string> sources(distinct.size(), source);
  const std::vector<float> scores = engine.score(distinct, {sources, {}});
  std::vector<double> all;
  for (const std::string& text : texts) all.push_back(scores[numbers.at(text)]);
  return all;
}

std::vector<double> values_of(const TranslationOptions& options, const Candidates& candidates) {
  const auto& [source_text, texts, log_probabilities] = candidates;
  if (!chooses_by_model(options))
    return expected_utilities(pair_utility(options.mbr), texts,
                              weights_of(options, log_probabilities));
  // As lines of files, which programs of COMET read.
  const std::vector<std::string> read = stripped_texts(texts);
  const std::string source(unicode::strip(source_text));
  const ModelView<QualityEngine>& view =
      QualityAccess::view(options.rerank ? *options.rerank : *options.comet);
  const EnteredRuntime entered(view.runtime);
  if (options.rerank) return estimated_qualities(view.engine, source, read);
  return expected_utilities(
      [&](std::span<const std::string> some) { return view.engine.pair_scores(source, some); },
      read, weights_of(options, log_probabilities),
      options.sampling ? ComparedWith::others : ComparedWith::all);
}

}  // namespace

void check_choice(const TranslationOptions& options) {
  if (options.rerank && options.mbr != Utility::none)
    throw OptionError<ConfigError>("{}: expected no {} with it; either chooses the translation",
                                   as_flag("rerank"), as_flag("mbr"));
  if (options.comet && options.mbr != Utility::comet)
    throw OptionError<ConfigError>("{}: expected {} comet with it", as_flag("comet"),
                                   as_flag("mbr"));
  if (options.mbr == Utility::comet && !options.comet)
    throw OptionError<ConfigError>("{}: comet needs a model, given as {}", as_flag("mbr"),
                                   as_flag("comet"));
  if (options.comet) require_utility(model_of(*options.comet));
  if (options.rerank) require_estimator(model_of(*options.rerank));
  if (options.samples > 0 && !chooses(options))
    throw OptionError<ConfigError>("{}: expected {} or {}", as_key("samples"), as_flag("mbr"),
                                   as_flag("rerank"));
  if (options.samples > 0 && !options.sampling)
    throw OptionError<ConfigError>("{}: expected sampling", as_key("samples"));
  if (chooses(options) && options.sampling && options.samples < options.beam.n_best)
    throw OptionError<ConfigError>(
        "{}: expected as many to choose from as there are translations, {}, or more; got {}",
        as_key("samples"), options.beam.n_best, options.samples);
}

bool chooses(const TranslationOptions& options) {
  return options.mbr != Utility::none || options.rerank;
}

bool chooses_by_model(const TranslationOptions& options) {
  return options.mbr == Utility::comet || options.rerank;
}

int candidates_of(const TranslationOptions& options) {
  if (!chooses(options)) return options.beam.n_best;
  if (options.sampling) return options.samples;
  return static_cast<int>(std::min<std::size_t>(most_outputs(options.beam), kBeamSizes.most));
}

std::vector<std::size_t> ranked(const TranslationOptions& options, const Candidates& candidates) {
  const std::vector<double> values = values_of(options, candidates);
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  return order;
}

}  // namespace attend
