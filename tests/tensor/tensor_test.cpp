#include "attend/tensor/tensor.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "attend/error.h"
#include "attend/tensor/out_of_memory.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// 0, 1, 2, ... in the given shape.
Tensor counting(Shape shape) {
  std::vector<float> values(static_cast<std::size_t>(shape.size()));
  std::iota(values.begin(), values.end(), 0.0f);
  return Tensor::from(values, shape);
}

TEST(Tensor, IsUndefinedUntilGivenMemory) {
  EXPECT_FALSE(Tensor().defined());
  EXPECT_TRUE(Tensor::empty({2}).defined());
  EXPECT_TRUE(Tensor::empty({0, 4}).defined());
}

TEST(Tensor, SeesLeadingDimensionsAsRows) {
  const Tensor t = Tensor::empty({2, 3, 4});
  EXPECT_EQ(t.rows(), 6);
  EXPECT_EQ(t.cols(), 4);
  EXPECT_EQ(t.row_stride(), 4);
  EXPECT_TRUE(t.contiguous());
  EXPECT_EQ(Tensor::empty({5}).rows(), 1);
  EXPECT_EQ(Tensor::empty({0, 4}).rows(), 0);
}

TEST(Tensor, FillsAndCopiesValues) {
  EXPECT_EQ(Tensor::zeros({2, 2}).to_vector(), (std::vector<float>{0, 0, 0, 0}));
  EXPECT_EQ(Tensor::full({3}, 2.5f).to_vector(), (std::vector<float>{2.5f, 2.5f, 2.5f}));
  const std::vector<std::int32_t> ids{4, 5};
  EXPECT_EQ(Tensor::from(ids, {2}).data<std::int32_t>()[1], 5);
}

TEST(Tensor, HandlesShareMemoryAndClonesDoNot) {
  const Tensor a = counting({2, 2});
  const Tensor handle = a;
  const Tensor copy = a.clone();
  a.data()[0] = 9.0f;
  EXPECT_EQ(handle.data()[0], 9.0f);
  EXPECT_EQ(copy.data()[0], 0.0f);
}

TEST(Tensor, RowsOfAMatrixAreAView) {
  const Tensor t = counting({4, 3});
  const Tensor middle = t.slice_rows(1, 3);
  EXPECT_EQ(middle.shape(), (Shape{2, 3}));
  EXPECT_EQ(middle.to_vector(), (std::vector<float>{3, 4, 5, 6, 7, 8}));
  middle.data()[0] = -1.0f;
  EXPECT_EQ(t.data()[3], -1.0f);
  EXPECT_EQ(t.slice_rows(4, 4).rows(), 0);
}

TEST(Tensor, RowsOfHigherRanksAreEntriesOfTheFirstDimension) {
  EXPECT_EQ(counting({5}).slice_rows(2, 4).to_vector(), (std::vector<float>{2, 3}));
  EXPECT_EQ(counting({3, 2, 2}).slice_rows(1, 2).to_vector(), (std::vector<float>{4, 5, 6, 7}));
  const Tensor four = counting({2, 1, 2, 2}).slice_rows(1, 2);
  EXPECT_EQ(four.shape(), (Shape{1, 1, 2, 2}));
  EXPECT_EQ(four.to_vector(), (std::vector<float>{4, 5, 6, 7}));
}

TEST(Tensor, ColumnsOfAMatrixAreAViewWithAStride) {
  const Tensor t = counting({3, 4});
  const Tensor columns = t.slice_columns(1, 3);
  EXPECT_EQ(columns.shape(), (Shape{3, 2}));
  EXPECT_EQ(columns.row_stride(), 4);
  EXPECT_FALSE(columns.contiguous());
  EXPECT_EQ(columns.row(2)[0], 9.0f);
  EXPECT_EQ(columns.to_vector(), (std::vector<float>{1, 2, 5, 6, 9, 10}));
  EXPECT_EQ(columns.slice_rows(1, 3).to_vector(), (std::vector<float>{5, 6, 9, 10}));
  EXPECT_EQ(columns.slice_columns(1, 2).to_vector(), (std::vector<float>{2, 6, 10}));
}

TEST(Tensor, CopiesAndZeroesAViewWithoutTouchingTheGaps) {
  const Tensor t = counting({2, 4});
  t.slice_columns(1, 3).copy_from(Tensor::full({2, 2}, 7.0f));
  EXPECT_EQ(t.to_vector(), (std::vector<float>{0, 7, 7, 3, 4, 7, 7, 7}));
  t.slice_columns(0, 2).zero();
  EXPECT_EQ(t.to_vector(), (std::vector<float>{0, 0, 7, 3, 0, 0, 7, 7}));
}

