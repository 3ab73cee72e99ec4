#include "attend/nn/positional_encoding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "attend/error.h"
#include "ops/operands.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

TEST(Sinusoids, FollowTheFormula) {
  constexpr int kWidth = 6;
  const Tensor table = sinusoids(PositionKind::sinusoidal, 50, kWidth);
  for (int p = 0; p < 50; ++p) {
    for (int i = 0; 2 * i < kWidth; ++i) {
      const double angle = p / std::pow(10000.0, 2.0 * i / kWidth);
      EXPECT_NEAR(table.row(p)[2 * i], std::sin(angle), 1e-7) << p << ", " << 2 * i;
      EXPECT_NEAR(table.row(p)[2 * i + 1], std::cos(angle), 1e-7) << p << ", " << 2 * i + 1;
    }
  }
}

// What "Attention Is All You Need" writes interleaved, with the columns in another order.
TEST(Sinusoids, InHalvesAreTheSameColumns) {
  const Tensor interleaved = sinusoids(PositionKind::sinusoidal, 50, 6),
               halves = sinusoids(PositionKind::sinusoidal_halves, 50, 6);
  for (int p = 0; p < 50; ++p) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(halves.row(p)[i], interleaved.row(p)[2 * i]);
      EXPECT_EQ(halves.row(p)[3 + i], interleaved.row(p)[2 * i + 1]);
    }
  }
}

TEST(Sinusoids, OfTensor2TensorReachTheLongestWavelength) {
  constexpr int kHalf = 4;
  const Tensor table = sinusoids(PositionKind::sinusoidal_t2t, 50, 2 * kHalf);
  for (int p = 0; p < 50; ++p) {
    for (int i = 0; i < kHalf; ++i) {
      const double angle = p * std::pow(10000.0, -static_cast<double>(i) / (kHalf - 1));
      EXPECT_NEAR(table.row(p)[i], std::sin(angle), 1e-7) << p << ", " << i;
      EXPECT_NEAR(table.row(p)[kHalf + i], std::cos(angle), 1e-7) << p << ", " << i;
    }
  }
  EXPECT_EQ(sinusoids(PositionKind::sinusoidal_t2t, 3, 2).to_vector()[4], std::sin(2.0f));
}

TEST(Sinusoids, BeginWithZerosAndOnesAndTakeOddWidths) {
  EXPECT_EQ(sinusoids(PositionKind::sinusoidal, 1, 5).to_vector(),
            (std::vector<float>{0, 1, 0, 1, 0}));
  EXPECT_EQ(sinusoids(PositionKind::sinusoidal, 0, 4).shape(), (Shape{0, 4}));
}

// Any fixed distance is a rotation (section 3.5): the product of two positions depends on their
// distance alone.
TEST(Sinusoids, HaveProductsThatDependOnTheDistance) {
  const Tensor table = sinusoids(PositionKind::sinusoidal, 40, 16);
  const auto product = [&](int a, int b) {
    double sum = 0.0;
    for (int d = 0; d < 16; ++d) sum += double{table.row(a)[d]} * table.row(b)[d];
    return sum;
  };
  for (const int distance : {1, 5, 13})
    EXPECT_NEAR(product(0, distance), product(20, 20 + distance), 1e-5);
}

struct Encoding {
  explicit Encoding(PositionKind kind, std::int64_t max_length = 8, std::int32_t first = 0)
      : Encoding(PositionOptions{kind, 4, max_length, first}) {}
  explicit Encoding(const PositionOptions& options) : encoding(parameters, "positions", options) {
    parameters.allocate(1);
  }
  ParameterSet parameters;
  PositionalEncoding encoding;
};

// Sequences of these lengths, of token 9.
Ragged texts_of(std::initializer_list<std::size_t> lengths) {
  RaggedBuilder builder;
  for (const std::size_t length : lengths) builder.add(std::vector<std::int32_t>(length, 9));
  return builder.build();
}

