// What a row becomes does not depend on the rows around it: computed alone, among a few and among
// all, it has equal bits. That is what makes a translation independent of the batch it is in.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "attend/backend/cpu/packed_weights.h"
#include "backend/attention_pattern.h"
#include "backend/backend_test.h"
#include "core/scoped_threads.h"

namespace attend {

namespace {

constexpr std::int64_t kAllRows = 321;

// Operands of kAllRows rows, and a kernel that computes the rows [begin, end) of its result from
// them.
struct RowKernel {
  std::string name;
  std::function<Tensor(Backend&, Operands&, std::int64_t columns, std::int64_t begin,
                       std::int64_t end)>
      run;
};

void PrintTo(const RowKernel& kernel, std::ostream* stream) { *stream << kernel.name; }

// Every run makes the same operands again, then looks at some of their rows.
using Run = std::function<void(Backend&, Operands&, const Tensor& x, const Tensor& y)>;

RowKernel from_rows(const char* name, Run run) {
  return {name, [run](Backend& b, Operands& o, std::int64_t columns, std::int64_t begin,
                      std::int64_t end) {
            const Tensor x = o.normal(kAllRows, columns);
            const Tensor y = o.output(end - begin, columns);
            run(b, o, x.slice_rows(begin, end), y);
            return y;
          }};
}

RowKernel from_two(
    const char* name,
    std::function<void(Backend&, const Tensor& x, const Tensor& dy, const Tensor& y)> run) {
  return {name, [run](Backend& b, Operands& o, std::int64_t columns, std::int64_t begin,
                      std::int64_t end) {
            const Tensor x = o.normal(kAllRows, columns);
            const Tensor dy = o.normal(kAllRows, columns);
            const Tensor y = o.output(end - begin, columns);
            run(b, x.slice_rows(begin, end), dy.slice_rows(begin, end), y);
            return y;
          }};
}

RowKernel linear(const char* name, std::int64_t width, Activation activation) {
  return {name,
          [=](Backend& b, Operands& o, std::int64_t columns, std::int64_t begin, std::int64_t end) {
            const Tensor x = o.normal(kAllRows, columns);
            const Tensor weight = o.normal(width, columns);
            const Tensor bias = o.normal_vector(width);
            const Tensor y = o.output(end - begin, width);
            b.linear(x.slice_rows(begin, end), weight, bias, {activation}, y);
            return y;
          }};
}

RowKernel quantized_linear(std::int64_t width) {
  return {"quantized_linear",
          [=](Backend& b, Operands& o, std::int64_t columns, std::int64_t begin, std::int64_t end) {
            const Tensor x = o.with_outliers(kAllRows, columns);
            const Tensor weight = quantize_weights(o.normal(width, columns));
            const Tensor y = o.output(end - begin, width);
            b.linear(x.slice_rows(begin, end), weight, o.normal_vector(width), {}, y);
            return y;
          }};
}

RowKernel linear_packed(const char* name, std::int64_t width, DType type) {
  return {name,
          [=](Backend& b, Operands& o, std::int64_t columns, std::int64_t begin, std::int64_t end) {
            const std::int64_t depth = weight_width(type, columns);
            const Tensor x = o.with_outliers(kAllRows, depth), rows = o.normal(width, depth);
            const Tensor weight = stored_weights(rows, type, true);
            const Tensor y = o.output(end - begin, width);
            b.linear(x.slice_rows(begin, end), weight, o.normal_vector(width), {}, y);
            return y;
          }};
}

std::vector<RowKernel> product_kernels() {
  return {quantized_linear(37),
          linear_packed("linear_packed", 40, DType::f32),
          linear_packed("linear_of_bf16_packed", 613, DType::bf16),
          linear_packed("quantized_linear_packed", 613, DType::i8),
          linear_packed("grouped_linear_packed", 613, DType::i4),
          linear("linear", 24, Activation::none),
          linear("linear_wide_relu", 613, Activation::relu),
          linear("linear_gelu", 1, Activation::gelu),
          {"matmul",
           [](Backend& b, Operands& o, std::int64_t columns, std::int64_t begin, std::int64_t end) {
             const Tensor x = o.normal(kAllRows, columns);
             const Tensor weight = o.normal(columns, 40);
             const Tensor y = o.normal(kAllRows, 40).slice_rows(begin, end);
             b.matmul(x.slice_rows(begin, end), weight, {.beta = 0.5f}, y);
             return y;
           }}};
}

std::vector<RowKernel> elementwise_kernels() {
  return {
      from_two("add", [](Backend& b, const Tensor& x, const Tensor& z,
                         const Tensor& y) { b.add(x, z, y); }),
      from_two("multiply", [](Backend& b, const Tensor& x, const Tensor& z,
                              const Tensor& y) { b.multiply(x, z, y); }),
      from_two("axpby",
               [](Backend& b, const Tensor& x, const Tensor& z, const Tensor& y) {
                 y.copy_from(z);
                 b.axpby(0.3f, x, -0.7f, y);
               }),
      from_rows("relu", [](Backend& b, Operands&, const Tensor& x,
                           const Tensor& y) { b.activate(Activation::relu, x, y); }),
      from_rows("gelu", [](Backend& b, Operands&, const Tensor& x,
                           const Tensor& y) { b.activate(Activation::gelu, x, y); }),
      from_rows("tanh", [](Backend& b, Operands&, const Tensor& x,
                           const Tensor& y) { b.activate(Activation::tanh, x, y); }),
      from_two("relu_backward",
               [](Backend& b, const Tensor& x, const Tensor& dy, const Tensor& y) {
                 b.activate_backward(Activation::relu, x, dy, y);
               }),
      from_two("gelu_backward", [](Backend& b, const Tensor& x, const Tensor& dy, const Tensor& y) {
        b.activate_backward(Activation::gelu, x, dy, y);
      })};
}

std::vector<RowKernel> normalization_kernels() {
  const auto gamma = [](std::int64_t columns) { return Tensor::full({columns}, 1.3f); };
  const auto beta = [](std::int64_t columns) { return Tensor::full({columns}, 0.1f); };
  return {from_rows("layer_norm",
                    [=](Backend& b, Operands&, const Tensor& x, const Tensor& y) {
                      b.layer_norm(x, gamma(x.cols()), beta(x.cols()), 1e-5f, y, {}, {});
                    }),
          from_rows("rms_norm",
                    [=](Backend& b, Operands&, const Tensor& x, const Tensor& y) {
                      b.layer_norm(x, gamma(x.cols()), {}, 1e-5f, y, {}, {});
                    }),
          from_two("layer_norm_backward",
                   [=](Backend& b, const Tensor& x, const Tensor& dy, const Tensor& y) {
                     const Tensor mean = Tensor::empty({x.rows()});
                     const Tensor rstd = Tensor::empty({x.rows()});
                     b.layer_norm(x, gamma(x.cols()), beta(x.cols()), 1e-5f, y, mean, rstd);
                     b.layer_norm_backward(x, gamma(x.cols()), mean, rstd, dy, y,
                                           Tensor::zeros({x.cols()}), Tensor::zeros({x.cols()}));
                   }),
          from_two("residual_layer_norm",
                   [=](Backend& b, const Tensor& x, const Tensor& branch, const Tensor& y) {
                     b.residual_layer_norm(x, branch, {}, gamma(x.cols()), beta(x.cols()), 1e-5f,
                                           Tensor::empty(x.shape()), y, {}, {});
                   })};
}

std::vector<RowKernel> softmax_kernels() {
  return {from_rows("softmax", [](Backend& b, Operands&, const Tensor& x,
                                  const Tensor& y) { b.softmax(x, 0.7f, y); }),
          from_rows("log_softmax", [](Backend& b, Operands&, const Tensor& x,
                                      const Tensor& y) { b.log_softmax(x, y); }),
          from_two("log_mean_exp",
                   [](Backend& b, const Tensor& x, const Tensor& other, const Tensor& y) {
                     b.log_mean_exp(std::vector{x, other}, y);
                   }),
          from_two("softmax_backward", [](Backend& b, const Tensor& x, const Tensor& dy,
                                          const Tensor& y) { b.softmax_backward(x, dy, 0.7f, y); }),
          {"cross_entropy",
           [](Backend& b, Operands& o, std::int64_t columns, std::int64_t begin, std::int64_t end) {
             const Tensor logits = o.normal(kAllRows, columns).slice_rows(begin, end);
             const std::vector<std::int32_t> targets = o.ids(kAllRows, columns);
             const Tensor losses = Tensor::empty({end - begin});
             const Tensor nll = Tensor::empty({end - begin});
             b.cross_entropy(logits, Ids(targets).slice(begin, end), 0.1f, 1.0f, losses, nll);
             const Tensor all = Tensor::empty({end - begin, columns + 2});
             all.slice_columns(0, columns).copy_from(logits);
             all.slice_columns(columns, columns + 1).copy_from(losses.reshape({end - begin, 1}));
             all.slice_columns(columns + 1, columns + 2).copy_from(nll.reshape({end - begin, 1}));
             return all;
           }}};
}

std::vector<RowKernel> lookup_kernels() {
  return {{"embed",
           [](Backend& b, Operands& o, std::int64_t columns, std::int64_t begin, std::int64_t end) {
             const Tensor table = o.normal(20, columns);
             const std::vector<std::int32_t> ids = o.ids(kAllRows, 20);
             const std::vector<std::int32_t> position = o.ids(kAllRows, 20);
             const Tensor y = o.output(end - begin, columns);
             b.embed(table, Ids(ids).slice(begin, end), 3.3f, table,
                     Ids(position).slice(begin, end), {}, y);
             return y;
           }},
          {"log_softmax_top_k",
           [](Backend& b, Operands& o, std::int64_t columns, std::int64_t begin, std::int64_t end) {
             const Tensor x = o.with_ties(kAllRows, columns).slice_rows(begin, end);
             const int k = static_cast<int>(std::min<std::int64_t>(columns, 5));
             const Tensor values = o.output(end - begin, k);
             b.log_softmax_top_k(x, k, values, Tensor::empty({end - begin, k}, DType::i32));
             return values;
           }},
          {"projected_top_k",
           [](Backend& b, Operands& o, std::int64_t columns, std::int64_t begin, std::int64_t end) {
             const Tensor x = o.normal(kAllRows, columns).slice_rows(begin, end);
             const Tensor values = o.output(end - begin, 5);
             b.projected_top_k(x, {o.normal(1500, columns), {}}, 5, values,
                               Tensor::empty({end - begin, 5}, DType::i32));
             return values;
           }},
          {"attention_cached",
           [](Backend& b, Operands& o, std::int64_t columns, std::int64_t begin, std::int64_t end) {
             const Tensor q = o.normal(kAllRows, columns);
             const Tensor pool = o.normal(30, 2 * columns);
             std::vector<CacheSlot> slots;
             std::vector<std::int32_t> offsets{0};
             std::vector<std::int32_t> keys;  // of a row, which shares some with the one before
             for (std::int64_t r = 0; r < kAllRows; ++r) {
               const std::uint64_t count = o.random().below(30);
               const bool wanted = begin <= r && r < end;
               keys.resize(std::min(keys.size(), o.random().below(30)));
               while (keys.size() < count)
                 keys.push_back(static_cast<std::int32_t>(o.random().below(30)));
               for (const std::int32_t key : keys)
                 if (wanted) slots.push_back({0, key});
               if (wanted) offsets.push_back(static_cast<std::int32_t>(slots.size()));
             }
             const Tensor out = o.output(end - begin, columns);
             b.attention_cached(q.slice_rows(begin, end), {{&pool, 1}, slot_ids(slots), offsets},
                                {columns, 1, 1, 0.4f}, out);
             return out;
           }}};
}

std::vector<RowKernel> all_row_kernels() {
  std::vector<RowKernel> kernels;
  for (auto family : {product_kernels, elementwise_kernels, normalization_kernels, softmax_kernels,
                      lookup_kernels}) {
    for (RowKernel& kernel : family()) kernels.push_back(std::move(kernel));
  }
  return kernels;
}

class RowOfKernel : public ::testing::TestWithParam<RowKernel> {};

TEST_P(RowOfKernel, HasEqualBitsAloneAndInABatch) {
  for (const std::int64_t columns : {1, 7, 16, 67, 512}) {
    const auto rows = [&](std::int64_t begin, std::int64_t end) {
      Operands operands(Rows::contiguous);
      return GetParam().run(fast_backend(), operands, columns, begin, end);
    };
    const ScopedThreads two(2);
    const Tensor all = rows(0, kAllRows);
    for (const int count : {1, 2}) {
      const ScopedThreads scope(count);
      for (const auto& [begin, end] :
           {std::pair{0, 1}, {5, 6}, {320, 321}, {3, 5}, {2, 7}, {100, 109}, {7, 71}, {1, 321}})
        EXPECT_TRUE(same_bits(rows(begin, end), all.slice_rows(begin, end)))
            << "rows " << begin << " to " << end << ", " << columns << " columns, " << count
            << " threads";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fast, RowOfKernel, ::testing::ValuesIn(all_row_kernels()),
                         [](const auto& suite) { return suite.param.name; });

// A column of a product has equal bits whatever other columns there are: a shortlist may cut the
// output layer.
TEST(ColumnOfAProduct, HasEqualBitsAmongAllAndAmongFew) {
  for (const DType type : {DType::f32, DType::bf16, DType::i8, DType::i4}) {
    for (const std::int64_t at_least : {7, 64, 128, 512}) {
      const std::int64_t depth = weight_width(type, at_least);
      Operands operands(Rows::contiguous);
      const Tensor weight = operands.normal(613, depth), x = operands.normal(kAllRows, depth);
      std::vector<std::int32_t> chosen;
      for (std::int32_t i = 2; i < 613; i += 1 + i % 5) chosen.push_back(i);
      const Tensor few = Tensor::empty({std::ssize(chosen), depth});
      fast_backend().gather_rows(weight, chosen, few);
      for (const std::int64_t rows : {1, 3, 5, 9, 71, 321}) {
        const auto product = [&](const Tensor& w, bool packed) {
          const Tensor y = operands.output(rows, w.rows());
          fast_backend().linear(x.slice_rows(0, rows), stored_weights(w, type, packed), {}, {}, y);
          return y;
        };
        const Tensor all = product(weight, true), some = product(few, false);
        EXPECT_TRUE(same_bits(all, product(weight, false))) << "packed and in rows";
        for (std::int64_t row = 0; row < rows; ++row) {
          for (std::size_t c = 0; c < chosen.size(); ++c)
            ASSERT_EQ(some.row(row)[c], all.row(row)[chosen[c]])
                << rows << " rows, depth " << depth << ", column " << chosen[c];
        }
      }
    }
  }
}

// One sequence of a batch computed alone, forward and backward.
class SequenceOfAttention : public ::testing::TestWithParam<AttentionPattern> {};

struct AttentionResults {
  Tensor out, log_sum_exp, dq, dk, dv;
};

AttentionResults run_attention(const AttentionProblem& problem, const AttentionLayout& layout,
                               const Tensor& dout) {
  const AttentionResults r{Tensor::zeros(dout.shape()), Tensor::zeros({dout.rows(), layout.heads}),
                           Tensor::zeros(problem.q.shape()), Tensor::zeros(problem.k.shape()),
                           Tensor::zeros(problem.v.shape())};
  fast_backend().attention(problem.operands(), layout, r.out, r.log_sum_exp, {});
  fast_backend().attention_backward(problem.operands(), layout, r.out, r.log_sum_exp, dout,
                                    {r.dq, r.dk, r.dv});
  return r;
}

TEST_P(SequenceOfAttention, HasEqualBitsAloneAndInABatch) {
  Operands operands(Rows::contiguous);
  const AttentionProblem problem(GetParam(), operands);
  const Tensor dout = operands.normal(problem.queries(), problem.v.cols());
  const AttentionResults all = run_attention(problem, problem.layout, dout);
  std::int64_t pairs = 0;
  for (std::size_t b = 0; b < problem.key_begin.size(); ++b) {
    SCOPED_TRACE("sequence " + std::to_string(b));
    const std::int64_t begin = problem.query_offsets[b];
    const std::int64_t end = problem.query_offsets[b + 1];
    const std::int64_t size = (end - begin) * (problem.key_end[b] - problem.key_begin[b]);
    const auto at = static_cast<std::int64_t>(b);
    AttentionLayout layout =
        problem
            .layout;  // the same queries in the same rows of the batch, so that dropout masks agree
    layout.query_offsets = layout.query_offsets.slice(at, at + 2);
    layout.key_sequence = layout.key_sequence.slice(at, at + 1);
    if (layout.bias.defined()) layout.bias = layout.bias.slice_rows(pairs, pairs + size);
    pairs += size;
    const AttentionResults alone = run_attention(problem, layout, dout);
    EXPECT_TRUE(same_bits(alone.out.slice_rows(begin, end), all.out.slice_rows(begin, end)));
    EXPECT_TRUE(same_bits(alone.log_sum_exp.slice_rows(begin, end),
                          all.log_sum_exp.slice_rows(begin, end)));
    EXPECT_TRUE(same_bits(alone.dq.slice_rows(begin, end), all.dq.slice_rows(begin, end)));
    EXPECT_TRUE(same_bits(alone.dk.slice_rows(problem.key_begin[b], problem.key_end[b]),
                          all.dk.slice_rows(problem.key_begin[b], problem.key_end[b])));
    EXPECT_TRUE(same_bits(alone.dv.slice_rows(problem.key_begin[b], problem.key_end[b]),
                          all.dv.slice_rows(problem.key_begin[b], problem.key_end[b])));
  }
}

INSTANTIATE_TEST_SUITE_P(Fast, SequenceOfAttention, ::testing::ValuesIn(large_attention_patterns()),
                         [](const auto& suite) { return suite.param.name; });
INSTANTIATE_TEST_SUITE_P(FastInBf16, SequenceOfAttention,
                         ::testing::ValuesIn(bf16_attention_patterns()),
                         [](const auto& suite) { return suite.param.name; });

// A causal language model gives the same probabilities to a prefix whatever follows it.
TEST(CausalAttention, OfAPrefixHasEqualBitsWhateverFollows) {
  Operands operands(Rows::contiguous);
  const AttentionProblem problem({.name = "",
                                  .lengths = {{150, 150}},
                                  .heads = 2,
                                  .key_width = 20,
                                  .value_width = 20,
                                  .causal = true},
                                 operands);
  const Tensor dout = Tensor::zeros({problem.queries(), problem.v.cols()});
  const AttentionResults all = run_attention(problem, problem.layout, dout);
  for (const std::int32_t length : {1, 2, 7, 8, 16, 17, 64, 100, 149}) {
    AttentionLayout layout = problem.layout;
    layout.query_offsets = {0, length};
    layout.key_offsets = {0, length};
    const AttentionResults prefix = run_attention(problem, layout, dout);
    EXPECT_TRUE(same_bits(prefix.out.slice_rows(0, length), all.out.slice_rows(0, length)))
        << length;
  }
}

}  // namespace
}  // namespace attend