TEST(Tensor, ReshapesOnlyWhatIsContiguous) {
  const Tensor t = counting({2, 6});
  EXPECT_EQ(t.reshape({3, 4}).row(1)[0], 4.0f);
  expect_error<ShapeError>([&] { (void)t.reshape({5}); }, {"[reshape]", "5 elements", "[2, 6]"});
  expect_error<ShapeError>([&] { (void)t.slice_columns(0, 3).reshape({6}); },
                           {"contiguous", "[2, 3]", "stride 6"});
  EXPECT_NO_THROW((void)t.slice_rows(1, 2).slice_columns(0, 3).reshape({3}))
      << "a single row has no gaps";
}

TEST(Tensor, WrapsMemoryAndKeepsItsOwnerAlive) {
  auto values = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3, 4});
  const std::weak_ptr<std::vector<float>> watch = values;
  {
    const Tensor whole = Tensor::wrap(values, values->data(), {2, 2}, DType::f32);
    const Tensor view = whole.slice_rows(1, 2);
    values.reset();
    EXPECT_FALSE(watch.expired());
    EXPECT_EQ(view.to_vector(), (std::vector<float>{3, 4}));
  }
  EXPECT_TRUE(watch.expired());
}

TEST(Tensor, ReadsASingleElement) {
  EXPECT_EQ(Tensor::full({1, 1}, 4.0f).item(), 4.0f);
  EXPECT_EQ(Tensor::full({}, 5.0f).item(), 5.0f);
  expect_error<ShapeError>([] { (void)Tensor::zeros({2}).item(); },
                           {"[item]", "one element", "[2]"});
}

TEST(Tensor, SaysWhichOperationAndShapesDoNotFit) {
  const Tensor t = counting({2, 3});
  expect_error<ShapeError>([&] { (void)t.slice_rows(1, 3); }, {"[slice_rows]", "[2, 3]", "1..3"});
  expect_error<ShapeError>([&] { (void)t.slice_columns(1, 4); },
                           {"[slice_columns]", "[2, 3]", "1..4"});
  expect_error<ShapeError>([&] { (void)t.slice_rows(-1, 1); }, {"[slice_rows]", "-1..1"});
  expect_error<ShapeError>([&] { (void)t.slice_columns(2, 1); },
                           {"[slice_columns]", "2..1", "[2, 3]"});
  expect_error<ShapeError>(
      [&] {
        (void)counting({2, 2, 2}).slice_columns(0, 1);
      },
      {"[slice_columns]", "[2, 2, 2]"});
  expect_error<ShapeError>([&] { t.copy_from(counting({3, 2})); }, {"[copy]", "[2, 3]", "[3, 2]"});
  expect_error<ShapeError>(
      [&] {
        t.copy_from(Tensor::zeros({2, 3}, DType::i32));
      },
      {"[copy]", "F32", "I32"});
  expect_error<ShapeError>([&] { (void)t.slice_columns(0, 2).span(); }, {"contiguous", "[2, 2]"});
  const std::vector<float> values(5);
  expect_error<ShapeError>(
      [&] {
        (void)Tensor::from(values, {2, 3});
      },
      {"[tensor]", "6 values", "[2, 3]", "got 5"});
}

TEST(Tensor, RefusesToReadAsAnotherType) {
  expect_error<ShapeError>([] { (void)Tensor::zeros({2}).data<std::int32_t>(); }, {"I32", "F32"});
  EXPECT_NO_THROW((void)Tensor::zeros({2}, DType::u8).data<std::uint8_t>());
}

TEST(DType, NamesAndSizesAreThoseOfSafetensors) {
  EXPECT_EQ(name_of(DType::f32), "F32");
  EXPECT_EQ(name_of(DType::bf16), "BF16");
  EXPECT_EQ(size_of(DType::bf16), 2u);
  EXPECT_EQ(size_of(DType::i8), 1u);
  EXPECT_EQ(Tensor::zeros({3}, DType::bf16).shape(), (Shape{3}));
}

// The products wrap to small numbers of bytes, or of bytes rounded up to an alignment.
TEST(Tensor, RefusesSizesThatWrap) {
  constexpr std::int64_t kHalf = std::int64_t{1} << 31;
  for (const Shape& shape :
       {Shape{kHalf, kHalf}, Shape{kHalf, kHalf, 1}, Shape{2 * kHalf - 1, kHalf}})
    expect_error<ShapeError>([&] { Tensor::zeros(shape); },
                             {"[tensor] expected a shape of less than 2^63 bytes, got "});
  EXPECT_THROW(Tensor::empty({kHalf, 2 * kHalf - 1}, DType::i8), OutOfMemory);
  expect_error<Error>([] { Tensor::empty({kHalf, kHalf - 1}); }, {"expected a shape"});
  EXPECT_EQ(Tensor::zeros({kHalf, 0, kHalf}).size(), 0);
}

}  // namespace
}  // namespace attend