TEST(PositionalEncoding, CountsFromZeroInEverySequence) {
  const Encoding e(PositionKind::sinusoidal);
  const Positions positions = e.encoding.of(texts_of({3, 0, 1, 2}));
  EXPECT_EQ(positions.position, (std::vector<std::int32_t>{0, 1, 2, 0, 0, 1}));
  EXPECT_TRUE(e.encoding.of(texts_of({})).position->empty());
}

TEST(PositionalEncoding, HasSinusoidsOfAnyLengthAndNoParameters) {
  const Encoding e(PositionKind::sinusoidal);
  EXPECT_EQ(e.parameters.size(), 0);
  for (const std::int32_t last : {0, 255, 256, 5000, 3}) {
    const Positions positions = e.encoding.at(ids({last}));
    ASSERT_GT(positions.table.dim(0), last);
    EXPECT_FALSE(positions.table.requires_gradient());
    EXPECT_TRUE(
        same_bits(positions.table.value().slice_rows(last, last + 1),
                  sinusoids(PositionKind::sinusoidal, last + 1, 4).slice_rows(last, last + 1)));
  }
}

TEST(PositionalEncoding, MayCountTheRowsOfSinusoidsFromAnotherNumber) {
  const Encoding e(PositionKind::sinusoidal_t2t, 8, 2);
  const Positions positions = e.encoding.of(texts_of({3, 2}));
  EXPECT_EQ(positions.position, (std::vector<std::int32_t>{2, 3, 4, 2, 3}));
  const Positions far = e.encoding.at(ids({63}));
  EXPECT_EQ(far.position, (std::vector<std::int32_t>{65}));
  EXPECT_GT(far.table.dim(0), 65);
}

TEST(PositionalEncoding, LearnsATable) {
  const Encoding e(PositionKind::learned, 8);
  ASSERT_EQ(e.parameters.entries().size(), 1u);
  EXPECT_EQ(e.parameters.entries()[0].name, "positions.weight");
  EXPECT_EQ(e.parameters.entries()[0].shape, (Shape{8, 4}));
  const Positions positions = e.encoding.at(ids({0, 7}));
  EXPECT_TRUE(positions.table.requires_gradient());
  EXPECT_EQ(positions.table.value().data(), e.parameters.values().data());
}

TEST(PositionalEncoding, RefusesASequenceLongerThanItHasLearned) {
  const Encoding e(PositionKind::learned, 8);
  expect_error<DataError>([&] { e.encoding.of(texts_of({2, 9})); }, {"9 tokens", "8 positions"});
  EXPECT_NO_THROW(e.encoding.of(texts_of({8, 8})));
}

TEST(PositionalEncoding, MayLeaveOutATokenThatHasARowOfItsOwn) {
  const Encoding e({.kind = PositionKind::learned, .width = 4, .max_length = 3, .uncounted = 7});
  EXPECT_EQ(e.parameters.entries()[0].shape, (Shape{4, 4}));
  const Ragged text = Ragged::copy(std::vector<std::int32_t>{7, 5, 7, 7, 6, 8, 7, 5, 7},
                                   std::vector<std::int32_t>{0, 7, 9});
  const Positions positions = e.encoding.of(text);
  EXPECT_EQ(positions.position, (std::vector<std::int32_t>{0, 1, 0, 0, 2, 3, 0, 1, 0}));
  EXPECT_EQ(positions.table.value().data(), e.parameters.values().data());
  EXPECT_EQ(e.encoding.at(ids({2, 0})).position, (std::vector<std::int32_t>{3, 1}));
  expect_error<DataError>([&] { e.encoding.of(texts_of({4})); }, {"4 tokens", "3 positions"});
}

TEST(PositionalEncoding, CanBeNone) {
  const Encoding e(PositionKind::none);
  EXPECT_EQ(e.parameters.size(), 0);
  EXPECT_FALSE(e.encoding.of(texts_of({3})).table.defined());
}

}  // namespace
}  // namespace attend
