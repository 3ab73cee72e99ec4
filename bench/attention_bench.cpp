// Attention as models call it: ragged batches, q, k and v as columns of one packed product, several
// threads. Names: backend/kernel/shape. FLOP/s counts the products alone (2 forward, 5 backward),
// over the pairs of query and key that count.
//   bench_kernels --benchmark_filter=fast/packed_attention
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "attend/backend/backend.h"

namespace attend {
namespace {

Tensor random_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t stream) {
  Tensor x = Tensor::empty({rows, columns});
  Random random({1, stream});
  for (float& value : x.span()) value = random.uniform() - 0.5f;
  return x;
}

struct PackedShape {
  std::string name;
  int sequences, shortest, longest, heads, width;
  bool causal = false;
  float dropout = 0.0f;
  Precision precision = Precision::f32;
};

// Self-attention over sequences of random lengths, and its gradients.
struct PackedAttention {
  explicit PackedAttention(const PackedShape& shape) {
    Random lengths({2, 0});
    for (int b = 0; b < shape.sequences; ++b) {
      const auto length =
          shape.shortest + static_cast<int>(lengths.below(
                               static_cast<std::uint64_t>(shape.longest - shape.shortest + 1)));
      offsets.push_back(offsets.back() + length);
      pairs += shape.causal ? length * (length + 1) / 2.0 : 1.0 * length * length;
    }
    tokens = offsets.back();
    width = shape.heads * shape.width;
    qkv = random_matrix(tokens, 3 * width, 1);
    dqkv = Tensor::zeros({tokens, 3 * width});
    out = Tensor::zeros({tokens, width});
    dout = random_matrix(tokens, width, 2);
    log_sum_exp = Tensor::zeros({tokens, shape.heads});
    layout.query_offsets = offsets;
    layout.key_offsets = layout.query_offsets;
    layout.causal = shape.causal;
    layout.heads = shape.heads;
    layout.scale = 1.0f / std::sqrt(static_cast<float>(shape.width));
    layout.dropout = {shape.dropout, {3, 4}};
    layout.precision = shape.precision;
  }

  Tensor part(const Tensor& packed, int i) const {
    return packed.slice_columns(i * width, (i + 1) * width);
  }
  AttentionOperands operands() const { return {part(qkv, 0), part(qkv, 1), part(qkv, 2)}; }
  void forward(Backend& backend) const {
    backend.attention(operands(), layout, out, log_sum_exp, {});
  }
  void backward(Backend& backend) const {
    backend.attention_backward(operands(), layout, out, log_sum_exp, dout,
                               {part(dqkv, 0), part(dqkv, 1), part(dqkv, 2)});
  }

