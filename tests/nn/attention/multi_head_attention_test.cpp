#include "attend/nn/attention/multi_head_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/error.h"
#include "attend/nn/ragged.h"
#include "attend/nn/relative_positions.h"
#include "attend/ops/linear.h"
#include "backend/scoped_backend.h"
#include "ops/operands.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

constexpr std::int64_t kWidth = 12;

MultiHeadAttentionOptions options(int heads = 3) {
  MultiHeadAttentionOptions o;
  o.d_model = kWidth;
  o.n_heads = heads;
  return o;
}

// A module with its parameters, biases included, drawn from one seed.
struct Module {
  explicit Module(const MultiHeadAttentionOptions& o) : attention(parameters, "attn", o) {
    parameters.allocate(5);
    Random random({6, 7});
    for (const auto& entry : parameters.entries()) {
      if (entry.shape.rank() == 1) fill_normal(parameters.value(entry), random, 0.3f);
    }
  }
  Tensor operator[](const std::string& name) const {
    for (const auto& entry : parameters.entries()) {
      if (entry.name == "attn." + name) return parameters.value(entry);
    }
    throw Error("no parameter " + name);
  }

  ParameterSet parameters;
  MultiHeadAttention attention;
};

Tensor inputs(std::int64_t rows, std::int64_t width = kWidth) {
  Random random({8, static_cast<std::uint64_t>(rows)});
  return normal_tensor({rows, width}, random);
}

TEST(MultiHeadAttentionWidths, OfKeysAndValuesAreThoseOfTheModelUnlessAsked) {
  MultiHeadAttentionOptions narrow = options();
  narrow.d_key = 2;
  EXPECT_EQ(Module(narrow)["k_proj.weight"].shape(), (Shape{6, kWidth}));
  EXPECT_EQ(Module(narrow)["v_proj.weight"].shape(), (Shape{kWidth, kWidth}));
}

class MultiHead : public testing::TestWithParam<Backend& (*)()> {
 protected:
  Pass pass_ = Pass::inference();

 private:
  ScopedBackend backend_{GetParam()()};
};

INSTANTIATE_TEST_SUITE_P(On, MultiHead, testing::Values(&reference_backend, &fast_backend),
                         [](const auto& suite) {
                           return suite.param == &reference_backend ? "Reference" : "Fast";
                         });

// RMS normalization without an epsilon, of each head.
void divide_heads_by_their_size(const Tensor& x, const Tensor& gain) {
  const std::int64_t width = gain.size();
  for (std::int64_t r = 0; r < x.rows(); ++r) {
    for (std::int64_t first = 0; first < x.cols(); first += width) {
      double squares = 0;
      for (std::int64_t d = 0; d < width; ++d)
        squares += double{x.row(r)[first + d]} * x.row(r)[first + d];
      const double size = std::sqrt(squares / static_cast<double>(width));
      for (std::int64_t d = 0; d < width; ++d)
        x.row(r)[first + d] = static_cast<float>(x.row(r)[first + d] / size * gain.data()[d]);
    }
  }
}

// Concat(head_1, ..., head_H) W_O + b_O with head_i = softmax(beta q_i k_i^T) v_i, in double
// precision, of one sequence.
Tensor by_the_book(const Module& m, const Tensor& x, const Tensor& memory,
                   const MultiHeadAttentionOptions& o, double beta) {
  const auto project = [&](const Tensor& in, const char* name) {
    return linear(Variable(in), Variable(m[std::string(name) + ".weight"]),
                  Variable(m[std::string(name) + ".bias"]))
        .value();
  };
  const Tensor q = project(x, "q_proj"), k = project(memory, "k_proj"),
               v = project(memory, "v_proj");
  const std::int64_t dk = q.cols() / o.n_heads, dv = v.cols() / o.n_heads;
  if (o.qk_norm) {
    divide_heads_by_their_size(q, m["q_norm.weight"]);
    divide_heads_by_their_size(k, m["k_norm.weight"]);
  }
  const Tensor heads = Tensor::zeros({x.rows(), v.cols()});
  for (std::int64_t h = 0; h < o.n_heads; ++h) {
    for (std::int64_t i = 0; i < q.rows(); ++i) {
      std::vector<double> weight;
      double sum = 0.0;
      for (std::int64_t j = 0; j < k.rows(); ++j) {
        double score = 0.0;
        for (std::int64_t d = h * dk; d < (h + 1) * dk; ++d)
          score += double{q.row(i)[d]} * k.row(j)[d];
        weight.push_back(std::exp(beta * score));
        sum += weight.back();
      }
      for (std::int64_t d = h * dv; d < (h + 1) * dv; ++d) {
        double value = 0.0;
        for (std::int64_t j = 0; j < k.rows(); ++j)
          value += weight[static_cast<std::size_t>(j)] / sum * v.row(j)[d];
        heads.row(i)[d] = static_cast<float>(value);
      }
    }
  }
  return project(heads, "out_proj");
}

