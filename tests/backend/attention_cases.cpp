#include <fmt/format.h>

#include <vector>

#include "attend/backend/cpu/quantized_weights.h"
#include "backend/attention_pattern.h"
#include "backend/kernel_case.h"

namespace attend {

namespace {

using Results = std::vector<Tensor>;

// Scores of size up to 5, off by 5 * 6e-8 * a few from a dot product of up to 64 terms; exp makes
// that the relative error of a weight. An output is an average of values of size 1.
constexpr Tolerance kForward{1.5e-6, 3e-6};
// Sums over up to 300 queries of differences of such averages.
constexpr Tolerance kBackward{3e-6, 3e-6};
// Weights and their gradients rounded to 8 bits, by the reference after their normalization.
constexpr Tolerance kForwardInBf16{1e-2, 4e-3};
constexpr Tolerance kBackwardInBf16{2e-2, 1e-2};

KernelCase forward_case(const AttentionPattern& pattern, bool keep) {
  return {"attention_" + pattern.name + (keep ? "" : "_output_only"),
          {Shape{}},
          pattern.precision == Precision::bf16 ? kForwardInBf16 : kForward,
          [=](Backend& b, Operands& o, const Shape&) -> Results {
            const AttentionProblem problem(pattern, o);
            const Tensor out = o.output(problem.queries(), problem.v.cols());
            if (!keep) {
              b.attention(problem.operands(), problem.layout, out, {}, {});
              return {out};
            }
            const Tensor log_sum_exp = o.output(problem.queries(), pattern.heads);
            const Tensor weights = o.output_vector(problem.weights_size());
            b.attention(problem.operands(), problem.layout, out, log_sum_exp, weights);
            return {out, log_sum_exp, weights};
          }};
}

KernelCase backward_case(const AttentionPattern& pattern) {
  return {"attention_backward_" + pattern.name,
          {Shape{}},
          pattern.precision == Precision::bf16 ? kBackwardInBf16 : kBackward,
          [=](Backend& b, Operands& o, const Shape&) -> Results {
            const AttentionProblem problem(pattern, o);
            const Tensor out = o.output(problem.queries(), problem.v.cols());
            const Tensor log_sum_exp = o.output(problem.queries(), pattern.heads);
            const Tensor dout = o.normal(problem.queries(), problem.v.cols());
            if (pattern.precision == Precision::bf16) round_to_bf16(dout);
            const Tensor dq = o.output(problem.queries(), problem.q.cols());
            const Tensor dk =
                o.output(problem.keys(), problem.k.cols());  // rows of no sequence stay NaN
            const Tensor dv = o.output(problem.keys(), problem.v.cols());
            b.attention(problem.operands(), problem.layout, out, log_sum_exp, {});
            const DistanceBias& bias = problem.distance_bias;
            const Tensor dbias =
                bias.defined() ? o.output(bias.table.rows(), pattern.heads) : Tensor();
            b.attention_backward(problem.operands(), problem.layout, out, log_sum_exp, dout,
                                 {dq, dk, dv, dbias});
            return bias.defined() ? Results{dq, dk, dv, dbias} : Results{dq, dk, dv};
          }};
}

// Several hypotheses looking at the keys of one sentence.
Results run_shared_keys(Backend& b, Operands& o, const Shape&) {
  const Tensor q = o.normal(6, 32);
  const Tensor k = o.normal(20, 32);
  const Tensor v = o.normal(20, 32);
  const Tensor out = o.output(6, 32);
  AttentionLayout layout;
  layout.query_offsets = {0, 1, 2, 5, 6};
  layout.key_offsets = {0, 9, 20};
  layout.key_sequence = {0, 0, 0, 1};
  layout.heads = 2;
  layout.scale = 0.25f;
  b.attention({q, k, v}, layout, out, {}, {});
  return {out};
}

// Pages of positions, each the key and, a little further on, the value. Queries share some of them;
// query 2 sees none.
struct CachedPositions {
  CachedPositions(Operands& o, int heads, std::int64_t key_width, std::int64_t value_width,
                  DType dtype);
  void choose(Operands& o, std::int64_t queries, std::int64_t most);
  KeyRows keys() const { return {pages, slot_ids(slots), offsets}; }

