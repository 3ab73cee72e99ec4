#include "attend/tensor/shape.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

TEST(Shape, KnowsItsRankExtentsAndSize) {
  const Shape shape{3, 5, 2};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape[0], 3);
  EXPECT_EQ(shape[2], 2);
  EXPECT_EQ(shape[-1], 2);
  EXPECT_EQ(shape[-3], 3);
  EXPECT_EQ(shape.size(), 30);
}

TEST(Shape, OfAScalarHasOneElement) {
  EXPECT_EQ(Shape{}.rank(), 0);
  EXPECT_EQ(Shape{}.size(), 1);
}

TEST(Shape, MayHaveNoElements) { EXPECT_EQ((Shape{0, 7}).size(), 0); }

TEST(Shape, EqualsOnlyTheSameRankAndExtents) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
  EXPECT_NE((Shape{2}), (Shape{2, 0}));
}

TEST(Shape, PrintsAsAList) {
  EXPECT_EQ(to_string(Shape{3, 128}), "[3, 128]");
  EXPECT_EQ(to_string(Shape{}), "[]");
}

TEST(Shape, RefusesWhatItCannotHold) {
  expect_error<ShapeError>([] { Shape({1, 2, 3, 4, 5}); }, {"[shape]", "at most 4", "got 5"});
  expect_error<ShapeError>([] { Shape({2, -1}); }, {"[shape]", ">= 0", "[2, -1]"});
  expect_error<ShapeError>(
      [] {
        Shape({std::int64_t{1} << 32, std::int64_t{1} << 31});
      },
      {"[shape]", "2^63", "[4294967296, 2147483648]"});
  EXPECT_EQ(Shape({std::int64_t{1} << 32, std::int64_t{1} << 30}).size(), std::int64_t{1} << 62);
}

TEST(Shape, NamesTheDimensionThatDoesNotExist) {
  const Shape shape{2, 3};
  expect_error<ShapeError>([&] { (void)shape[2]; }, {"[2, 3]", "dimension 2"});
  expect_error<ShapeError>([&] { (void)shape[-3]; }, {"[2, 3]", "dimension -3"});
}

}  // namespace
}  // namespace attend
