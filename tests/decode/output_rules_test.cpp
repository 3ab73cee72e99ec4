// What outputs may contain, for search and for samples.
#include "attend/decode/output_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "attend/checkpoint/finite.h"
#include "attend/decode/beam_search.h"
#include "attend/decode/running_batch.h"
#include "attend/decode/sampling.h"
#include "attend/error.h"
#include "decode/table_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Tokens = TableModel::Prefix;

constexpr int kTokensOfTable = 6;
constexpr float kNever = -std::numeric_limits<float>::infinity();

std::shared_ptr<const PhraseRules> without(const std::vector<Tokens>& sequences) {
  std::vector<PhrasePaths> paths;
  for (const Tokens& tokens : sequences) paths.push_back(one_path(tokens));
  return std::make_shared<PhraseRules>(std::vector<Tokens>(), std::move(paths));
}

// By the definition of each rule, one token after the other: the likeliest that may come.
struct Greedy {
  const TableModel::Logits& logits;
  OutputRules rules;
  Tokens forced = {};
  std::vector<Tokens> forbidden = {};

  Tokens write(std::size_t longest) const {
    Tokens ids = forced;
    while (ids.size() < longest) {
      const std::int32_t token = next(ids);
      if (token < 0 || token == TableModel::kEos) break;
      ids.push_back(token);
    }
    return ids;
  }
  std::int32_t next(const Tokens& ids) const {
    std::vector<float> scores = logits(0, ids);
    for (std::int32_t token = 0; token < kTokensOfTable; ++token) {
      float& score = scores[static_cast<std::size_t>(token)];
      if (std::count(ids.begin(), ids.end(), token) > 0)
        score = score > 0 ? score / rules.repetition.factor : score * rules.repetition.factor;
      if (!may_come(ids, token)) score = kNever;
    }
    const auto best = std::max_element(scores.begin(), scores.end());
    return *best == kNever ? -1 : static_cast<std::int32_t>(best - scores.begin());
  }
  bool may_come(const Tokens& ids, std::int32_t token) const {
    if (token == TableModel::kEos && std::ssize(ids) < rules.min_length) return false;
    Tokens longer{TableModel::kBos};
    longer.insert(longer.end(), ids.begin(), ids.end());
    longer.push_back(token);
    if (rules.no_repeat_ngram > 0 && ends_twice(longer, rules.no_repeat_ngram)) return false;
    return std::none_of(forbidden.begin(), forbidden.end(), [&](const Tokens& tokens) {
      return tokens.size() < longer.size() &&
             std::equal(tokens.rbegin(), tokens.rend(), longer.rbegin());
    });
  }
  // Whether the last n tokens are there before, too.
  static bool ends_twice(const Tokens& tokens, int n) {
    const auto size = static_cast<std::ptrdiff_t>(n);
    for (auto at = tokens.begin(); tokens.end() - at > size; ++at)
      if (std::equal(at, at + size, tokens.end() - size)) return true;
    return false;
  }
};

Hypothesis searched(const TableModel::Logits& logits, const BeamSearchOptions& options,
                    const Tokens& forced = {}, const OutputRules& rules = {}) {
  TableModel model({}, 12, logits);
  model.join(0, {}, forced);
  return decode_all(model, [&](const DecodeRequest& sentence, std::size_t) {
    return BeamSearch(sentence, TableModel::kEos, options, rules);
  })[0][0];
}

Hypothesis drawn(const TableModel::Logits& logits, const OutputRules& rules,
                 const Tokens& forced = {}, SamplingOptions options = {.top_k = 1}) {
  TableModel model({}, 12, logits);
  model.join(0, {}, forced);
  const std::vector<std::uint64_t> streams{0};
  return decode_all(model, [&](const DecodeRequest& sentence, std::size_t) {
    return Sampling(sentence, TableModel::kEos, options, streams, rules);
  })[0][0];
}