  std::int64_t value_distance;
  std::vector<Tensor> pages;
  std::vector<CacheSlot> slots;
  std::vector<std::int32_t> offsets{0};
};

CachedPositions::CachedPositions(Operands& o, int heads, std::int64_t key_width,
                                 std::int64_t value_width, DType dtype) {
  const std::int64_t scales = dtype == DType::i8 ? heads * kQuantizedScaleBytes : 0;
  value_distance = heads * key_width + scales + 3;
  const std::int64_t columns = value_distance + heads * value_width + scales;
  for (const std::int64_t rows : {40, 1, 23}) {
    const Tensor page = pages.emplace_back(
        dtype == DType::i8 ? Tensor::zeros({rows, columns}, dtype) : o.normal(rows, columns));
    if (dtype != DType::i8) continue;
    reference_backend().quantize_groups(o.normal(rows, heads * key_width), key_width,
                                        page.slice_columns(0, value_distance - 3));
    reference_backend().quantize_groups(o.normal(rows, heads * value_width), value_width,
                                        page.slice_columns(value_distance, columns));
  }
}

// Most queries share first keys with the one before, and some all of them.
void CachedPositions::choose(Operands& o, std::int64_t queries, std::int64_t most) {
  std::size_t begin = 0;  // of the query before
  for (std::int64_t r = 0; r < queries; ++r) {
    const std::uint64_t count = r == 2   ? 0
                                : r == 0 ? static_cast<std::uint64_t>(most)
                                         : 1 + o.random().below(most);
    const std::size_t before = slots.size() - begin, end = slots.size();
    const bool repeats = r > 2 && r % 4 == 0;
    const std::size_t same = repeats ? before : std::min<std::size_t>(before, count * (r % 3) / 2);
    for (std::size_t i = 0; i < same; ++i) slots.push_back(slots[begin + i]);
    begin = end;
    for (std::uint64_t i = same; i < count && !repeats; ++i) {
      const auto page = static_cast<std::size_t>(o.random().below(pages.size()));
      const auto rows = static_cast<std::uint64_t>(pages[page].rows());
      slots.push_back(
          {static_cast<std::int32_t>(page), static_cast<std::int32_t>(o.random().below(rows))});
    }
    offsets.push_back(static_cast<std::int32_t>(slots.size()));
  }
}

const std::vector<Shape> kCachedShapes{
    {0, 1}, {1, 1}, {1, 300}, {5, 9}, {33, 40}};  // queries, most keys of one

KernelCase cached_case(int heads, std::int64_t key_width, std::int64_t value_width, DType dtype,
                       int group = 1, int reach = -1, float cap = 0.0f) {
  KernelCase kernel;
  kernel.name = fmt::format("attention_cached_{}x{}x{}_{}{}{}{}", heads, key_width, value_width,
                            name_of(dtype), group > 1 ? "_shared" : "",
                            reach >= 0 ? "_distances" : "", cap > 0.0f ? "_capped" : "");
  kernel.shapes = kCachedShapes;
  kernel.tolerance = kForward;
  kernel.run = [=](Backend& b, Operands& o, const Shape& shape) -> Results {
    const Tensor q = o.normal(shape[0], heads * key_width);
    CachedPositions positions(o, heads / group, key_width, value_width, dtype);
    positions.choose(o, shape[0], shape[1]);
    const Tensor out = o.output(shape[0], heads * value_width);
    CachedLayout layout{positions.value_distance, heads, heads / group, 0.3f};
    layout.cap = cap;
    if (reach >= 0) layout.distance_bias.table = o.normal(2 * reach + 1, heads);
    b.attention_cached(q, positions.keys(), layout, out);
    return {out};
  };
  return kernel;
}

KernelCase gather_keys_case(int heads, std::int64_t key_width, std::int64_t value_width,
                            DType dtype) {
  KernelCase kernel;
  kernel.name =
      fmt::format("gather_keys_{}x{}x{}_{}", heads, key_width, value_width, name_of(dtype));
  kernel.shapes = kCachedShapes;
  kernel.tolerance = {0.0, 0.0};
  kernel.run = [=](Backend& b, Operands& o, const Shape& shape) -> Results {
    CachedPositions positions(o, heads, key_width, value_width, dtype);
    positions.choose(o, shape[0], shape[1]);
    const std::int64_t count = std::ssize(positions.slots);
    const Tensor keys = o.output(count, heads * key_width),
                 values = o.output(count, heads * value_width);
    b.gather_keys(positions.keys(), 0, heads, keys);
    b.gather_keys(positions.keys(), positions.value_distance, heads, values);
    return {keys, values};
  };
  return kernel;
}

}  // namespace

std::vector<KernelCase> attention_cases() {
  std::vector<AttentionPattern> patterns = small_attention_patterns();
  for (AttentionPattern& pattern : large_attention_patterns())
    patterns.push_back(std::move(pattern));
  for (AttentionPattern& pattern : bf16_attention_patterns())
    patterns.push_back(std::move(pattern));
  std::vector<KernelCase> cases;
  for (const AttentionPattern& pattern : patterns) {
    cases.push_back(forward_case(pattern, true));
    cases.push_back(forward_case(pattern, false));
    cases.push_back(backward_case(pattern));
  }
  cases.push_back({"attention_shared_keys", {Shape{}}, kForward, run_shared_keys});
  for (const DType dtype : {DType::f32, DType::i8}) {
    cases.push_back(cached_case(1, 1, 1, dtype));
    cases.push_back(cached_case(2, 8, 8, dtype));
    cases.push_back(cached_case(8, 64, 64, dtype));
    cases.push_back(cached_case(3, 13, 21, dtype));
    cases.push_back(cached_case(4, 24, 40, dtype));
    cases.push_back(cached_case(2, 56, 88, dtype));
    cases.push_back(cached_case(6, 13, 16, dtype, 3));
    cases.push_back(cached_case(4, 64, 64, dtype, 4));
    cases.push_back(cached_case(8, 16, 16, dtype, 1, 20));
    cases.push_back(cached_case(6, 13, 8, dtype, 3, 500));
    cases.push_back(cached_case(4, 16, 16, dtype, 2, -1, 0.8f));
    cases.push_back(cached_case(3, 13, 8, dtype, 1, 20, 2.0f));
    cases.push_back(gather_keys_case(1, 1, 1, dtype));
    cases.push_back(gather_keys_case(3, 13, 21, dtype));
  }
  return cases;
}

}  // namespace attend
