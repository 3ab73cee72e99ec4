// The kernels at the shapes of training a small Transformer (d_model 128, d_ff 256, 4 heads, 10,000
// words, 4096 tokens) and of the paper's base model (512, 2048, 8 heads, 37,000 words). Names:
// backend/kernel/shape. FLOP/s counts a multiplication and an addition as two; bytes/s counts every
// operand once. The larger of count / peak is the floor.
//   bench_kernels --benchmark_filter=fast/matmul
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "attend/backend/backend.h"

namespace attend {
namespace {

using Body = std::function<void(Backend&, Precision)>;

struct Work {
  double flops = 0;
  double bytes = 0;
};

Tensor random_tensor(Shape shape, std::uint64_t seed) {
  Tensor x = Tensor::empty(shape);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  for (float& value : x.span()) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<float>(state >> 40) / static_cast<float>(1 << 24) - 0.5f;
  }
  return x;
}

// `make` allocates operands and returns the call to time: it runs only when the benchmark is
// selected.
void add(const std::string& name, Work work, const std::function<Body()>& make) {
  struct Variant {
    std::string_view name;
    Backend* backend;
    Precision precision;
  };
  std::vector<Variant> variants{{"reference", &reference_backend(), Precision::f32},
                                {"fast", &fast_backend(), Precision::f32}};
  if (name.starts_with("linear/") || name.starts_with("matmul_"))
    variants.push_back({"bf16", &fast_backend(), Precision::bf16});
  for (const Variant& variant : variants) {
    const std::string full = fmt::format("{}/{}", variant.name, name);
    benchmark::RegisterBenchmark(
        full.c_str(),
        [backend = variant.backend, precision = variant.precision, work,
         make](benchmark::State& state) {
          const Body body = make();
          for (auto _ : state) body(*backend, precision);
          const auto per_second = benchmark::Counter::kIsIterationInvariantRate;
          if (work.flops > 0) state.counters["FLOP/s"] = benchmark::Counter(work.flops, per_second);
          if (work.bytes > 0)
            state.counters["bytes/s"] = benchmark::Counter(work.bytes, per_second);
        })
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime();
  }
}

double product(std::int64_t a, std::int64_t b, std::int64_t c = 1) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}

// The three products of a linear layer: forward, gradient of the input, gradient of the weight.
void add_linear(std::int64_t n, std::int64_t in, std::int64_t out) {
  const Work work{2 * product(n, in, out),
                  4 * (product(n, in) + product(in, out) + product(n, out))};
  const std::string shape = fmt::format("{}x{}x{}", n, in, out);
  add("linear/" + shape, work, [=]() -> Body {
    return [x = random_tensor({n, in}, 1), w = random_tensor({out, in}, 2),
            b = random_tensor({out}, 3),
            y = Tensor::empty({n, out})](Backend& backend, Precision precision) {
      backend.linear(x, w, b, {.precision = precision}, y);
    };
  });
  add("linear_packed/" + shape, work, [=]() -> Body {
    return [x = random_tensor({n, in}, 1), w = backend()->pack_weights(random_tensor({out, in}, 2)),
            b = random_tensor({out}, 3),
            y = Tensor::empty({n, out})](Backend& backend, Precision precision) {
      backend.linear(x, w, b, {.precision = precision}, y);
    };
  });
  for (const auto& [name, type] : {std::pair{"quantized_linear_packed/", DType::i8},
                                   std::pair{"grouped_linear_packed/", DType::i4}}) {
    add(name + shape, work, [=, type = type]() -> Body {
      return [x = random_tensor({n, in}, 1),
              w = backend()->pack_weights(
                  backend()->quantize_weights(random_tensor({out, in}, 2), type)),
              b = random_tensor({out}, 3),
              y = Tensor::empty({n, out})](Backend& backend, Precision precision) {
        backend.linear(x, w, b, {.precision = precision}, y);
      };
    });
  }
  add("matmul_input_gradient/" + shape, work, [=]() -> Body {
    return [dy = random_tensor({n, out}, 1), w = random_tensor({out, in}, 2),
            dx = Tensor::empty({n, in})](Backend& backend, Precision precision) {
      backend.matmul(dy, w, {.precision = precision}, dx);
    };
  });
  add("matmul_weight_gradient/" + shape, work, [=]() -> Body {
    return [dy = random_tensor({n, out}, 1), x = random_tensor({n, in}, 2),
            dw = Tensor::empty({out, in})](Backend& backend, Precision precision) {
      backend.matmul(dy, x, {.transpose_a = true, .precision = precision}, dw);
    };
  });
}