TEST(OutputRules, HoldForTheLikeliestTokens) {
  const std::vector<Tokens> forbidden{{2, 3}, {4}, {5, 5, 0}};
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const TableModel::Logits logits = [raw = random_logits(seed, kTokensOfTable)](
                                          int sentence, const Tokens& prefix) {
      std::vector<float> shifted = raw(sentence, prefix);
      for (float& x : shifted) x -= 2;  // of both signs
      return shifted;
    };
    const Tokens forced = seed % 3 == 0 ? Tokens{2, 5} : Tokens{};
    Greedy expected{logits, {}, forced};
    expected.rules.min_length = static_cast<int>(seed % 4) * 2;
    expected.rules.no_repeat_ngram = static_cast<int>(seed % 5 % 4);
    expected.rules.repetition.factor = seed % 2 == 0 ? 1.0f : 2.5f;
    if (seed % 7 < 3) {
      expected.forbidden = forbidden;
      expected.rules.phrases = without(forbidden);
    }
    BeamSearchOptions options;
    options.beam_size = 1;
    options.min_length = expected.rules.min_length;
    options.no_repeat_ngram = expected.rules.no_repeat_ngram;
    options.repetition_penalty = expected.rules.repetition.factor;
    const Tokens ids = expected.write(12);
    EXPECT_EQ(searched(logits, options, forced, {.phrases = expected.rules.phrases}).ids, ids)
        << seed;
    EXPECT_EQ(drawn(logits, expected.rules, forced).ids, ids) << seed;
  }
}

TEST(OutputRules, LeaveSamplesTheScoresOfTheModel) {
  const TableModel::Logits logits = constant_logits({0, -9, 3, 2, 0, 0});
  const Hypothesis free = drawn(logits, {}), ruled = drawn(logits, {.repetition = {100}});
  EXPECT_EQ(free.ids[1], 2);
  EXPECT_EQ(ruled.ids[1], 3);
  EXPECT_NEAR(ruled.token_scores[1], free.token_scores[1] - 1, 1e-5);
}

TEST(OutputRules, GiveASearchThePenalizedScores) {
  const TableModel::Logits logits = constant_logits({0, -9, 3, 2, 0, 0});
  BeamSearchOptions options;
  options.beam_size = 3;
  options.max_length = 2;
  options.repetition_penalty = 2;
  const Hypothesis found = searched(logits, options);
  EXPECT_EQ(found.ids, (Tokens{2, 3}));
  const double total = 3 + std::exp(-9.0) + std::exp(1.5) + std::exp(2.0);
  EXPECT_NEAR(found.token_scores[1], 2 - std::log(total), 1e-5);
}

// The first token of a greedy search without the tokens 2 and 4, which are the likeliest.
Hypothesis written_without(const OutputRules& rules, float penalty) {
  BeamSearchOptions options;
  options.beam_size = 1;
  options.max_length = 1;
  options.repetition_penalty = penalty;
  return searched(constant_logits({0, -9, 3, 2, 3, 0}), options, {}, rules);
}

TEST(SuppressedTokens, ArePassedOverByASearchThatLeavesTheOthersTheirProbabilities) {
  const double total = 2 + std::exp(-9.0) + 2 * std::exp(3.0) + std::exp(2.0);
  const Hypothesis found = written_without({.suppressed = {2, 4}}, 1);
  EXPECT_EQ(found.ids, (Tokens{3}));
  EXPECT_NEAR(found.token_scores[0], 2 - std::log(total), 1e-5);
}

TEST(SuppressedTokens, LeaveTheirProbabilityToTheOthersWhereLogitsChange) {
  const double rest = 2 + std::exp(-9.0) + std::exp(2.0);
  for (const float penalty : {1.0f, 1.5f}) {
    const Hypothesis found =
        written_without({.suppressed = {2, 4}, .renormalized = penalty == 1}, penalty);
    EXPECT_EQ(found.ids, (Tokens{3}));
    EXPECT_NEAR(found.token_scores[0], 2 - std::log(rest), 1e-5) << penalty;
  }
}

TEST(SuppressedTokens, AreNeverDrawn) {
  const OutputRules rules{.suppressed = {2, 4}};
  const TableModel::Logits logits = constant_logits({0, -9, 3, 2, 3, 0});
  EXPECT_EQ(drawn(logits, rules, {}, {.top_k = 1, .max_length = 2}).ids, (Tokens{3, 3}));
}

// However many they are, the beam is full.
TEST(SuppressedTokens, AreLookedForBesideThoseOfTheBeam) {
  TableModel model({0}, 2, constant_logits({0, -9, 3, 3, 3, 0}));
  BeamSearchOptions options;
  options.beam_size = 2;
  beam_search(model, TableModel::kEos, options, {.suppressed = {2, 3, 4}});
  EXPECT_EQ(model.asked().at(1).size(), 2u);
}

