// What the machine can do: the denominators for kernels_bench. The rate of oneDNN's f32 product at a shape that suits it, and of copying
// memory in the caches and far outside them (bytes/s counts what is read and what is written).
#include <benchmark/benchmark.h>
#include <oneapi/dnnl/dnnl.h>

#include <cstring>

#include "attend/core/parallel.h"
#include "attend/tensor/tensor.h"

namespace attend {
namespace {

void onednn_product(benchmark::State& state) {
  const std::int64_t rows = state.range(0), columns = state.range(1), depth = state.range(2);
  const Tensor a = Tensor::full({rows, depth}, 0.5f), b = Tensor::full({columns, depth}, 0.25f), c = Tensor::empty({rows, columns});
  threads();
  for (auto _ : state) {
    dnnl_sgemm('N', 'T', rows, columns, depth, 1.0f, a.data(), depth, b.data(), depth, 0.0f, c.data(), columns);
  }
  const double flops = 2.0 * static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(depth);
  state.counters["FLOP/s"] = benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}

void copy(benchmark::State& state) {
  const std::int64_t floats = state.range(0);
  const Tensor from = Tensor::zeros({floats}), to = Tensor::zeros({floats});
  for (auto _ : state) {
    parallel_for(floats, 16384, [&](std::int64_t begin, std::int64_t end) {
      std::memcpy(to.data() + begin, from.data() + begin, static_cast<std::size_t>(end - begin) * sizeof(float));
    });
    benchmark::ClobberMemory();
  }
  state.counters["bytes/s"] = benchmark::Counter(8.0 * static_cast<double>(floats), benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK(onednn_product)
    ->Args({4096, 128, 128})
    ->Args({4096, 384, 128})
    ->Args({1024, 512, 512})
    ->Args({512, 10000, 128})
    ->Args({5, 128, 128})
    ->Args({1, 128, 128})
    ->Args({5, 10000, 128})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK(copy)->Arg(1 << 19)->Arg(1 << 25)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
}  // namespace attend