// The embedding and its gradient: n tokens out of a vocabulary.
void add_lookup(std::int64_t n, std::int64_t d, std::int64_t vocabulary) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(n)), position(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<std::int32_t>(i * 7919 % static_cast<std::size_t>(vocabulary));
    position[i] = static_cast<std::int32_t>(i % 32);
  }
  const std::string shape = fmt::format("{}x{}", n, d);
  const Work work{0, 12 * product(n, d)};
  add("embed/" + shape, work, [=]() -> Body {
    return [=, table = random_tensor({vocabulary, d}, 1), positions = random_tensor({32, d}, 2),
            y = Tensor::empty({n, d})](Backend& backend, Precision) {
      backend.embed(table, ids, 11.3f, positions, position, {0.1f, {1, 2}}, y);
    };
  });
  add("scatter_add/" + shape, work, [=]() -> Body {
    return [=, dy = random_tensor({n, d}, 1), dtable = Tensor::zeros({vocabulary, d})](
               Backend& backend, Precision) { backend.scatter_add(dy, ids, 11.3f, dtable); };
  });
}

// For every text and column the first row of the text, as if the maximum stood there.
Tensor first_rows(const std::vector<std::int32_t>& offsets, const Shape& texts) {
  const Tensor rows = Tensor::zeros(texts, DType::i32);
  for (std::int64_t b = 0; b < texts[0]; ++b)
    std::fill_n(rows.row<std::int32_t>(b), texts[1], offsets[static_cast<std::size_t>(b)]);
  return rows;
}

// n tokens in texts of 250.
void add_pooling(std::int64_t n, std::int64_t d) {
  std::vector<std::int32_t> offsets{0};
  while (offsets.back() < n)
    offsets.push_back(static_cast<std::int32_t>(std::min<std::int64_t>(offsets.back() + 250, n)));
  const std::string shape = fmt::format("{}x{}", n, d);
  const Shape texts{static_cast<std::int64_t>(offsets.size()) - 1, d};
  for (const Pooling pooling : {Pooling::max, Pooling::mean}) {
    const std::string name = pooling == Pooling::max ? "max" : "mean";
    add(fmt::format("pool_{}/{}", name, shape), {0, 4 * product(n, d)}, [=]() -> Body {
      return [=, x = random_tensor({n, d}, 1), y = Tensor::empty(texts),
              rows = Tensor::zeros(texts, DType::i32)](Backend& backend, Precision) {
        backend.pool(pooling, x, offsets, y, rows);
      };
    });
    add(fmt::format("pool_{}_backward/{}", name, shape), {0, 4 * product(n, d)}, [=]() -> Body {
      return [=, dy = random_tensor(texts, 1), dx = Tensor::empty({n, d}),
              rows = first_rows(offsets, texts)](Backend& backend, Precision) {
        backend.pool_backward(pooling, dy, offsets, rows, dx);
      };
    });
  }
}