TEST(SuppressedTokens, OfTheWholeVocabularyLeaveNoOutput) {
  expect_error<NotFiniteError>(
      [&] {
        written_without({.suppressed = {0, 1, 2, 3, 4, 5}}, 1);
      },
      {"logits"});
}

TEST(RepetitionPenalty, IsForTheOutputOrForWhatAModelSees) {
  const Tokens prompt{7, 8, 9}, output{5, 4, 5};
  EXPECT_EQ((RepetitionPenalty{2}.tokens(prompt, output)), (Tokens{4, 5}));
  EXPECT_EQ((RepetitionPenalty{2, 6}.tokens(prompt, output)), (Tokens{4, 5, 7, 8, 9}));
  EXPECT_EQ((RepetitionPenalty{2, 5}.tokens(prompt, output)), (Tokens{4, 5}))
      << "the sixth token found two of five";
  EXPECT_EQ((RepetitionPenalty{2, 4}.tokens(prompt, output)), (Tokens{4, 5, 9}));
  EXPECT_EQ((RepetitionPenalty{2, 6, 8}.tokens(prompt, output)), (Tokens{4, 5, 7, 9}));
  EXPECT_EQ((RepetitionPenalty{2, 6}.tokens(prompt, {})), (Tokens{7, 8, 9}));
}

// The draws are those of the distribution without what is forbidden.
TEST(OutputRules, LeaveSamplesTheOtherTokensInTheirShares) {
  const TableModel::Logits logits = constant_logits(std::vector<float>(kTokensOfTable, 0.0f));
  std::set<std::int32_t> tokens;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Hypothesis one = drawn(logits, {.min_length = 1, .phrases = without({{2}, {3, 3}})}, {},
                                 {.max_length = 1, .seed = seed});
    ASSERT_EQ(one.ids.size(), 1u);
    tokens.insert(one.ids[0]);
  }
  EXPECT_EQ(tokens, (std::set<std::int32_t>{0, 3, 4, 5}));
}

TEST(OutputRules, CutASampleThatNothingMayFollow) {
  const Hypothesis found =
      drawn(constant_logits({0, 0, 3, 2, 1, 0.5f}), {.min_length = 10, .no_repeat_ngram = 1});
  EXPECT_EQ(found.ids, (Tokens{2, 3, 4, 5})) << "the decoder began with 0";
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.token_scores.size(), 4u);
}

TEST(OutputRules, DoNotHideLogitsThatAreNoNumbers) {
  for (const float bad : {NAN, std::numeric_limits<float>::infinity()})
    expect_error<NotFiniteError>(
        [&] {
          drawn(constant_logits({0, bad, 0, 0, 0, 0}), {.min_length = 3, .no_repeat_ngram = 1});
        },
        {"logits", "NaN"});
}

TEST(OutputRules, RefuseABeginningThatIsForbidden) {
  const OutputRules rules{.phrases = without({{2, 3}})};
  expect_error<DataError>(
      [&] {
        drawn(random_logits(1, kTokensOfTable), rules, {2, 3});
      },
      {"prefix", "forbidden"});
}

TEST(OutputRules, EndOutputsWithAnyOfSeveralTokens) {
  const std::vector<std::uint64_t> streams{0};
  for (const std::int32_t likeliest : {1, 4}) {
    std::vector<float> logits(kTokensOfTable, 0.0f);
    logits[static_cast<std::size_t>(likeliest)] = 5;
    for (const bool searches : {false, true}) {
      TableModel model({0}, 12, constant_logits(logits));
      const EndTokens ends(std::vector<std::int32_t>{1, 4});
      const Hypothesis found = decode_all(
          model, [&](const DecodeRequest& sentence, std::size_t) -> RunningBatch::Search {
            if (searches) return BeamSearch(sentence, ends, {.beam_size = 2});
            return Sampling(sentence, ends, {.top_k = 1}, streams);
          })[0][0];
      EXPECT_TRUE(found.complete);
      EXPECT_EQ(found.end, likeliest);
      EXPECT_TRUE(found.ids.empty());
      EXPECT_EQ(found.token_scores.size(), 1u);
    }
  }
}

// With two ends, the beam is full without them all the same.
TEST(OutputRules, LookForAsManyMoreTokensAsThereAreEnds) {
  TableModel model({0}, 3, constant_logits({0, 5, 1, 0, 5, 0}));
  BeamSearchOptions options;
  options.beam_size = 2;
  options.min_length = 2;
  const EndTokens ends(std::vector<std::int32_t>{1, 4});
  decode_all(model, [&](const DecodeRequest& sentence, std::size_t) {
    return BeamSearch(sentence, ends, options);
  });
  EXPECT_EQ(model.asked().at(1).size(), 2u);
}

