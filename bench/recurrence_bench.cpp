// The kernels of a recurrent encoder-decoder at a step of training: 128 sentences, states 512 wide,
// each looking at 16 words of its source. Names: backend/kernel. bytes/s counts every operand once,
// tanh/s the hyperbolic tangents.
//   bench_kernels --benchmark_filter=fast/gru
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "attend/backend/backend.h"

namespace attend {
namespace {

constexpr std::int64_t kRows = 128, kWidth = 512, kKeys = 16;

Tensor random_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t stream) {
  Tensor x = Tensor::empty({rows, columns});
  Random random({1, stream});
  for (float& value : x.span()) value = random.uniform() - 0.5f;
  return x;
}

struct Step {
  Step() {
    for (std::int32_t b = 0; b < kRows; ++b) {
      query_offsets.push_back(b + 1);
      key_offsets.push_back(static_cast<std::int32_t>(kKeys) * (b + 1));
    }
    layout.query_offsets = query_offsets;
    layout.key_offsets = key_offsets;
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  Tensor x = random_matrix(kRows, 3 * kWidth, 1), s = random_matrix(kRows, 3 * kWidth, 2),
         h = random_matrix(kRows, kWidth, 3);
  Tensor dy = random_matrix(kRows, kWidth, 4), y = Tensor::empty({kRows, kWidth}),
         gates = random_matrix(kRows, 3 * kWidth, 5);
  Tensor dx = Tensor::empty({kRows, 3 * kWidth}), ds = Tensor::empty({kRows, 3 * kWidth}),
         dh = Tensor::empty({kRows, kWidth});
  Tensor keys = random_matrix(kRows * kKeys, kWidth, 6),
         dkeys = Tensor::zeros({kRows * kKeys, kWidth});
  Tensor v = random_matrix(1, kWidth, 7), dv = Tensor::empty({kRows, kWidth});
  Tensor pairs = random_matrix(1, kRows* kKeys, 8).reshape({kRows * kKeys});
  std::vector<std::int32_t> query_offsets{0}, key_offsets{0};
  AttentionLayout layout;
};

void add(const char* kernel, double bytes, double tanhs,
         const std::function<void(Backend&, Step&)>& run) {
  for (Backend* backend : {&reference_backend(), &fast_backend()}) {
    benchmark::RegisterBenchmark(fmt::format("{}/{}", backend->name(), kernel).c_str(),
                                 [=](benchmark::State& state) {
                                   Step step;
                                   for (auto _ : state) run(*backend, step);
                                   state.counters["bytes/s"] = benchmark::Counter(
                                       bytes, benchmark::Counter::kIsIterationInvariantRate);
                                   state.counters["tanh/s"] = benchmark::Counter(
                                       tanhs, benchmark::Counter::kIsIterationInvariantRate);
                                 })
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime();
  }
}

const bool kRegistered = [] {
  const double states = kRows * kWidth, pairs = states * kKeys;
  add("gru_cell", 4 * 11 * states, 3 * states,
      [](Backend& b, Step& t) { b.gru_cell(t.x, t.s, t.h, t.y, t.gates); });
  add("gru_cell_backward", 4 * 13 * states, 0,
      [](Backend& b, Step& t) { b.gru_cell_backward(t.gates, t.s, t.h, t.dy, t.dx, t.ds, t.dh); });
  add("additive_scores", 4 * pairs, pairs,
      [](Backend& b, Step& t) { b.additive_scores(t.h, t.keys, t.v, t.layout, t.pairs); });
  add("additive_scores_backward", 4 * 3 * pairs, pairs, [](Backend& b, Step& t) {
    b.additive_scores_backward(t.h, t.keys, t.v, t.layout, t.pairs, t.dy, t.dv, 1.0f, t.dkeys);
  });
  return true;
}();

}  // namespace
}  // namespace attend
