#include "attend/decode/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "attend/backend/backend.h"
#include "attend/error.h"
#include "decode/table_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

const std::vector<float> kProbabilities{0.1f, 0.2f, 0.4f, 0.25f, 0.05f};

std::vector<float> logarithms(const std::vector<float>& probabilities) {
  std::vector<float> result;
  for (const float p : probabilities) result.push_back(std::log(p));
  return result;
}

std::vector<std::uint64_t> streams(std::size_t count, std::uint64_t first = 0) {
  std::vector<std::uint64_t> result(count);
  std::iota(result.begin(), result.end(), first);
  return result;
}

// How often each token is the first that is drawn, for 40,000 sentences.
std::vector<double> shares(const SamplingOptions& chosen) {
  constexpr std::size_t kDraws = 40'000;
  SamplingOptions options = chosen;
  options.max_length = 1;
  TableModel model(std::vector<int>(kDraws), 1, constant_logits(logarithms(kProbabilities)));
  std::vector<double> result(kProbabilities.size());
  for (const Hypothesis& h : sample(model, TableModel::kEos, options, streams(kDraws)))
    result[static_cast<std::size_t>(h.ids.empty() ? TableModel::kEos : h.ids[0])] += 1;
  for (double& share : result) share /= kDraws;
  return result;
}

