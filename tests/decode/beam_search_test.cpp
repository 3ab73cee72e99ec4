#include "attend/decode/beam_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "attend/error.h"
#include "decode/table_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Prefix = TableModel::Prefix;
using Results = std::vector<std::vector<Hypothesis>>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Results search(TableModel& model, const BeamSearchOptions& options) {
  return beam_search(model, TableModel::kEos, options);
}

BeamSearchOptions beam_of(int beam_size, int n_best = 1) {
  BeamSearchOptions options;
  options.beam_size = beam_size;
  options.n_best = n_best;
  return options;
}

std::vector<double> log_probabilities(const std::vector<float>& logits) {
  double total = 0;
  for (const double x : logits) total += std::exp(x);
  std::vector<double> result;
  for (const double x : logits) result.push_back(x - std::log(total));
  return result;
}

// Every output there is, found by trying all; best first, cut ones last.
struct Exhaustive {
  const TableModel::Logits& logits;
  std::size_t longest;
  double penalty;
  std::vector<Hypothesis> all;

  void from(const Prefix& prefix, double log_probability) {
    const std::vector<double> next = log_probabilities(logits(0, prefix));
    if (prefix.size() == longest) return add(prefix, log_probability, prefix.size(), false);
    for (std::int32_t token = 0; token < 4; ++token) {
      const double longer = log_probability + next[static_cast<std::size_t>(token)];
      if (token == TableModel::kEos) {
        add(prefix, longer, prefix.size() + 1, true);
      } else {
        Prefix extended = prefix;
        extended.push_back(token);
        from(extended, longer);
      }
    }
  }
  void add(const Prefix& ids, double log_probability, std::size_t length, bool complete) {
    const double score = log_probability / std::pow(static_cast<double>(length), penalty);
    all.push_back(
        {ids, static_cast<float>(score), static_cast<float>(log_probability), {}, complete});
  }
  void sort() {
    std::sort(all.begin(), all.end(), [](const Hypothesis& a, const Hypothesis& b) {
      return a.complete != b.complete ? a.complete : a.score > b.score;
    });
  }
};

TEST(BeamSearch, IsExhaustiveWhenTheBeamHoldsEverything) {
  constexpr int kOutputs =
      1 + 3 + 9 + 27 + 81;  // with 0 to 3 tokens and an end, and those cut at 4
  for (const float penalty : {0.0f, 0.6f, 1.0f}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const TableModel::Logits logits = random_logits(seed);
      Exhaustive expected{logits, 4, penalty, {}};
      expected.from({}, 0.0);
      expected.sort();
      TableModel model({0}, 4, logits);
      BeamSearchOptions options = beam_of(kOutputs, kOutputs);
      options.length_penalty = penalty;
      const std::vector<Hypothesis> found = search(model, options)[0];
      ASSERT_EQ(found.size(), static_cast<std::size_t>(kOutputs));
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].ids, expected.all[i].ids)
            << "seed " << seed << ", penalty " << penalty << ", rank " << i;
        EXPECT_EQ(found[i].complete, expected.all[i].complete);
        EXPECT_NEAR(found[i].score, expected.all[i].score, 1e-5);
        EXPECT_NEAR(found[i].log_probability, expected.all[i].log_probability, 1e-5);
      }
    }
  }
}

// Their tokens count in the length, not in the log-probability.
TEST(BeamSearch, FindsTheBestOfTheOutputsWithAForcedBeginning) {
  const Prefix forced{2, 0};
  constexpr int kOutputs = 1 + 3 + 9;  // with 0 and 1 more tokens and an end, and those cut at 4
  for (const float penalty : {0.0f, 0.6f, 1.0f}) {
    const TableModel::Logits logits = random_logits(9);
    Exhaustive expected{logits, 4, penalty, {}};
    expected.from(forced, 0.0);
    expected.sort();
    TableModel model({}, 4, logits);
    model.join(0, {5, 6}, forced);
    BeamSearchOptions options = beam_of(kOutputs, kOutputs);
    options.length_penalty = penalty;
    const std::vector<Hypothesis> found = search(model, options)[0];
    ASSERT_EQ(found.size(), static_cast<std::size_t>(kOutputs));
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].ids, expected.all[i].ids);
      EXPECT_EQ(found[i].complete, expected.all[i].complete);
      EXPECT_NEAR(found[i].score, expected.all[i].score, 1e-5);
      EXPECT_NEAR(found[i].log_probability, expected.all[i].log_probability, 1e-5);
      EXPECT_EQ(found[i].token_scores[0], 0);
      EXPECT_EQ(found[i].token_scores[1], 0);
      EXPECT_EQ(found[i].token_scores.size(), found[i].ids.size() + (found[i].complete ? 1 : 0));
    }
  }
}