TEST_P(MultiHead, SelfAttentionFollowsThePaper) {
  const Module m(options());
  const Tensor x = inputs(5);
  const Variable y = m.attention.self(Variable(x), {ids({0, 5}), ids({0, 5})}, {}, pass_);
  EXPECT_LE(largest_difference(y.value(), by_the_book(m, x, x, options(), 1.0 / std::sqrt(4.0))),
            2e-6);
}

TEST_P(MultiHead, CrossAttentionTakesAMemoryOfAnotherWidthAndHeadsOfAnyWidth) {
  MultiHeadAttentionOptions o = options();
  o.d_memory = 7;
  o.d_key = 5;
  o.d_value = 2;
  o.variant.inverse_temperature = 0.8f;
  const Module m(o);
  const Tensor x = inputs(4), memory = inputs(6, 7);
  const Variable y =
      m.attention.cross(Variable(x), Variable(memory), {ids({0, 4}), ids({0, 6})}, pass_);
  EXPECT_EQ(m["k_proj.weight"].shape(), (Shape{15, 7}));
  EXPECT_EQ(m["v_proj.weight"].shape(), (Shape{6, 7}));
  EXPECT_EQ(m["out_proj.weight"].shape(), (Shape{kWidth, 6}));
  EXPECT_LE(largest_difference(y.value(), by_the_book(m, x, memory, o, 0.8)), 2e-6);
}

TEST_P(MultiHead, NormalizesTheQueriesAndKeysOfEveryHead) {
  MultiHeadAttentionOptions o = options();
  o.qk_norm = NormOptions{NormKind::rms, 1e-12f};
  o.d_key = 6;
  const Module m(o);
  EXPECT_EQ(m["q_norm.weight"].shape(), (Shape{6}));
  const Tensor x = inputs(5), memory = inputs(4);
  const double beta = 1.0 / std::sqrt(6.0);
  const Variable self = m.attention.self(Variable(x), {ids({0, 5}), ids({0, 5})}, {}, pass_),
                 cross = m.attention.cross(Variable(x), Variable(memory),
                                           {ids({0, 5}), ids({0, 4})}, pass_);
  EXPECT_LE(largest_difference(self.value(), by_the_book(m, x, x, o, beta)), 2e-6);
  EXPECT_LE(largest_difference(cross.value(), by_the_book(m, x, memory, o, beta)), 2e-6);
  const Tensor projected = m.attention.project_memory(Variable(memory));
  std::vector<CacheSlot> slots;
  std::vector<std::int32_t> offsets{0};
  for (int row = 0; row < 5; ++row) {
    for (const std::int32_t key : {0, 1, 2, 3}) slots.push_back({0, key});
    offsets.push_back(static_cast<std::int32_t>(slots.size()));
  }
  const Variable cached =
      m.attention.cross_cached(Variable(x), {{&projected, 1}, slot_ids(slots), offsets});
  EXPECT_LE(largest_difference(cached.value(), cross.value()), 1e-6);
}

TEST_P(MultiHead, CrossAttentionToItselfIsSelfAttention) {
  const Module m(options());
  const Variable x(inputs(5));
  const AttentionLayout layout{ids({0, 2, 5}), ids({0, 2, 5})};
  EXPECT_LE(largest_difference(m.attention.self(x, layout, {}, pass_).value(),
                               m.attention.cross(x, x, layout, pass_).value()),
            1e-6);
}

TEST_P(MultiHead, RowsOfAProjectedMemoryGiveCrossAttention) {
  const Module m(options());
  const Variable x(inputs(5)), memory(inputs(4));
  const AttentionLayout layout{ids({0, 2, 5}), ids({0, 3, 4})};
  const Tensor projected = m.attention.project_memory(memory);
  EXPECT_EQ(projected.shape(), (Shape{4, 2 * kWidth}));
  std::vector<CacheSlot> slots;
  for (const std::int32_t row : {0, 1, 2, 0, 1, 2, 3, 3, 3}) slots.push_back({0, row});
  const std::vector<std::int32_t> offsets{0, 3, 6, 7, 8, 9};
  const Variable y = m.attention.cross_cached(x, {{&projected, 1}, slot_ids(slots), offsets});
  EXPECT_LE(largest_difference(m.attention.cross(x, memory, layout, pass_).value(), y.value()),
            1e-6);
}