TEST(OutputRules, SayThatACutOutputHasNoEnd) {
  BeamSearchOptions options;
  options.max_length = 2;
  EXPECT_EQ(searched(constant_logits({0, -50, 1, 0, 0, 0}), options).end, -1);
  EXPECT_EQ(searched(constant_logits({0, 50, 1, 0, 0, 0}), options).end, TableModel::kEos);
}

// Two tokens and the end, with the same probabilities everywhere.
Hypothesis drawn_to(const Tokens& tokens, float weight, int beam_size = 1) {
  TableModel model({0}, 3, constant_logits({0, -30, 2, 1, -30, -30}));
  BeamSearchOptions options;
  options.beam_size = beam_size;
  return decode_all(model, [&](const DecodeRequest& sentence, std::size_t) {
    return BeamSearch(sentence, TableModel::kEos, options, {.beginning = {tokens, weight}});
  })[0][0];
}

TEST(PrefixBias, RaisesTheProbabilityOfItsNextToken) {
  const double total = 1 + std::exp(2.0) + std::exp(1.0);
  const Hypothesis found = drawn_to({3, 0}, 0.9f);
  EXPECT_EQ(found.ids, (Tokens{3, 0, 2}));
  EXPECT_NEAR(found.token_scores[0], std::log(0.9 + 0.1 * std::exp(1.0) / total), 1e-5);
  EXPECT_NEAR(found.token_scores[1], std::log(0.9 + 0.1 / total), 1e-5);
  EXPECT_NEAR(found.token_scores[2], std::log(std::exp(2.0) / total), 1e-5) << "all of it is there";
}

TEST(PrefixBias, EndsWhereAHypothesisLeavesIt) {
  const double total = 1 + std::exp(2.0) + std::exp(1.0);
  const Hypothesis found = drawn_to({3, 0}, 0.01f);
  EXPECT_EQ(found.ids, (Tokens{2, 2, 2}));
  EXPECT_NEAR(found.token_scores[0], std::log(0.99 * std::exp(2.0) / total), 1e-5);
  EXPECT_NEAR(found.token_scores[1], std::log(std::exp(2.0) / total), 1e-5);
}

// However unlikely: it need not be among the likeliest of a narrow beam.
TEST(PrefixBias, IsLookedForHoweverUnlikely) {
  EXPECT_EQ(drawn_to({4, 5}, 0.9f).ids, (Tokens{4, 5, 2}));
  EXPECT_EQ(drawn_to({4, 5}, 0.9f, 3).ids, (Tokens{4, 5, 2}));
}

TEST(Patience, DecidesHowManyOutputsEndASearch) {
  const auto found = [](float patience, int n_best) {
    TableModel model({0}, 30, random_logits(3));
    BeamSearchOptions options;
    options.beam_size = 2;
    options.patience = patience;
    options.n_best = n_best;
    return beam_search(model, TableModel::kEos, options)[0];
  };
  EXPECT_EQ(found(1, 2).size(), 2u);
  EXPECT_EQ(found(3, 6).size(), 6u);
  EXPECT_EQ(found(0.5f, 1).size(), 1u);
  EXPECT_EQ(found(0.01f, 1).size(), 1u) << "one at least";
  EXPECT_GE(found(3, 1)[0].score, found(1, 1)[0].score);
  expect_error<ConfigError>([&] { found(3, 7); }, {"n_best", "beam_size 2 times patience 3", "7"});
  expect_error<ConfigError>([&] { found(0.5f, 2); }, {"n_best", "patience 0.5", "2"});
  expect_error<ConfigError>([&] { found(0, 1); }, {"patience", "0"});
}

TEST(Patience, FindsBetterOutputsInSomeSentences) {
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto best = [&](float patience) {
      TableModel model({0}, 12, random_logits(seed));
      BeamSearchOptions options;
      options.beam_size = 2;
      options.patience = patience;
      return beam_search(model, TableModel::kEos, options)[0][0].score;
    };
    EXPECT_GE(best(4), best(1)) << seed;
    better += best(4) > best(1) ? 1 : 0;
  }
  EXPECT_GT(better, 0);
}

}  // namespace
}  // namespace attend
