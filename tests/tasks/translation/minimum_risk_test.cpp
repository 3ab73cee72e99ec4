// Minimum-Bayes-risk decoding.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attend/error.h"
#include "attend/metrics/expected_utility.h"
#include "tasks/translation/small_translator.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

const std::vector<std::string> kToChoose{"the old dog", "a cat", "", "dogs catch the small fish"};

TranslationOptions sampled(int count) {
  TranslationOptions options;
  options.sampling = SamplingOptions{.temperature = 2, .max_length = 12};
  options.beam.n_best = count;
  return options;
}

// The texts in the order of their utility against all.
std::vector<std::string> chosen_among(const std::vector<TranslationCandidate>& all, Utility utility,
                                      const std::vector<double>& weights, int count) {
  std::vector<std::string> texts;
  for (const TranslationCandidate& one : all) texts.push_back(one.text);
  const std::vector<double> utilities = expected_utilities(pair_utility(utility), texts, weights);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < all.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return utilities[a] > utilities[b]; });
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < std::min(order.size(), static_cast<std::size_t>(count)); ++i)
    chosen.push_back(texts[order[i]]);
  return chosen;
}

std::vector<std::string> texts_of(const Translation& translation) {
  std::vector<std::string> texts;
  for (const TranslationCandidate& one : translation.candidates) texts.push_back(one.text);
  return texts;
}

TEST(MinimumRisk, ChoosesAmongSamples) {
  for (const Utility utility : {Utility::chrf, Utility::bleu}) {
    const auto all = translator().translate(kToChoose, sampled(20));
    TranslationOptions options = sampled(3);
    options.mbr = utility;
    options.samples = 20;
    const auto found = translator().translate(kToChoose, options);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t count = all[i].candidates.size();
      EXPECT_EQ(texts_of(found[i]),
                chosen_among(all[i].candidates, utility,
                             std::vector<double>(count, 1. / static_cast<double>(count)), 3));
    }
    EXPECT_NE(texts_of(found[0]).front(), texts_of(all[0]).front());
  }
}

TEST(MinimumRisk, ChoosesInTheBeamByProbability) {
  TranslationOptions options = beam_of(6, 6);
  options.beam.patience = 2;
  options.beam.n_best = 12;
  const auto all = translator().translate(kToChoose, options);
  options.mbr = Utility::chrf;
  options.beam.n_best = 2;
  const auto found = translator().translate(kToChoose, options);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<double> weights;
    double sum = 0;
    for (const TranslationCandidate& one : all[i].candidates)
      sum += weights.emplace_back(std::exp(one.log_probability));
    for (double& weight : weights) weight /= sum;
    EXPECT_EQ(texts_of(found[i]), chosen_among(all[i].candidates, Utility::chrf, weights, 2));
  }
}

TEST(MinimumRisk, LeavesTheScoresOfTheModel) {
  TranslationOptions options = sampled(1);
  options.mbr = Utility::chrf;
  options.samples = 8;
  options.alignment = true;
  const auto all = translator().translate(kToChoose, sampled(8));
  const auto found = translator().translate(kToChoose, options);
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].candidates.size(), 1u);
    const TranslationCandidate& best = found[i].candidates.front();
    const auto same =
        std::find_if(all[i].candidates.begin(), all[i].candidates.end(),
                     [&](const TranslationCandidate& one) { return one.tokens == best.tokens; });
    ASSERT_NE(same, all[i].candidates.end());
    EXPECT_EQ(best.log_probability, same->log_probability);
    EXPECT_EQ(best.token_alignment.size(), best.tokens.size());
  }
}

TEST(MinimumRisk, RefusesWhatItCannotChooseFrom) {
  const auto refused = [](TranslationOptions options, std::string_view message) {
    expect_error<ConfigError>([&] { translator().translate(kToChoose, options); }, {message});
  };
  TranslationOptions options;
  options.samples = 4;
  refused(options, "samples: expected mbr or rerank");
  options.mbr = Utility::bleu;
  refused(options, "samples: expected sampling");
  options = sampled(5);
  options.mbr = Utility::bleu;
  refused(options,
          "samples: expected as many to choose from as there are translations, 5, or more; got 0");
  options.samples = 4;
  refused(options, "got 4");
  options.samples = 1025;
  refused(options, "samples");
}

}  // namespace
}  // namespace attend
