// Operands that the gated recurrent unit and the parts of matrices refuse.
#include <gtest/gtest.h>

#include "attend/error.h"
#include "attend/ops/gru.h"
#include "attend/ops/slices.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

Variable zeros(const Shape& shape) { return Variable(Tensor::zeros(shape), true); }

TEST(GruCell, RefusesOperandsThatDoNotFit) {
  expect_error<ShapeError>(
      [] {
        gru_cell(zeros({2, 9}), zeros({2, 12}), zeros({2, 4}));
      },
      {"[gru_cell]", "[2, 9]", "[2, 4]"});
  expect_error<ShapeError>(
      [] {
        gru_cell(zeros({2, 12}), zeros({3, 12}), zeros({2, 4}));
      },
      {"[gru_cell]", "[2, 12]", "[3, 12]"});
  expect_error<ShapeError>(
      [] {
        gru_cell(zeros({3, 12}), zeros({3, 12}), zeros({2, 4}));
      },
      {"[gru_cell]", "[3, 12]", "[2, 4]"});
  expect_error<ShapeError>([] { gru_cell(zeros({12}), zeros({12}), zeros({4})); },
                           {"[gru_cell]", "[4]"});
}

TEST(Slices, RefuseRangesThatDoNotExist) {
  expect_error<ShapeError>(
      [] {
        slice_rows(zeros({4, 3}), 2, 5);
      },
      {"[slice_rows]", "[4, 3]", "2..5"});
  expect_error<ShapeError>([] { slice_rows(zeros({4, 3}), 3, 2); }, {"[slice_rows]", "3..2"});
  expect_error<ShapeError>(
      [] {
        slice_columns(zeros({4, 3}), -1, 2);
      },
      {"[slice_columns]", "[4, 3]", "-1..2"});
  expect_error<ShapeError>([] { slice_rows(zeros({4}), 0, 1); }, {"[slice_rows]", "[4]"});
}

TEST(Slices, RefuseToJoinWhatDoesNotFit) {
  expect_error<ShapeError>([] { concat_rows({}); }, {"[concat_rows]", "none"});
  expect_error<ShapeError>(
      [] {
        concat_rows({zeros({4, 3}), zeros({4, 2})});
      },
      {"[concat_rows]", "[4, 3]", "[4, 2]"});
  expect_error<ShapeError>(
      [] {
        concat_columns(zeros({4, 3}), zeros({3, 3}));
      },
      {"[concat_columns]", "[4, 3]", "[3, 3]"});
}

TEST(Slices, RefuseShapesOfAnotherSize) {
  expect_error<ShapeError>(
      [] {
        reshape(zeros({4, 3}), {5, 2});
      },
      {"[reshape]", "[4, 3]", "[5, 2]"});
}

TEST(Slices, OfEverythingAreTheVariableItself) {
  const Variable x = zeros({4, 3});
  EXPECT_EQ(slice_rows(x, 0, 4).value().bytes(), x.value().bytes());
  EXPECT_TRUE(slice_rows(x, 0, 4).sink() == x.sink());
  EXPECT_EQ(slice_rows(x, 1, 3).value().bytes(), x.value().slice_rows(1, 2).bytes()) << "no copy";
}

}  // namespace
}  // namespace attend
