// What the machine can do: the denominators for kernels_bench. The rates of oneDNN's products in
// f32, bf16 and 8 bits at a shape that suits them, and of copying memory in the caches and far
// outside them (bytes/s counts what is read and what is written).
#include <benchmark/benchmark.h>
#include <oneapi/dnnl/dnnl.h>

#include <oneapi/dnnl/dnnl.hpp>

#include <cstdint>
#include <cstring>
#include <vector>

#include "attend/core/threads/parallel.h"
#include "attend/tensor/tensor.h"

namespace attend {
namespace {

void onednn_product(benchmark::State& state) {
  const std::int64_t rows = state.range(0), columns = state.range(1), depth = state.range(2);
  const Tensor a = Tensor::full({rows, depth}, 0.5f), b = Tensor::full({columns, depth}, 0.25f),
               c = Tensor::empty({rows, columns});
  threads();
  for (auto _ : state) {
    dnnl_sgemm('N', 'T', rows, columns, depth, 1.0f, a.data(), depth, b.data(), depth, 0.0f,
               c.data(), columns);
  }
  const double flops =
      2.0 * static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(depth);
  state.counters["FLOP/s"] =
      benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}

void onednn_product_int8(benchmark::State& state) {
  const std::int64_t rows = state.range(0), columns = state.range(1), depth = state.range(2);
  const std::vector<std::uint8_t> a(static_cast<std::size_t>(rows * depth), 3);
  const std::vector<std::int8_t> b(static_cast<std::size_t>(columns * depth), 2);
  std::vector<std::int32_t> c(static_cast<std::size_t>(rows * columns));
  const std::int32_t offset = 0;
  threads();
  for (auto _ : state) {
    dnnl_gemm_u8s8s32('N', 'T', 'F', rows, columns, depth, 1.0f, a.data(), depth, 0, b.data(),
                      depth, 0, 0.0f, c.data(), columns, &offset);
  }
  const double operations =
      2.0 * static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(depth);
  state.counters["FLOP/s"] =
      benchmark::Counter(operations, benchmark::Counter::kIsIterationInvariantRate);
}

// Does not run where oneDNN has no bf16, which is where the processor has none.
void onednn_product_bf16(benchmark::State& state) {
  using namespace dnnl;
  const std::int64_t rows = state.range(0), columns = state.range(1), depth = state.range(2);
  try {
    const engine cpu(engine::kind::cpu, 0);
    const auto matrix = [](std::int64_t height, std::int64_t width, memory::data_type type,
                           memory::format_tag order) {
      return memory::desc({height, width}, type, order);
    };
    const auto a = matrix(rows, depth, memory::data_type::bf16, memory::format_tag::ab);
    const auto b = matrix(depth, columns, memory::data_type::bf16, memory::format_tag::ba);
    const auto c = matrix(rows, columns, memory::data_type::f32, memory::format_tag::ab);
    const matmul product(matmul::primitive_desc(matmul::desc(a, b, c), cpu));
    stream queue(cpu);
    memory a_memory(a, cpu), b_memory(b, cpu), c_memory(c, cpu);
    std::memset(a_memory.get_data_handle(), 0, a.get_size());
    std::memset(b_memory.get_data_handle(), 0, b.get_size());
    threads();
    for (auto _ : state) {
      product.execute(
          queue,
          {{DNNL_ARG_SRC, a_memory}, {DNNL_ARG_WEIGHTS, b_memory}, {DNNL_ARG_DST, c_memory}});
      queue.wait();
    }
  } catch (const dnnl::error& failure) {
    state.SkipWithError(failure.what());
    return;
  }
  const double flops =
      2.0 * static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(depth);
  state.counters["FLOP/s"] =
      benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}

void copy(benchmark::State& state) {
  const std::int64_t floats = state.range(0);
  const Tensor from = Tensor::zeros({floats}), to = Tensor::zeros({floats});
  for (auto _ : state) {
    parallel_for(floats, 16384, [&](std::int64_t begin, std::int64_t end) {
      std::memcpy(to.data() + begin, from.data() + begin,
                  static_cast<std::size_t>(end - begin) * sizeof(float));
    });
    benchmark::ClobberMemory();
  }
  state.counters["bytes/s"] = benchmark::Counter(8.0 * static_cast<double>(floats),
                                                 benchmark::Counter::kIsIterationInvariantRate);
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
BENCHMARK(onednn_product_int8)
    ->Args({1024, 512, 512})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK(onednn_product_bf16)
    ->Args({1024, 512, 512})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK(copy)->Arg(1 << 19)->Arg(1 << 25)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
}  // namespace attend
