// Models of quality that choose among translations; other choices are in minimum_risk_test.cpp.
#include "attend/tasks/translation/candidate_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "attend/core/threads/runtime.h"
#include "attend/error.h"
#include "attend/tasks/quality/scorer.h"
#include "tasks/small_quality.h"
#include "tasks/translation/small_translator.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Texts = std::vector<std::string>;

QualityModel choosing_model(QualityReading reading, bool reference) {
  QualityModel model = small_quality_model(
      reading, true, reference,
      scored_words({"the old dog sees the small cat", "a cat eats the fish & chips",
                    "der alte hund sieht die kleine katze", "eine katze frisst den fisch"},
                   60));
  model.length.max_length = 16;
  model.source = "quality.safetensors";
  return model;
}

const QualityEngine& comet() {
  static const QualityEngine engine(choosing_model(QualityReading::compared, true));
  return engine;
}

const QualityEngine& kiwi() {
  static const QualityEngine engine(choosing_model(QualityReading::joined, false));
  return engine;
}

TranslationOptions with_samples(int count, int n_best = 1) {
  TranslationOptions options;
  options.sampling = SamplingOptions{.temperature = 2, .max_length = 6};
  options.samples = count;
  options.beam.n_best = n_best;
  return options;
}

TranslationOptions by_comet(TranslationOptions options) {
  options.mbr = Utility::comet;
  options.comet = QualityAccess::scorer(comet());
  return options;
}

TranslationOptions by_kiwi(TranslationOptions options) {
  options.rerank = QualityAccess::scorer(kiwi());
  return options;
}

// All that there is to choose from.
std::vector<Translation> candidates_for(const Texts& sentences, TranslationOptions options) {
  options.mbr = Utility::none;
  options.comet.reset();
  options.rerank.reset();
  options.beam.n_best =
      options.sampling ? options.samples : static_cast<int>(most_outputs(options.beam));
  options.samples = 0;
  return translator().translate(sentences, options);
}

double score_of(const QualityEngine& engine, const std::string& source,
                const std::string& translation, const std::string& reference) {
  return engine.score(std::span(&translation, 1),
                      {std::span(&source, 1), std::span(&reference, 1)})[0];
}

// The mean against all others, as comet-mbr computes it.
std::vector<double> means_against_others(const std::string& source,
                                         const std::vector<TranslationCandidate>& all) {
  std::vector<double> values;
  for (std::size_t h = 0; h < all.size(); ++h) {
    double sum = 0;
    for (std::size_t r = 0; r < all.size(); ++r)
      if (r != h) sum += score_of(comet(), source, all[h].text, all[r].text);
    values.push_back(sum / static_cast<double>(all.size() - 1));
  }
  return values;
}

std::vector<double> expected_in_beam(const std::string& source,
                                     const std::vector<TranslationCandidate>& all) {
  std::vector<double> values;
  for (const TranslationCandidate& h : all) {
    double sum = 0, weights = 0;
    for (const TranslationCandidate& r : all) {
      const double weight = std::exp(double{r.log_probability});
      sum += weight * score_of(comet(), source, h.text, r.text);
      weights += weight;
    }
    values.push_back(sum / weights);
  }
  return values;
}

std::vector<double> estimates(const std::string& source,
                              const std::vector<TranslationCandidate>& all) {
  std::vector<double> values;
  for (const TranslationCandidate& one : all)
    values.push_back(score_of(kiwi(), source, one.text, ""));
  return values;
}

using CandidateValues = std::function<std::vector<double>(
    const std::string&, const std::vector<TranslationCandidate>&)>;

void expect_best(const Texts& sentences, const TranslationOptions& options,
                 const CandidateValues& values) {
  const auto all = candidates_for(sentences, options);
  const auto found = translator().translate(sentences, options);
  int others_than_first = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    SCOPED_TRACE(sentences[i]);
    const std::vector<TranslationCandidate>& candidates = all[i].candidates;
    if (sentences[i].empty()) continue;
    const std::vector<double> of_all = values(sentences[i], candidates);
    std::vector<double> sorted = of_all;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const std::size_t count =
        std::min(candidates.size(), static_cast<std::size_t>(options.beam.n_best));
    ASSERT_EQ(found[i].candidates.size(), count);
    for (std::size_t k = 0; k < count; ++k) {
      const TranslationCandidate& chosen = found[i].candidates[k];
      const auto at =
          std::find_if(candidates.begin(), candidates.end(),
                       [&](const TranslationCandidate& one) { return one.text == chosen.text; });
      ASSERT_NE(at, candidates.end());
      EXPECT_NEAR(of_all[static_cast<std::size_t>(at - candidates.begin())], sorted[k], 1e-6);
    }
    if (found[i].candidates[0].text != candidates[0].text) ++others_than_first;
  }
  EXPECT_GT(others_than_first, 0);
}

Texts to_choose_for() {
  Texts sentences = random_sentences(12);
  sentences.insert(sentences.begin(), {"", "a"});
  return sentences;
}

TEST(CandidateChoice, ByCometComparesASampleWithAllOthers) {
  expect_best(to_choose_for(), by_comet(with_samples(14, 3)), means_against_others);
}