  std::vector<std::int32_t> offsets{0};
  double pairs = 0;
  std::int64_t tokens = 0, width = 0;
  Tensor qkv, dqkv, out, dout, log_sum_exp;
  AttentionLayout layout;
};

void add_packed(Backend& backend, const PackedShape& shape) {
  const auto add = [&](const char* kernel, int products,
                       void (PackedAttention::*run)(Backend&) const) {
    benchmark::RegisterBenchmark(
        fmt::format("{}/{}/{}", backend.name(), kernel, shape.name).c_str(),
        [&backend, shape, products, run](benchmark::State& state) {
          const PackedAttention attention(shape);
          attention.forward(fast_backend());
          for (auto _ : state) (attention.*run)(backend);
          const double flops =
              2.0 * products * attention.pairs * static_cast<double>(attention.width);
          state.counters["FLOP/s"] =
              benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
          state.counters["tokens"] = static_cast<double>(attention.tokens);
        })
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime();
  };
  add("packed_attention", 2, &PackedAttention::forward);
  add("packed_attention_backward", 5, &PackedAttention::backward);
}

// A step of decoding: `rows` hypotheses, each with the keys and values of `length` positions of its
// own.
void add_cached(Backend& backend, std::int64_t rows, std::int64_t length, int heads,
                std::int64_t head_width) {
  benchmark::RegisterBenchmark(
      fmt::format("{}/attention_cached/{}x{}/{}x{}", backend.name(), rows, length, heads,
                  head_width)
          .c_str(),
      [=, &backend](benchmark::State& state) {
        const std::int64_t width = heads * head_width;
        const Tensor cache = random_matrix(rows * length, 2 * width, 1);
        const Tensor q = random_matrix(rows, width, 2);
        const Tensor out = Tensor::empty({rows, width});
        std::vector<CacheSlot> slots;
        std::vector<std::int32_t> offsets{0};
        for (std::int64_t r = 0; r < rows; ++r) {
          for (std::int64_t j = 0; j < length; ++j)
            slots.push_back({0, static_cast<std::int32_t>(r * length + j)});
          offsets.push_back(static_cast<std::int32_t>(slots.size()));
        }
        const KeyRows keys{{&cache, 1}, slot_ids(slots), offsets};
        for (auto _ : state) backend.attention_cached(q, keys, {width, heads, heads, 0.2f}, out);
        state.counters["bytes/s"] =
            benchmark::Counter(8.0 * static_cast<double>(rows * length * width),
                               benchmark::Counter::kIsIterationInvariantRate);
      })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

// 64 tokens of a prompt after `length` others: each sees those before it.
void add_prompt(Backend& backend, std::int64_t length, int heads, std::int64_t head_width) {
  benchmark::RegisterBenchmark(
      fmt::format("{}/attention_cached/prompt/{}/{}x{}", backend.name(), length, heads, head_width)
          .c_str(),
      [=, &backend](benchmark::State& state) {
        constexpr std::int64_t kTokens = 64;
        const std::int64_t width = heads * head_width;
        const Tensor cache = random_matrix(length + kTokens, 2 * width, 1);
        const Tensor q = random_matrix(kTokens, width, 2);
        const Tensor out = Tensor::empty({kTokens, width});
        std::vector<CacheSlot> slots;
        std::vector<std::int32_t> offsets{0};
        for (std::int64_t r = 0; r < kTokens; ++r) {
          for (std::int64_t j = 0; j <= length + r; ++j)
            slots.push_back({0, static_cast<std::int32_t>(j)});
          offsets.push_back(static_cast<std::int32_t>(slots.size()));
        }
        const KeyRows keys{{&cache, 1}, slot_ids(slots), offsets};
        for (auto _ : state) backend.attention_cached(q, keys, {width, heads, heads, 0.2f}, out);
        state.counters["FLOP/s"] =
            benchmark::Counter(4.0 * static_cast<double>(slots.size()) * static_cast<double>(width),
                               benchmark::Counter::kIsIterationInvariantRate);
      })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

[[maybe_unused]] const bool registered = [] {
  for (Backend* backend : {&reference_backend(), &fast_backend()}) {
    for (const PackedShape& shape :
         {PackedShape{"multi30k", 600, 8, 20, 4, 32},
          PackedShape{"multi30k/causal", 600, 8, 20, 4, 32, true},
          PackedShape{"multi30k/dropout", 600, 8, 20, 4, 32, false, 0.1f},
          PackedShape{"base", 64, 20, 100, 8, 64},
          PackedShape{"base/causal", 64, 20, 100, 8, 64, true},
          PackedShape{"long/64", 64, 64, 64, 8, 64, true},
          PackedShape{"long/128", 32, 128, 128, 8, 64, true},
          PackedShape{"language_model/512", 8, 512, 512, 8, 64, true},
          PackedShape{"language_model/4096", 1, 4096, 4096, 8, 64, true}}) {
      add_packed(*backend, shape);
      PackedShape bf16 = shape;
      bf16.name += "/bf16";
      bf16.precision = Precision::bf16;
      add_packed(*backend, bf16);
    }
    add_cached(*backend, 5, 14, 4, 32);
    add_cached(*backend, 160, 20, 4, 32);
    add_cached(*backend, 160, 40, 8, 64);
    add_cached(*backend, 64, 300, 8, 64);
    add_prompt(*backend, 1000, 8, 64);
  }
  return true;
}();

}  // namespace
}  // namespace attend