// Within four standard deviations (0.01 at the most), and never what has no probability.
void expect_shares(const std::vector<double>& actual, std::vector<double> expected) {
  const double total = std::accumulate(expected.begin(), expected.end(), 0.0);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double p = expected[i] / total;
    EXPECT_NEAR(actual[i], p, 4 * std::sqrt(p * (1 - p) / 40'000)) << "token " << i;
  }
}

// One token, drawn with a uniform number.
std::int32_t sample_token(const std::vector<float>& log_probabilities, const TokenFilter& filter,
                          float uniform) {
  const Tensor column = Tensor::empty({1}, DType::i32);
  backend()->sample(Tensor::from(log_probabilities, {1, std::ssize(log_probabilities)}), filter,
                    Tensor::full({1}, uniform), column);
  return *column.data<std::int32_t>();
}

TEST(Sampling, FollowsTheDistribution) { expect_shares(shares({}), {0.1, 0.2, 0.4, 0.25, 0.05}); }

TEST(Sampling, WithTopKDrawsAmongTheKLikeliest) {
  SamplingOptions options;
  options.top_k = 2;
  expect_shares(shares(options), {0, 0, 0.4, 0.25, 0});
  options.top_k = 1;
  expect_shares(shares(options), {0, 0, 1, 0, 0});
  options.top_k = 100;
  expect_shares(shares(options), {0.1, 0.2, 0.4, 0.25, 0.05});
}

TEST(Sampling, WithTopPDrawsAmongTheFewestThatReachIt) {
  SamplingOptions options;
  options.top_p = 0.7f;  // 0.4 + 0.25 are not enough
  expect_shares(shares(options), {0, 0.2, 0.4, 0.25, 0});
  options.top_p = 0.6f;
  expect_shares(shares(options), {0, 0, 0.4, 0.25, 0});
  options.top_p = 0.01f;
  expect_shares(shares(options), {0, 0, 1, 0, 0});
}

TEST(Sampling, WithTopPTakesNoMoreThanReachIt) {
  TokenFilter options;
  options.top_p = 0.5f;  // two of four equals are exactly half
  const std::vector<float> equal(4, 0.0f);
  EXPECT_EQ(sample_token(equal, options, 0.49f), 0);
  EXPECT_EQ(sample_token(equal, options, 0.51f), 1);
  EXPECT_EQ(sample_token(equal, options, 0.99f), 1);
}

TEST(Sampling, WithBothTakesTheShareOfTheKLikeliest) {
  SamplingOptions options;
  options.top_k = 3;      // 0.4, 0.25 and 0.2, which are 0.47, 0.29 and 0.24 of their sum
  options.top_p = 0.75f;  // the first two
  expect_shares(shares(options), {0, 0, 0.4, 0.25, 0});
}

TEST(Sampling, TemperatureFlattensOrSharpens) {
  SamplingOptions options;
  for (const float temperature : {0.5f, 2.0f}) {
    options.temperature = temperature;
    std::vector<double> expected;
    for (const float p : kProbabilities)
      expected.push_back(std::pow(static_cast<double>(p), 1.0 / static_cast<double>(temperature)));
    expect_shares(shares(options), expected);
  }
  options.temperature = 1e-4f;
  expect_shares(shares(options), {0, 0, 1, 0, 0});
}

TEST(Sampling, AtTemperatureZeroTakesTheLikeliest) {
  expect_shares(shares({.temperature = 0}), {0, 0, 1, 0, 0});
  expect_shares(shares({.temperature = 0, .top_k = 3, .top_p = 0.9f}), {0, 0, 1, 0, 0});
}

// As vLLM and llama.cpp spell it.
TEST(Sampling, WithTopKMinusOneDrawsAmongAll) {
  expect_shares(shares({.top_k = -1}), {0.1, 0.2, 0.4, 0.25, 0.05});
}

TEST(Sampling, WithTopPZeroTakesTheLikeliest) {
  expect_shares(shares({.top_p = 0}), {0, 0, 1, 0, 0});
}

TEST(Sampling, OfOneTokenInvertsTheDistributionFunction) {
  const std::vector<float> log_probabilities = logarithms(kProbabilities);
  EXPECT_EQ(sample_token(log_probabilities, {}, 0.0f), 0);
  EXPECT_EQ(sample_token(log_probabilities, {}, 0.099f), 0);
  EXPECT_EQ(sample_token(log_probabilities, {}, 0.101f), 1);
  EXPECT_EQ(sample_token(log_probabilities, {}, 0.699f), 2);
  EXPECT_EQ(sample_token(log_probabilities, {}, 0.701f), 3);
  EXPECT_EQ(sample_token(log_probabilities, {}, 0.99999994f), 4);
}

TEST(Sampling, NeverDrawsATokenOfProbabilityZero) {
  const std::vector<float> log_probabilities{-INFINITY, std::log(0.5f), std::log(0.5f), -INFINITY};
  for (const float uniform : {0.0f, 0.3f, 0.7f, 0.99999994f}) {
    const std::int32_t token = sample_token(log_probabilities, {}, uniform);
    EXPECT_TRUE(token == 1 || token == 2) << token;
  }
}

// A row has columns of probability 0 when others in its batch have more tokens to choose from.
TEST(Sampling, TopKCountsTokensThatArePossibleOnly) {
  TokenFilter options;
  options.top_k = 2;
  const float one = std::log(0.25f), three = std::log(0.75f);
  for (const float uniform : {0.1f, 0.3f, 0.9f}) {
    const std::int32_t token = sample_token({one, three}, options, uniform);
    EXPECT_EQ(sample_token({one, -INFINITY, three, -INFINITY}, options, uniform), 2 * token);
  }
}

TEST(Sampling, TopKOfEqualsTakesTheLowerIds) {
  TokenFilter options;
  options.top_k = 2;
  const std::vector<float> equal(4, std::log(0.25f));
  EXPECT_EQ(sample_token(equal, options, 0.0f), 0);
  EXPECT_EQ(sample_token(equal, options, 0.999f), 1);
}

class SamplingOfSentences : public testing::Test {
 protected:
  static constexpr std::size_t kLongest = 4;

  std::vector<Hypothesis> draw(std::vector<int> sentences, std::vector<std::uint64_t> of_sentence,
                               std::uint64_t seed = 1) {
    SamplingOptions options;
    options.seed = seed;
    TableModel model(std::move(sentences), kLongest, random_logits(4));
    return sample(model, TableModel::kEos, options, of_sentence);
  }
};

TEST_F(SamplingOfSentences, IsAFunctionOfTheSeed) {
  const std::vector<Hypothesis> first = draw({0, 1, 2, 3}, streams(4)),
                                again = draw({0, 1, 2, 3}, streams(4));
  const std::vector<Hypothesis> other = draw({0, 1, 2, 3}, streams(4), 2);
  int differing = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(first[i].ids, again[i].ids);
    EXPECT_EQ(first[i].log_probability, again[i].log_probability);
    differing += first[i].ids != other[i].ids ? 1 : 0;
  }
  EXPECT_GT(differing, 0);
}

TEST_F(SamplingOfSentences, DoesNotDependOnTheOthers) {
  const std::vector<Hypothesis> together = draw({0, 1, 2, 3}, {10, 11, 12, 13});
  for (int i = 0; i < 4; ++i) {
    const std::vector<Hypothesis> alone = draw({i}, {10 + static_cast<std::uint64_t>(i)});
    EXPECT_EQ(alone[0].ids, together[static_cast<std::size_t>(i)].ids);
    EXPECT_EQ(alone[0].token_scores, together[static_cast<std::size_t>(i)].token_scores);
  }
}

TEST_F(SamplingOfSentences, DrawsDifferentlyForEqualSentences) {
  const std::vector<Hypothesis> drawn = draw(std::vector<int>(8, 0), streams(8));
  int differing = 0;
  for (const Hypothesis& h : drawn) differing += h.ids != drawn[0].ids ? 1 : 0;
  EXPECT_GT(differing, 0);
}