void add_rows(std::int64_t n, std::int64_t d) {
  const std::string shape = fmt::format("{}x{}", n, d);
  const double bytes = 4 * product(n, d);
  add("add/" + shape, {0, 3 * bytes}, [=]() -> Body {
    return [a = random_tensor({n, d}, 1), b = random_tensor({n, d}, 2), y = Tensor::empty({n, d})](
               Backend& backend, Precision) { backend.add(a, b, y); };
  });
  add("gelu/" + shape, {0, 2 * bytes}, [=]() -> Body {
    return [x = random_tensor({n, d}, 1), y = Tensor::empty({n, d})](Backend& backend, Precision) {
      backend.activate(Activation::gelu, x, y);
    };
  });
  add("dropout/" + shape, {0, 2 * bytes}, [=]() -> Body {
    return [x = random_tensor({n, d}, 1), y = Tensor::empty({n, d})](Backend& backend, Precision) {
      backend.dropout(Dropout{0.1f, {}}, x, y);
    };
  });
  add("sum_rows/" + shape, {0, bytes}, [=]() -> Body {
    return [x = random_tensor({n, d}, 1), y = Tensor::empty({d})](Backend& backend, Precision) {
      backend.sum_rows(x, 0.0f, y);
    };
  });
  add("residual_layer_norm/" + shape, {0, 4 * bytes}, [=]() -> Body {
    return [x = random_tensor({n, d}, 1), branch = random_tensor({n, d}, 2),
            gamma = random_tensor({d}, 3), beta = random_tensor({d}, 4),
            sum = Tensor::empty({n, d}), y = Tensor::empty({n, d}), mean = Tensor::empty({n}),
            rstd = Tensor::empty({n})](Backend& backend, Precision) {
      backend.residual_layer_norm(x, branch, Dropout{0.1f, {}}, gamma, beta, 1e-5f, sum, y, mean,
                                  rstd);
    };
  });
  add("layer_norm_backward/" + shape, {0, 3 * bytes}, [=]() -> Body {
    return
        [x = random_tensor({n, d}, 1), gamma = random_tensor({d}, 3), mean = Tensor::zeros({n}),
         rstd = Tensor::full({n}, 1.0f), dy = random_tensor({n, d}, 2), dx = Tensor::empty({n, d}),
         dgamma = Tensor::zeros({d}), dbeta = Tensor::zeros({d})](Backend& backend, Precision) {
          backend.layer_norm_backward(x, gamma, mean, rstd, dy, dx, dgamma, dbeta);
        };
  });
}

void add_vocabulary(std::int64_t n, std::int64_t v) {
  const std::string shape = fmt::format("{}x{}", n, v);
  const double bytes = 4 * product(n, v);
  add("softmax/" + shape, {0, 2 * bytes}, [=]() -> Body {
    return [x = random_tensor({n, v}, 1), y = Tensor::empty({n, v})](Backend& backend, Precision) {
      backend.softmax(x, 1.0f, y);
    };
  });
  add("log_mean_exp/" + shape, {0, 3 * bytes}, [=]() -> Body {
    return [members = std::vector{random_tensor({n, v}, 1), random_tensor({n, v}, 2)},
            y = Tensor::empty({n, v})](Backend& backend, Precision) {
      backend.log_mean_exp(members, y);
    };
  });
  add("cross_entropy/" + shape, {0, 2 * bytes}, [=]() -> Body {
    return [logits = random_tensor({n, v}, 1),
            targets = std::vector<std::int32_t>(static_cast<std::size_t>(n), 7),
            losses = Tensor::empty({n}), nll = Tensor::empty({n})](Backend& backend, Precision) {
      backend.cross_entropy(logits, targets, 0.1f, 1.0f, losses, nll);
    };
  });
  add("log_softmax_top_k/" + shape, {0, bytes}, [=]() -> Body {
    return [x = random_tensor({n, v}, 1), values = Tensor::empty({n, 10}),
            indices = Tensor::empty({n, 10}, DType::i32)](Backend& backend, Precision) {
      backend.log_softmax_top_k(x, 10, values, indices);
    };
  });
}

