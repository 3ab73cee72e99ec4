#include "attend/decode/scorers/continuous_cache.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "attend/core/options/option_fields.h"
#include "attend/core/random/random.h"
#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

constexpr std::int64_t kStateWidth = 8;
constexpr std::int32_t kTypes = 5;

// A text as a model may have read it: hidden states, what they predict, and how likely the model
// finds it.
struct Reading {
  Tensor hidden;
  std::vector<std::int32_t> targets;
  std::vector<float> log_probabilities;

  std::vector<float> read_by(ContinuousCache& cache, std::size_t begin, std::size_t end) const {
    const std::size_t count = end - begin;
    return cache.read(
        hidden.slice_rows(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)),
        std::span(targets).subspan(begin, count),
        std::span(log_probabilities).subspan(begin, count));
  }
};

Reading some_reading(std::int64_t tokens) {
  Random random(RandomKey{3, 4});
  Reading reading{Tensor::empty({tokens, kStateWidth}), {}, {}};
  for (float& number : reading.hidden.span()) number = 2.0f * random.normal();
  for (std::int64_t t = 0; t < tokens; ++t) {
    reading.targets.push_back(static_cast<std::int32_t>(random.below(kTypes)));
    reading.log_probabilities.push_back(std::log(0.01f + 0.9f * random.uniform()));
  }
  return reading;
}

// The definition, in double precision: p of `token` after hidden state t, to which the model gives
// log_probability.
double by_definition(const Reading& r, std::size_t t, std::int32_t token, double log_probability,
                     const ContinuousCacheOptions& o) {
  const std::size_t first =
      t > static_cast<std::size_t>(o.tokens) ? t - static_cast<std::size_t>(o.tokens) : 0;
  double total = 0, found = 0;
  for (std::size_t i = first; i < t; ++i) {
    double dot = 0;
    for (std::int64_t d = 0; d < kStateWidth; ++d)
      dot += static_cast<double>(r.hidden.row(static_cast<std::int64_t>(t))[d]) *
             r.hidden.row(static_cast<std::int64_t>(i))[d];
    const double weight = std::exp(o.beta * dot / std::sqrt(static_cast<double>(kStateWidth)));
    total += weight;
    if (r.targets[i] == token) found += weight;
  }
  const double p = std::exp(log_probability);
  return t == first ? p : (1.0 - o.weight) * p + o.weight * found / total;
}

TEST(ContinuousCache, FollowsItsDefinitionHoweverLongTheText) {
  for (const int tokens : {1, 7, 100, 1000}) {
    const ContinuousCacheOptions options{tokens, 0.3f, 0.5f};
    const Reading reading = some_reading(700);
    ContinuousCache cache(options, kStateWidth);
    const std::vector<float> found = reading.read_by(cache, 0, 700);
    for (std::size_t t = 0; t < found.size(); ++t)
      ASSERT_NEAR(
          std::exp(found[t]),
          by_definition(reading, t, reading.targets[t], reading.log_probabilities[t], options),
          1e-5)
          << "token " << t << " with a cache of " << tokens;
  }
}

TEST(ContinuousCache, GivesTheSameHoweverTheTextIsCut) {
  const Reading reading = some_reading(400);
  ContinuousCache whole({50, 0.2f, 1.0f}, kStateWidth), cut({50, 0.2f, 1.0f}, kStateWidth);
  const std::vector<float> expected = reading.read_by(whole, 0, 400);
  std::vector<float> found;
  std::size_t begin = 0;
  for (const std::size_t length : {1, 2, 130, 7, 260}) {
    for (const float p : reading.read_by(cut, begin, begin + length)) found.push_back(p);
    begin += length;
  }
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t t = 0; t < found.size(); ++t)
    EXPECT_NEAR(found[t], expected[t], 1e-6) << "token " << t;
}

TEST(ContinuousCache, MixesTheSameTokenByToken) {
  const Reading reading = some_reading(300);
  const ContinuousCacheOptions options{20, 0.4f, 0.7f};
  ContinuousCache cache(options, kStateWidth);
  for (std::size_t t = 0; t < reading.targets.size(); ++t) {
    const auto row = static_cast<std::int64_t>(t);
    const Tensor log_probabilities = Tensor::full({1, kTypes}, std::log(1.0f / kTypes));
    cache.mix(reading.hidden.slice_rows(row, row + 1), log_probabilities);
    double sum = 0;
    for (std::int32_t v = 0; v < kTypes; ++v) {
      const double p = std::exp(log_probabilities.data()[v]);
      EXPECT_NEAR(p, by_definition(reading, t, v, std::log(1.0 / kTypes), options), 1e-5)
          << "token " << t;
      sum += p;
    }
    EXPECT_NEAR(sum, 1.0, 1e-5);
    cache.remember(reading.hidden.slice_rows(row, row + 1), reading.targets[t]);
  }
}

TEST(ContinuousCache, ChangesNothingWithoutWeight) {
  const Reading reading = some_reading(60);
  ContinuousCache cache({10, 0.0f, 1.0f}, kStateWidth);
  const std::vector<float> found = reading.read_by(cache, 0, 60);
  for (std::size_t t = 0; t < found.size(); ++t)
    EXPECT_NEAR(found[t], reading.log_probabilities[t], 1e-6);
}

TEST(ContinuousCache, LeavesAShareToWhatTheModelHardlyExpects) {
  const Reading reading = some_reading(2);
  ContinuousCache cache({10, 0.5f, 1.0f}, kStateWidth);
  const std::vector<std::int32_t> targets{0, 1};
  const std::vector<float> found =
      cache.read(reading.hidden, targets, std::vector<float>{-1.0f, -1000.0f});
  EXPECT_NEAR(found[1], -1000.0f + std::log(0.5f), 1e-3);
}

TEST(ContinuousCache, RefusesWhatMakesNoSense) {
  expect_error<ConfigError>(
      [] {
        check_options(ContinuousCacheOptions{-1, 0.1f, 1.0f});
      },
      {"cache_tokens", "-1"});
  expect_error<ConfigError>(
      [] {
        check_options(ContinuousCacheOptions{2'000'000'000, 0.1f, 1.0f});
      },
      {"cache_tokens", "2000000000"});
  expect_error<ConfigError>(
      [] {
        check_options(ContinuousCacheOptions{1, 1.0f, 1.0f});
      },
      {"cache_weight", "from 0 to below 1", "1"});
  expect_error<ConfigError>(
      [] {
        check_options(ContinuousCacheOptions{1, NAN, 1.0f});
      },
      {"cache_weight", "nan"});
  expect_error<ConfigError>(
      [] {
        check_options(ContinuousCacheOptions{1, 0.1f, -1.0f});
      },
      {"cache_beta", "-1"});
  const Reading reading = some_reading(4);
  ContinuousCache cache({10, 0.1f, 1.0f}, kStateWidth);
  expect_error<ShapeError>(
      [&] {
        cache.read(reading.hidden, std::span(reading.targets).first(3), reading.log_probabilities);
      },
      {"[3, 8]", "[4, 8]"});
  expect_error<ShapeError>(
      [&] {
        cache.read(reading.hidden, reading.targets, std::span(reading.log_probabilities).first(3));
      },
      {"4", "3"});
  expect_error<ShapeError>([&] { cache.remember(reading.hidden, 0); }, {"[1, 8]", "[4, 8]"});
}

}  // namespace
}  // namespace attend