TEST_P(MultiHead, SequencesOfABatchGiveTheBitsThatEachGivesAlone) {
  const Module m(options());
  const Tensor x = inputs(9);
  const std::vector<std::int32_t> offsets{0, 4, 4, 5, 9};
  const Tensor all =
      m.attention.self(Variable(x), {ids(offsets), ids(offsets), {}, true}, {}, pass_).value();
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
    const std::int32_t length = offsets[b + 1] - offsets[b];
    const AttentionLayout alone{ids({0, length}), ids({0, length}), {}, true};
    const Variable y =
        m.attention.self(Variable(x.slice_rows(offsets[b], offsets[b + 1])), alone, {}, pass_);
    EXPECT_TRUE(same_bits(y.value(), all.slice_rows(offsets[b], offsets[b + 1])))
        << "sequence " << b;
  }
}

// Bit for bit in the reference. The fast kernel of a single query adds its products in another
// order than that of whole sequences.
TEST_P(MultiHead, OneStepAfterTheOtherGivesTheWholePass) {
  MultiHeadAttentionOptions o = options();
  o.d_key = 5;
  o.d_value = 3;
  const Module m(o);
  const Tensor x = inputs(8);  // two hypotheses of four positions
  const AttentionLayout layout{ids({0, 4, 8}), ids({0, 4, 8}), {}, true};
  const NoGradient guard;
  const Tensor whole = m.attention.self(Variable(x), layout, {}, pass_).value();
  KVCache cache(1, 2);
  for (std::int64_t t = 0; t < 4; ++t) {
    const Tensor now = Tensor::empty({2, kWidth});
    now.slice_rows(0, 1).copy_from(x.slice_rows(t, t + 1));
    now.slice_rows(1, 2).copy_from(x.slice_rows(4 + t, 5 + t));
    cache.extend(std::vector<std::int32_t>{1, 1});
    const Tensor y = m.attention.self_cached(Variable(now), cache, 0).value();
    for (const std::int64_t h : {0, 1}) {
      SCOPED_TRACE("hypothesis " + std::to_string(h) + ", step " + std::to_string(t));
      const Tensor expected = whole.slice_rows(4 * h + t, 4 * h + t + 1);
      EXPECT_LE(largest_difference(y.slice_rows(h, h + 1), expected), 1e-6);
      EXPECT_TRUE(GetParam() == &fast_backend || same_bits(y.slice_rows(h, h + 1), expected));
    }
  }
}

// The table of biases grows with the cache: it begins with 64 distances.
TEST_P(MultiHead, OneStepAtATimeSlopesAsFarAsTheWholeText) {
  MultiHeadAttentionOptions o = options();
  const auto slopes = RelativePositions::alibi(o.n_heads);
  o.relative = slopes;
  const Module m(o);
  const std::int32_t length = 140;
  const Tensor x = inputs(length);
  const AttentionLayout layout{ids({0, length}), ids({0, length}), {}, true};
  const NoGradient guard;
  KVCache cache(1, 1);
  Tensor last;
  for (std::int64_t t = 0; t < length; ++t) {
    cache.extend(std::vector<std::int32_t>{1});
    last = m.attention.self_cached(Variable(x.slice_rows(t, t + 1)), cache, 0).value();
  }
  const Tensor whole = m.attention.self(Variable(x), layout, {}, pass_).value();
  EXPECT_LE(largest_difference(last, whole.slice_rows(length - 1, length)), 1e-6);
}

// With the rows of a shared key or value head repeated, plain attention gives the same.
TEST_P(MultiHead, HeadsThatShareKeysAreHeadsWithEqualKeys) {
  MultiHeadAttentionOptions plain = options(6), sharing = options(6);
  sharing.n_key_heads = 2;
  const Module all(plain), few(sharing);
  EXPECT_EQ(few["k_proj.weight"].shape(), (Shape{4, kWidth}));
  for (const char* name : {"q_proj", "out_proj"}) {
    for (const char* part : {".weight", ".bias"})
      all[std::string(name) + part].copy_from(few[std::string(name) + part]);
  }
  for (const char* name : {"k_proj", "v_proj"}) {
    for (std::int64_t row = 0; row < kWidth; ++row) {
      const std::int64_t from = row / 2 / 3 * 2 + row % 2;  // heads are 2 wide, 3 share one
      all[std::string(name) + ".weight"]
          .slice_rows(row, row + 1)
          .copy_from(few[std::string(name) + ".weight"].slice_rows(from, from + 1));
      all[std::string(name) + ".bias"].data()[row] = few[std::string(name) + ".bias"].data()[from];
    }
  }
  const Variable x(inputs(5));
  const AttentionLayout layout{ids({0, 2, 5}), ids({0, 2, 5})};
  EXPECT_LE(largest_difference(few.attention.self(x, layout, {}, pass_).value(),
                               all.attention.self(x, layout, {}, pass_).value()),
            1e-6);
}

TEST(MultiHeadAttentionWidths, RefuseKeyHeadsThatDoNotDivideTheHeads) {
  MultiHeadAttentionOptions o = options(6);
  o.n_key_heads = 4;
  expect_error<ConfigError>([&] { Module{o}; }, {"n_key_heads 4", "n_heads 6"});
}

