#include "attend/nn/rotary_encoding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "attend/error.h"
#include "ops/operands.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

constexpr std::int64_t kHead = 6;

Tensor random_rows(std::int64_t rows, std::int64_t columns) {
  Random random({3, static_cast<std::uint64_t>(rows)});
  return normal_tensor({rows, columns}, random);
}

// The angle of pair i at position 1, as the first column's cosine and sine say.
double frequency_of(const RotaryOptions& options, std::int64_t pair) {
  const RotaryEncoding encoding(kHead, options);
  const Tensor x = Tensor::zeros({1, kHead});
  x.row(0)[pair] = 1.0f;
  const Tensor y = encoding.rotate(Variable(x), kHead, ids({1})).value();
  return std::atan2(y.row(0)[pair + kHead / 2], y.row(0)[pair]);
}

TEST(RotaryEncoding, TurnsPairsByTheirPositionTimesTheirFrequency) {
  const RotaryEncoding encoding(kHead, {.theta = 100.0});
  const Tensor x = random_rows(3, 2 * kHead + 4);
  const std::vector<std::int32_t> positions{0, 7, 70};
  const Tensor y = encoding.rotate(Variable(x), 2 * kHead, ids(positions)).value();
  for (std::int64_t r = 0; r < 3; ++r) {
    for (std::int64_t head = 0; head < 2; ++head) {
      for (std::int64_t i = 0; i < kHead / 2; ++i) {
        const double angle =
            positions[static_cast<std::size_t>(r)] * std::pow(100.0, -2.0 * i / kHead);
        const double a = x.row(r)[head * kHead + i], b = x.row(r)[head * kHead + kHead / 2 + i];
        EXPECT_NEAR(y.row(r)[head * kHead + i], a * std::cos(angle) - b * std::sin(angle), 1e-6);
        EXPECT_NEAR(y.row(r)[head * kHead + kHead / 2 + i],
                    b * std::cos(angle) + a * std::sin(angle), 1e-6);
      }
    }
    for (std::int64_t c = 2 * kHead; c < x.cols(); ++c) EXPECT_EQ(y.row(r)[c], x.row(r)[c]);
  }
}

TEST(RotaryEncoding, GivesProductsThatDependOnTheDistanceAlone) {
  const RotaryEncoding encoding(kHead, {});
  const Tensor q = random_rows(1, kHead), k = random_rows(1, kHead);
  const auto product = [&](std::int32_t at_q, std::int32_t at_k) {
    const Tensor a = encoding.rotate(Variable(q), kHead, ids({at_q})).value(),
                 b = encoding.rotate(Variable(k), kHead, ids({at_k})).value();
    double sum = 0.0;
    for (std::int64_t i = 0; i < kHead; ++i) sum += double{a.row(0)[i]} * b.row(0)[i];
    return sum;
  };
  EXPECT_NEAR(product(3, 1), product(40, 38), 1e-5);
  EXPECT_GT(std::abs(product(3, 1) - product(3, 2)), 1e-3);
}

TEST(RotaryEncoding, StretchesPositionsByTheFactor) {
  for (std::int64_t pair = 0; pair < kHead / 2; ++pair)
    EXPECT_NEAR(frequency_of({.scaling = RotaryScaling::linear, .factor = 4.0}, pair),
                frequency_of({}, pair) / 4.0, 1e-6);
}

// What Llama 3.1 does: 1/frequency is the wavelength over 2 pi.
TEST(RotaryEncoding, StretchesLongWavelengthsOnly) {
  RotaryOptions o{.theta = 1000.0,
                  .scaling = RotaryScaling::llama3,
                  .factor = 8.0,
                  .low_factor = 1.0,
                  .high_factor = 4.0,
                  .original_length = 128};
  const double plain[] = {1.0, std::pow(1000.0, -1.0 / 3.0), std::pow(1000.0, -2.0 / 3.0)};
  EXPECT_NEAR(frequency_of(o, 0), plain[0], 1e-6);                 // 128 / (2 pi) = 20 turns: kept
  const double turns = 128.0 * plain[1] / (2 * std::numbers::pi);  // 2.04, between 1 and 4
  const double kept = (turns - 1.0) / 3.0;
  EXPECT_NEAR(frequency_of(o, 1), kept * plain[1] + (1 - kept) * plain[1] / 8.0, 1e-6);
  EXPECT_NEAR(frequency_of(o, 2), plain[2] / 8.0, 1e-7);  // 0.2 turns
}