TEST(BeamSearch, CountsForcedTokensInLengthsAndRepetitions) {
  const TableModel::Logits logits = constant_logits({0.0f, 1.0f, 5.0f, 3.0f});
  const auto found = [&](const Prefix& forced, const BeamSearchOptions& options) {
    TableModel model({}, 9, logits);
    model.join(0, {}, forced);
    return search(model, options)[0][0].ids;
  };
  BeamSearchOptions options = beam_of(1);
  options.max_length = 5;
  EXPECT_EQ(found({3, 3}, options), (Prefix{3, 3, 2, 2, 2}));
  options.no_repeat_ngram = 2;
  EXPECT_EQ(found({3, 2, 3}, options), (Prefix{3, 2, 3, 3})) << "neither 3 2 nor 3 3 again";
  options.no_repeat_ngram = 1;
  EXPECT_EQ(found({2}, options), (Prefix{2, 3}));
  options.min_length = 2;
  EXPECT_EQ(found({2, 3}, options), (Prefix{2, 3})) << "may end at once";
}

TEST(BeamSearch, WithABeamOfOneTakesTheLikeliestTokenAgainAndAgain) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const TableModel::Logits logits = random_logits(seed);
    Prefix expected;
    bool complete = false;
    while (!complete && expected.size() < 12) {
      const std::vector<float> next = logits(0, expected);
      const auto token =
          static_cast<std::int32_t>(std::max_element(next.begin(), next.end()) - next.begin());
      complete = token == TableModel::kEos;
      if (!complete) expected.push_back(token);
    }
    TableModel model({0}, 12, logits);
    const Hypothesis found = search(model, beam_of(1))[0][0];
    EXPECT_EQ(found.ids, expected);
    EXPECT_EQ(found.complete, complete);
  }
}

TEST(BeamSearch, AddsUpTheScoresOfItsTokens) {
  TableModel model({0, 1, 2}, 8, random_logits(3));
  for (const auto& sentence : search(model, beam_of(4, 4))) {
    for (const Hypothesis& h : sentence) {
      EXPECT_EQ(h.token_scores.size(), h.ids.size() + (h.complete ? 1 : 0));
      float sum = 0;
      for (const float score : h.token_scores) sum += score;
      EXPECT_EQ(sum, h.log_probability);
      EXPECT_FLOAT_EQ(h.score, h.log_probability / static_cast<float>(h.token_scores.size()));
    }
  }
}

TEST(BeamSearch, ReturnsDistinctHypothesesBestFirst) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TableModel model({0, 1, 2, 3, 4}, 6, random_logits(seed));
    for (const auto& found : search(model, beam_of(5, 5))) {
      ASSERT_EQ(found.size(), 5u);
      std::set<std::pair<Prefix, bool>> distinct;
      for (const Hypothesis& h : found) distinct.insert({h.ids, h.complete});
      EXPECT_EQ(distinct.size(), found.size());
      for (std::size_t i = 1; i < found.size(); ++i) {
        EXPECT_GE(found[i - 1].complete, found[i].complete);
        EXPECT_TRUE(found[i - 1].complete != found[i].complete ||
                    found[i - 1].score >= found[i].score);
      }
    }
  }
}

TEST(BeamSearch, FindsTheSameForASentenceWhateverIsBesideIt) {
  const TableModel::Logits logits = random_logits(5);
  TableModel together({4, 0, 3, 1, 2}, 10, logits);
  const Results all = search(together, beam_of(3, 3));
  for (const auto& [place, sentence] : {std::pair{0, 4}, {1, 0}, {2, 3}, {3, 1}, {4, 2}}) {
    TableModel alone({sentence}, 10, logits);
    const Results one = search(alone, beam_of(3, 3));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(one[0][i].ids, all[static_cast<std::size_t>(place)][i].ids);
      EXPECT_EQ(one[0][i].log_probability, all[static_cast<std::size_t>(place)][i].log_probability);
    }
  }
}