// Self-attention of sequences of one length over n tokens; FLOP of the two products, masked half
// included.
void add_attention(std::int64_t n, std::int64_t d, std::int64_t length, int heads, bool causal) {
  const std::string shape = fmt::format("{}x{}/length_{}{}", n, d, length, causal ? "/causal" : "");
  const auto sequences = static_cast<std::size_t>(n / length);
  std::vector<std::int32_t> offsets(sequences + 1);
  for (std::size_t i = 0; i <= sequences; ++i)
    offsets[i] = static_cast<std::int32_t>(static_cast<std::int64_t>(i) * length);
  const auto layout = [=](const std::vector<std::int32_t>& o) {
    AttentionLayout a;
    a.query_offsets = o;
    a.key_offsets = a.query_offsets;
    a.causal = causal;
    a.heads = heads;
    a.scale = 1.0f / std::sqrt(static_cast<float>(d) / static_cast<float>(heads));
    return a;
  };
  add("attention/" + shape, {4 * product(n, length, d), 16 * product(n, d)}, [=]() -> Body {
    return [=, q = random_tensor({n, d}, 1), k = random_tensor({n, d}, 2),
            v = random_tensor({n, d}, 3), out = Tensor::empty({n, d}),
            lse = Tensor::empty({n, heads})](Backend& backend, Precision) {
      backend.attention({q, k, v}, layout(offsets), out, lse, {});
    };
  });
  add("attention_backward/" + shape, {10 * product(n, length, d), 32 * product(n, d)},
      [=]() -> Body {
        const Tensor q = random_tensor({n, d}, 1), k = random_tensor({n, d}, 2),
                     v = random_tensor({n, d}, 3), out = Tensor::empty({n, d});
        const Tensor lse = Tensor::empty({n, heads});
        fast_backend().attention({q, k, v}, layout(offsets), out, lse, {});
        return
            [=, dout = random_tensor({n, d}, 4), dq = Tensor::empty({n, d}),
             dk = Tensor::empty({n, d}), dv = Tensor::empty({n, d})](Backend& backend, Precision) {
              backend.attention_backward({q, k, v}, layout(offsets), out, lse, dout, {dq, dk, dv});
            };
      });
}

void add_adam(std::int64_t parameters) {
  add(fmt::format("sum_of_squares/{}", parameters), {0, 4.0 * static_cast<double>(parameters)},
      [=]() -> Body {
        return [g = random_tensor({parameters}, 1)](Backend& backend, Precision) {
          benchmark::DoNotOptimize(backend.sum_of_squares(g));
        };
      });
  add(fmt::format("adam/{}", parameters), {0, 28.0 * static_cast<double>(parameters)},
      [=]() -> Body {
        return [g = random_tensor({parameters}, 1), p = random_tensor({parameters}, 2),
                m = Tensor::zeros({parameters}),
                v = Tensor::zeros({parameters})](Backend& backend, Precision) {
          AdamStep step;
          step.learning_rate = 1e-6f;
          backend.adam(step, 1.0, g, p, m, v);
        };
      });
}

const bool kRegistered = [] {
  add_linear(4096, 128, 128);
  add_linear(4096, 128, 384);
  add_linear(4096, 128, 256);
  add_linear(512, 128, 10000);
  add_linear(1024, 512, 512);
  add_linear(1024, 512, 2048);
  for (const std::int64_t beam : {1, 5}) {  // one decoding step of one sentence
    add_linear(beam, 128, 128);
    add_linear(beam, 128, 10000);
  }
  add_lookup(4096, 128, 10000);
  add_pooling(8192, 64);
  add_rows(4096, 128);
  add_rows(1024, 512);
  add_vocabulary(512, 10000);
  for (const bool causal : {false, true}) {
    add_attention(4096, 128, 16, 4, causal);
    add_attention(4096, 128, 32, 4, causal);
    add_attention(4096, 512, 128, 8, causal);
  }
  add_adam(2600000);
  return true;
}();

}  // namespace
}  // namespace attend