// YaRN's transition is between two pairs, and queries and keys become larger.
TEST(RotaryEncoding, StretchesFromPairToPairWithYarn) {
  const RotaryOptions o{.theta = 1000.0,
                        .scaling = RotaryScaling::yarn,
                        .factor = 8.0,
                        .low_factor = 0.5,
                        .high_factor = 32.0,
                        .original_length = 128};
  // 32 turns before the first pair, half a turn at pair 1.6.
  const double plain[] = {1.0, std::pow(1000.0, -1.0 / 3.0), std::pow(1000.0, -2.0 / 3.0)};
  EXPECT_NEAR(frequency_of(o, 0), plain[0], 1e-6);
  EXPECT_NEAR(frequency_of(o, 1), 0.5 * plain[1] + 0.5 * plain[1] / 8.0, 1e-6);
  EXPECT_NEAR(frequency_of(o, 2), plain[2] / 8.0, 1e-7);
  const Tensor x = random_rows(1, kHead);
  const Tensor y = RotaryEncoding(kHead, o).rotate(Variable(x), kHead, ids({5})).value();
  const double magnitude = 0.1 * std::log(8.0) + 1;
  EXPECT_NEAR(backend()->sum_of_squares(y), magnitude * magnitude * backend()->sum_of_squares(x),
              1e-5);
}

TEST(RotaryEncoding, MayTurnAPartOfAHead) {
  const RotaryOptions whole{.theta = 100.0}, part{.theta = 100.0, .width = 4};
  EXPECT_NEAR(frequency_of(part, 0), 1.0, 1e-6);
  EXPECT_NEAR(frequency_of(part, 1), std::pow(100.0, -2.0 / 4), 1e-6);
  EXPECT_EQ(frequency_of(part, 2), 0.0);
  EXPECT_GT(frequency_of(whole, 2), 0.0);
  // What does not turn has no magnitude of its own.
  const RotaryEncoding encoding(kHead, {.width = 4, .scaling = RotaryScaling::yarn, .factor = 8.0});
  const Tensor x = random_rows(1, kHead);
  const Tensor y = encoding.rotate(Variable(x), kHead, ids({5})).value();
  EXPECT_EQ(y.row(0)[2], x.row(0)[2]);
  EXPECT_EQ(y.row(0)[5], x.row(0)[5]);
}

TEST(RotaryEncoding, HasOtherFactorsForLongerTexts) {
  const RotaryEncoding encoding(kHead, {.theta = 100.0,
                                        .scaling = RotaryScaling::longrope,
                                        .factor = 4.0,
                                        .original_length = 4,
                                        .short_factors = "1,2,4",
                                        .long_factors = "2,3,8"});
  EXPECT_EQ(encoding.positions_alike(), 4);
  const Tensor x = Tensor::zeros({9, kHead});
  for (std::int64_t row = 0; row < 9; ++row) x.row(row)[1] = 1.0f;
  // A text of four tokens and one of five.
  const Tensor y = encoding.rotate(Variable(x), kHead, ids({0, 1, 2, 3, 0, 1, 2, 3, 4})).value();
  const double frequency = std::pow(100.0, -2.0 / kHead),
               magnitude = std::sqrt(1 + std::log(4.0) / std::log(4.0));
  for (std::int64_t row = 0; row < 9; ++row) {
    const double angle = row < 4 ? static_cast<double>(row) * frequency / 2
                                 : static_cast<double>(row - 4) * frequency / 3;
    EXPECT_NEAR(y.row(row)[1], magnitude * std::cos(angle), 1e-6) << row;
    EXPECT_NEAR(y.row(row)[1 + kHead / 2], magnitude * std::sin(angle), 1e-6) << row;
  }
}

TEST(RotaryEncoding, RefusesFactorsThatAreNotOfItsPairs) {
  const auto with = [](const char* factors, int length) {
    return RotaryOptions{
        .scaling = RotaryScaling::longrope, .original_length = length, .short_factors = factors};
  };
  for (const char* list : {"1,2", "1,2,3,4"})
    expect_error<ConfigError>([&] { RotaryEncoding(6, with(list, 9)); },
                              {"rotary_short_factors", "3 numbers"});
  for (const char* list : {"1,x,3", "1,,3", "1,2,0", "1,2,3,", "1,-2,3", "1,nan,3"})
    expect_error<ConfigError>([&] { RotaryEncoding(6, with(list, 9)); },
                              {"rotary_short_factors", list});
  expect_error<ConfigError>([&] { RotaryEncoding(6, with("1,2,3", 1)); },
                            {"rotary_original_length", "more than 1"});
  for (const int width : {3, 8})
    expect_error<ConfigError>([&] { RotaryEncoding(6, {.width = width}); },
                              {"rotary_width", "6", std::to_string(width)});
}

TEST(RotaryEncoding, RefusesHeadsOfOddWidthAndFactorsInTheWrongOrder) {
  expect_error<ConfigError>([] { RotaryEncoding(5, {}); }, {"rotary", "even", "5"});
  expect_error<ConfigError>(
      [] {
        RotaryEncoding(6,
                       {.scaling = RotaryScaling::llama3, .low_factor = 4.0, .high_factor = 4.0});
      },
      {"rotary_high_factor", "rotary_low_factor 4"});
  expect_error<ConfigError>(
      [] { RotaryEncoding(6, {.theta = 1.0, .scaling = RotaryScaling::yarn}); },
      {"rotary_theta", "more than 1"});
}

}  // namespace
}  // namespace attend