TEST_F(SamplingOfSentences, AccountsForEveryToken) {
  bool cut = false, ended = false;
  for (const Hypothesis& h :
       draw({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, streams(16))) {
    EXPECT_EQ(h.token_scores.size(), h.ids.size() + (h.complete ? 1 : 0));
    EXPECT_EQ(h.complete, h.ids.size() < kLongest);
    float sum = 0;
    for (const float score : h.token_scores) sum += score;
    EXPECT_EQ(h.log_probability, sum);
    EXPECT_EQ(h.score, sum);
    (h.complete ? ended : cut) = true;
  }
  EXPECT_TRUE(ended);
  EXPECT_TRUE(cut);
}

TEST(Sampling, EndsAtTheGreatestLengthAskedForOrElseAtTheModels) {
  for (const auto& [asked, expected] : {std::pair(0, 5u), std::pair(3, 3u), std::pair(8, 8u)}) {
    SamplingOptions options;
    options.max_length = asked;
    TableModel model({0}, 5, constant_logits({-99, -99, 0, 0}));
    const std::vector<Hypothesis> drawn = sample(model, TableModel::kEos, options, streams(1));
    EXPECT_EQ(drawn[0].ids.size(), expected) << "asked for " << asked;
    EXPECT_FALSE(drawn[0].complete);
  }
}

TEST_F(SamplingOfSentences, TakesFinishedSentencesOutOfTheBatch) {
  const auto ends = [](int sentence, const TableModel::Prefix& prefix) {
    return std::vector<float>{-99, static_cast<int>(prefix.size()) == sentence ? 99.0f : -99.0f, 0,
                              -99};
  };
  TableModel model({2, 0, 1}, 9, ends);
  sample(model, TableModel::kEos, {}, streams(3));
  EXPECT_EQ(model.asked(), (std::vector<std::vector<int>>{{2, 0, 1}, {2, 1}, {2}}));
}

TEST(Sampling, RefusesLogitsThatAreNoNumbers) {
  for (const std::vector<float>& logits :
       {std::vector<float>{0, NAN, 0, 0}, {0, 0, 0, INFINITY}, std::vector<float>(4, -INFINITY)}) {
    for (const int top_k : {0, 2}) {
      SamplingOptions options;
      options.top_k = top_k;
      TableModel model({0}, 5, constant_logits(logits));
      expect_error<DataError>([&] { sample(model, TableModel::kEos, options, streams(1)); },
                              {"logits", "NaN"});
    }
  }
}

TEST(Sampling, RefusesWhatMakesNoSense) {
  const auto draw = [](auto&& change) {
    SamplingOptions options;
    change(options);
    TableModel model({0}, 5, random_logits(1));
    sample(model, TableModel::kEos, options, streams(1));
  };
  expect_error<ConfigError>([&] { draw([](SamplingOptions& o) { o.temperature = -0.1f; }); },
                            {"temperature", "from 0", "-0.1"});
  expect_error<ConfigError>([&] { draw([](SamplingOptions& o) { o.temperature = INFINITY; }); },
                            {"temperature", "inf"});
  expect_error<ConfigError>([&] { draw([](SamplingOptions& o) { o.top_k = -2; }); },
                            {"top_k", "-2"});
  expect_error<ConfigError>([&] { draw([](SamplingOptions& o) { o.top_p = -0.1f; }); },
                            {"top_p", "from 0 to 1"});
  expect_error<ConfigError>([&] { draw([](SamplingOptions& o) { o.top_p = 1.5f; }); },
                            {"top_p", "1.5"});
  TableModel model({0, 1}, 5, random_logits(1));
  expect_error<ConfigError>([&] { sample(model, TableModel::kEos, {}, streams(1)); },
                            {"stream", "2", "1"});
}

TEST(Sampling, ContinuesAForcedBeginning) {
  const TableModel::Logits logits = constant_logits(logarithms({0.3f, 0.1f, 0.3f, 0.3f}));
  SamplingOptions options;
  options.max_length = 7;
  TableModel free({0}, 9, logits), begun({}, 9, logits);
  begun.join(0, {}, {3, 3});
  const Hypothesis alone = sample(free, TableModel::kEos, options, streams(1)).front(),
                   forced = sample(begun, TableModel::kEos, options, streams(1)).front();
  std::vector<std::int32_t> expected = alone.ids;
  expected.insert(expected.begin(), {3, 3});
  expected.resize(std::min<std::size_t>(expected.size(), 7));
  EXPECT_EQ(forced.ids, expected);
  EXPECT_EQ(forced.token_scores[0], 0);
  EXPECT_EQ(forced.token_scores[1], 0);
  EXPECT_LT(forced.token_scores[2], 0);
  EXPECT_EQ(std::accumulate(forced.token_scores.begin(), forced.token_scores.end(), 0.0f),
            forced.log_probability);
}

}  // namespace
}  // namespace attend