// Sentence s ends after s tokens, almost surely.
std::vector<float> ends_after_its_number(int sentence, const Prefix& prefix) {
  return {0, static_cast<int>(prefix.size()) == sentence ? 20.0f : -20.0f, 1, -1};
}

TEST(BeamSearch, TakesFinishedSentencesOutOfTheBatch) {
  TableModel model({3, 0, 1}, 10, ends_after_its_number);
  const Results found = search(model, beam_of(1));
  EXPECT_EQ(found[0][0].ids.size(), 3u);
  EXPECT_EQ(found[1][0].ids.size(), 0u);
  EXPECT_EQ(found[2][0].ids.size(), 1u);
  EXPECT_EQ(model.asked(), (std::vector<std::vector<int>>{{3, 0, 1}, {3, 1}, {3}, {3}}));
}

TEST(BeamSearch, AsksForOneRowPerLiveHypothesis) {
  TableModel model({0, 1}, 6, random_logits(9));
  search(model, beam_of(3));
  EXPECT_EQ(model.asked()[0].size(), 2u) << "one hypothesis for each sentence at first";
  for (const auto& rows : model.asked()) {
    for (const int sentence : {0, 1}) EXPECT_LE(std::count(rows.begin(), rows.end(), sentence), 3);
  }
}

TEST(BeamSearch, CutsAtTheLongestAndSaysSo) {
  const TableModel::Logits endless = constant_logits({1, -30, 2, 0});
  TableModel by_model({0}, 7, endless);
  EXPECT_EQ(search(by_model, beam_of(2))[0][0].ids, Prefix(7, 2));
  TableModel by_option({0}, 7, endless);
  BeamSearchOptions options = beam_of(2);
  options.max_length = 3;
  const Hypothesis cut = search(by_option, options)[0][0];
  EXPECT_EQ(cut.ids, Prefix(3, 2));
  EXPECT_FALSE(cut.complete);
  EXPECT_EQ(cut.token_scores.size(), 3u);
}

TEST(BeamSearch, PrefersWhatEndedToWhatWasCut) {
  TableModel model({0}, 2, constant_logits({0, -5, 3, 0}));
  const std::vector<Hypothesis> found = search(model, beam_of(4, 4))[0];
  EXPECT_TRUE(found[0].complete);
  EXPECT_FALSE(found[1].complete);
  EXPECT_LT(found[0].score, found[1].score);
}

TEST(BeamSearch, DoesNotEndBeforeMinLength) {
  for (const int beam : {1, 3}) {
    TableModel model({0}, 10, constant_logits({0, 9, 1, 0}));
    BeamSearchOptions options = beam_of(beam);
    options.min_length = 4;
    EXPECT_EQ(search(model, options)[0][0].ids, Prefix(4, 2));
  }
}

TEST(BeamSearch, BreaksTiesByHypothesisThenByToken) {
  TableModel model({0}, 5, constant_logits({0, 0, 0, 0}));
  BeamSearchOptions options = beam_of(2, 2);
  options.length_penalty = 0.0f;
  // First 0, 1 (the end), 2, 3 are equally likely: one ends, 0 and 2 live on. Then 00, 0 and its
  // end come first.
  const std::vector<Hypothesis> found = search(model, options)[0];
  EXPECT_EQ(found[0].ids, Prefix{});
  EXPECT_EQ(found[1].ids, Prefix{0});
}

TEST(BeamSearch, TakesTheFirstOfEquallyLikelyTokens) {
  TableModel model({0}, 1, constant_logits({-kInfinity, -kInfinity, 1, 1, 1}));
  const std::vector<Hypothesis> found = search(model, beam_of(2, 2)).front();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].ids, Prefix{2});
  EXPECT_EQ(found[1].ids, Prefix{3});
}