TEST(CandidateChoice, ByCometInABeamIsAnExpectation) {
  TranslationOptions options = beam_of(6, 2);
  options.beam.patience = 2;
  expect_best(to_choose_for(), by_comet(options), expected_in_beam);
}

TEST(CandidateChoice, ByEstimatedQualityTakesTheHighest) {
  expect_best(to_choose_for(), by_kiwi(with_samples(14, 3)), estimates);
  expect_best(to_choose_for(), by_kiwi(beam_of(6, 2)), estimates);
}

// The word that stands in for a span is not what people read.
TEST(CandidateChoice, ReadsProtectedSpansAsTheyAre) {
  Texts sentences;
  for (const std::string& sentence : random_sentences(100))
    if (const std::size_t at = sentence.find("dog");
        at != sentence.npos && sentence.find("dog", at + 1) == sentence.npos)
      sentences.push_back(sentence);
  ASSERT_GT(sentences.size(), 20u);
  const QualityEngine engine(choosing_model(QualityReading::compared, false));
  TranslationOptions options = beam_of(8);
  options.rerank = QualityAccess::scorer(engine);
  options.protect = {"dog"};
  options.preparation.lowercase = true;  // the model can spell "peter"
  expect_best(sentences, options,
              [&](const std::string& source, const std::vector<TranslationCandidate>& all) {
                std::vector<double> values;
                for (const TranslationCandidate& one : all)
                  values.push_back(score_of(engine, source, one.text, ""));
                return values;
              });
}

TEST(CandidateChoice, IsTheSameInAnyCompanyOnAnyThreads) {
  const Texts sentences = to_choose_for();
  for (const TranslationOptions& options :
       {by_comet(with_samples(9, 2)), by_kiwi(beam_of(5, 2)), by_comet(beam_of(5))}) {
    const auto all = translator().translate(sentences, options);
    for (const int threads : {1, 3}) {
      const RuntimeScope runtime({.threads = threads});
      expect_same(translator().translate(sentences, options), all);
    }
    // The model may have threads of its own.
    TranslationOptions elsewhere = options;
    std::optional<QualityScorer>& scorer = options.rerank ? elsewhere.rerank : elsewhere.comet;
    scorer =
        QualityAccess::scorer(QualityAccess::view(*scorer).engine, make_runtime({.threads = 2}));
    const RuntimeScope runtime({.threads = 3});
    expect_same(translator().translate(sentences, elsewhere), all);
    if (options.sampling) continue;  // samples depend on the number of the sentence
    for (std::size_t i = 0; i < sentences.size(); ++i)
      expect_same(translator().translate(std::span(sentences).subspan(i, 1), options).front(),
                  all[i]);
  }
}

TEST(CandidateChoice, OfOneCandidateIsThat) {
  const Texts sentences{"the old dog"};
  for (const auto& by : {by_comet, by_kiwi}) {
    const auto all = candidates_for(sentences, with_samples(1));
    EXPECT_EQ(translator().translate(sentences, by(with_samples(1))).front().text(),
              all.front().text());
    EXPECT_EQ(translator().translate(sentences, by(beam_of(1))).front().text(),
              translator().translate(sentences, beam_of(1)).front().text());
  }
}

TEST(CandidateChoice, RefusesModelsThatCannotChoose) {
  const auto refused = [](const TranslationOptions& options,
                          const std::vector<std::string_view>& message) {
    for (const std::string_view part : message)
      expect_error<ConfigError>([&] { translator().translate(Texts{"a cat"}, options); }, {part});
  };
  TranslationOptions options = by_comet(beam_of(2));
  options.comet = QualityAccess::scorer(kiwi());
  refused(options, {"comet: expected a model that compares translations with references",
                    "quality.safetensors reads none: give it as rerank"});
  options.comet =
      QualityAccess::scorer(QualityEngine(choosing_model(QualityReading::joined, true)));
  refused(options, {"comet: expected a model that encodes each text alone"});
  options = by_kiwi(beam_of(2));
  options.rerank = QualityAccess::scorer(comet());
  refused(options, {"rerank: expected a model that needs no references",
                    "quality.safetensors needs them: give it as comet, with mbr comet"});
  options = by_kiwi(by_comet(beam_of(2)));
  refused(options, {"rerank: expected no mbr with it"});
  options = by_comet(beam_of(2));
  options.mbr = Utility::chrf;
  refused(options, {"comet: expected mbr comet with it"});
  options.comet.reset();
  options.mbr = Utility::comet;
  refused(options, {"mbr: comet needs a model, given as comet"});
  options = by_kiwi(with_samples(3, 4));
  refused(options, {"samples: expected as many to choose from"});
  for (const auto& by : {by_comet, by_kiwi})
    expect_error<ConfigError>(
        [&] {
          translator().translate_ids({{source_ids(translator().model(), "a cat")}}, by(beam_of(2)));
        },
        {"expected sentences as text, got tokens"});
}

// A model that may read references estimates without.
TEST(CandidateChoice, TakesModelsForBoth) {
  TranslationOptions options = beam_of(4);
  options.rerank =
      QualityAccess::scorer(QualityEngine(choosing_model(QualityReading::joined, true)));
  EXPECT_EQ(translator().translate(Texts{"a cat"}, options).size(), 1u);
}

}  // namespace
}  // namespace attend