TEST_P(MultiHead, RecordsTheWeightsOfEveryHeadWhenAsked) {
  const Module m(options());
  const AttentionLayout layout{ids({0, 2, 5}), ids({0, 3, 4})};
  std::vector<AttentionRecord> records;
  pass_.attention = &records;
  const Variable with = m.attention.cross(Variable(inputs(5)), Variable(inputs(4)), layout, pass_);
  pass_.attention = nullptr;
  const Variable without =
      m.attention.cross(Variable(inputs(5)), Variable(inputs(4)), layout, pass_);
  EXPECT_TRUE(same_bits(with.value(), without.value()));
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].module, "attn");
  EXPECT_EQ(records[0].heads, 3);
  ASSERT_EQ(records[0].weights.size(), 3 * (2 * 3 + 3 * 1));
  const Tensor first = records[0].weights.slice_rows(0, 18);
  for (std::int64_t row = 0; row < 6; ++row)
    EXPECT_NEAR(backend()->sum(first.slice_rows(row * 3, row * 3 + 3)), 1.0, 1e-6);
  for (const float only : records[0].weights.slice_rows(18, 27).span()) EXPECT_EQ(only, 1.0f);
  EXPECT_FALSE(same_bits(first.slice_rows(0, 6), first.slice_rows(6, 12))) << "heads differ";
}

TEST(MultiHeadAttention, PacksItsProjectionsSoThatNoParameterIsHeldTwice) {
  const Module m(options());
  EXPECT_EQ(m.parameters.size(), 4 * (kWidth * kWidth + kWidth));
  EXPECT_EQ(m["k_proj.weight"].data(), m["q_proj.weight"].data() + kWidth * kWidth);
  EXPECT_EQ(m["v_proj.weight"].data(), m["q_proj.weight"].data() + 2 * kWidth * kWidth);
}

TEST(MultiHeadAttention, BeginsWithXavierOfTheStackedProjections) {
  MultiHeadAttentionOptions o = options(1);
  o.d_model = 64;
  ParameterSet parameters;
  const MultiHeadAttention attention(parameters, "attn", o);
  parameters.allocate(1);
  for (const auto& entry : parameters.entries()) {
    float largest = 0.0f;
    for (const float value : parameters.value(entry).to_vector())
      largest = std::max(largest, std::abs(value));
    const bool input = entry.name.find("out_proj") ==
                       std::string::npos;  // Q, K, V: as one matrix [2*64, 64] would
    const double limit =
        entry.shape.rank() == 1 ? 0.0 : std::sqrt(6.0 / 128.0) * (input ? std::sqrt(0.5) : 1.0);
    EXPECT_LE(largest, limit * (1 + 1e-6)) << entry.name;
    EXPECT_GE(largest, 0.99 * limit) << entry.name;
  }
}

TEST(MultiHeadAttention, RefusesHeadsThatDoNotDivideTheWidth) {
  ParameterSet parameters;
  expect_error<ConfigError>([&] { MultiHeadAttention(parameters, "attn", options(5)); },
                            {"n_heads 5", "d_model 12", "divisor"});
  expect_error<ConfigError>([&] { MultiHeadAttention(parameters, "attn", options(0)); },
                            {"n_heads", "from 1"});
  MultiHeadAttentionOptions o = options(5);
  o.d_key = o.d_value = 3;
  EXPECT_NO_THROW(MultiHeadAttention(parameters, "attn", o));
}

TEST(MultiHeadAttention, RefusesSelfAttentionWhenItsMemoryIsOfAnotherWidth) {
  MultiHeadAttentionOptions o = options();
  o.d_memory = 7;
  const Module m(o);
  Pass pass = Pass::inference();
  expect_error<ShapeError>(
      [&] {
        m.attention.self(Variable(inputs(2)), {ids({0, 2}), ids({0, 2})}, {}, pass);
      },
      {"attn", "7", "12"});
}

TEST(MultiHeadAttention, DropsWeightsInTrainingOnly) {
  MultiHeadAttentionOptions o = options();
  o.dropout = 0.5f;
  const Module m(o);
  const Variable x(inputs(5));
  const AttentionLayout layout{ids({0, 5}), ids({0, 5})};
  const auto run = [&](Pass pass) { return m.attention.self(x, layout, {}, pass).value(); };
  EXPECT_TRUE(same_bits(run(Pass::training(1, 1)), run(Pass::training(1, 1))));
  EXPECT_FALSE(same_bits(run(Pass::training(1, 1)), run(Pass::training(1, 2))));
  EXPECT_FALSE(same_bits(run(Pass::training(1, 1)), run(Pass::inference())));
}

}  // namespace
}  // namespace attend