TEST(BeamSearch, CountsAnEndOnlyAmongTheBestOfTheBeam) {
  // After 2 and after 3 an end is likely; that after 3 is third, after the end after 2 and the 2
  // that goes on.
  const auto logits = [](int, const Prefix& prefix) -> std::vector<float> {
    const auto of = [](double end, double two, double three) {
      return std::vector<float>{-kInfinity, static_cast<float>(std::log(end)),
                                static_cast<float>(std::log(two)),
                                static_cast<float>(std::log(three))};
    };
    if (prefix.empty()) return of(1e-6, 0.52, 0.48);
    if (prefix.size() > 1) return of(0.98, 0.01, 0.01);
    return prefix[0] == 2 ? of(0.5, 0.49, 0.01) : of(0.51, 0.01, 0.48);
  };
  TableModel model({0}, 5, logits);
  BeamSearchOptions options = beam_of(2, 2);
  options.length_penalty = 0.0f;
  const std::vector<Hypothesis> found = search(model, options).front();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].ids, Prefix{2});
  EXPECT_EQ(found[1].ids, (Prefix{2, 2}));
}

TEST(BeamSearch, NeverTakesATokenOfProbabilityZero) {
  TableModel model({0}, 3, constant_logits({-kInfinity, 0, 0, -kInfinity}));
  const std::vector<Hypothesis> found = search(model, beam_of(4, 4))[0];
  ASSERT_EQ(found.size(), 4u) << "2^0 to 2^2 and an end, and 2^3";
  for (const Hypothesis& h : found) {
    EXPECT_EQ(std::count(h.ids.begin(), h.ids.end(), 2), static_cast<std::ptrdiff_t>(h.ids.size()));
    EXPECT_TRUE(std::isfinite(h.score));
  }
}

TEST(BeamSearch, ReturnsAHypothesisEvenFromADeadEnd) {
  TableModel model({0}, 5, constant_logits({-kInfinity, 0, -kInfinity, -kInfinity}));
  BeamSearchOptions options = beam_of(2);
  EXPECT_TRUE(search(model, options)[0].at(0).complete);
  options.min_length = 2;
  TableModel stuck({0}, 5, constant_logits({-kInfinity, 0, -kInfinity, -kInfinity}));
  EXPECT_FALSE(search(stuck, options)[0].at(0).complete);
}

TEST(BeamSearch, RefusesLogitsThatAreNoNumbers) {
  for (const std::vector<float>& logits : {std::vector<float>{0, NAN, 0, 0},
                                           {0, 0, 0, kInfinity},
                                           std::vector<float>(4, -kInfinity),
                                           std::vector<float>(4, NAN)}) {
    for (const int beam : {1, 3}) {
      TableModel model({0}, 5, constant_logits(logits));
      expect_error<DataError>([&] { search(model, beam_of(beam)); },
                              {"logits", "NaN", "weights are damaged"});
    }
  }
}

TEST(BeamSearch, RefusesWhatMakesNoSense) {
  TableModel model({0}, 5, random_logits(1));
  expect_error<ConfigError>([&] { search(model, beam_of(0)); }, {"beam_size", "from 1", "0"});
  expect_error<ConfigError>([&] { search(model, beam_of(3, 4)); }, {"n_best", "beam_size 3", "4"});
  BeamSearchOptions options;
  options.max_length = -1;
  expect_error<ConfigError>([&] { search(model, options); }, {"max_length", "from 0"});
}

TEST(BeamSearch, OfNoSentencesIsNothing) {
  TableModel model({}, 5, random_logits(1));
  EXPECT_TRUE(search(model, {}).empty());
  EXPECT_TRUE(model.asked().empty());
}

// Token 2 is always the best, then 3, then 0; the end is unlikely.
std::vector<float> same_everywhere(int, const Prefix&) { return {1.0f, -5.0f, 3.0f, 2.0f}; }

TEST(BeamSearch, NeverWritesAnNGramTwice) {
  const auto written = [](int no_repeat_ngram) {
    TableModel model({0}, 4, same_everywhere);
    BeamSearchOptions options = beam_of(1);
    options.no_repeat_ngram = no_repeat_ngram;
    return search(model, options)[0][0].ids;
  };
  EXPECT_EQ(written(0), (Prefix{2, 2, 2, 2}));
  EXPECT_EQ(written(2), (Prefix{2, 2, 3, 2}));
  EXPECT_EQ(written(3), (Prefix{2, 2, 2, 3}));
}

TEST(BeamSearch, EndsAnOutputThatCouldOnlyRepeat) {
  TableModel model({0}, 40, same_everywhere);
  BeamSearchOptions options = beam_of(1);
  options.no_repeat_ngram = 1;
  const Hypothesis found = search(model, options)[0][0];
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.ids, (Prefix{2, 3})) << "the decoder began with 0";
}

}  // namespace
}  // namespace attend
