// A fast backend that counts matrix products, and attention, by their precision.
#pragma once

#include <atomic>

#include "attend/backend/fast/fast_backend.h"

namespace attend {

class PrecisionCount : public FastBackend {
 public:
  void matmul(const Tensor& a, const Tensor& b, const MatmulOptions& options,
              const Tensor& c) override {
    count(options.precision);
    FastBackend::matmul(a, b, options, c);
  }
  void linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const LinearOptions& options, const Tensor& y) override {
    count(options.precision);
    FastBackend::linear(x, weight, bias, options, y);
  }

  void attention(const AttentionOperands& x, const AttentionLayout& layout, const Tensor& out,
                 const Tensor& log_sum_exp, const Tensor& weights) override {
    count(layout.precision);
    FastBackend::attention(x, layout, out, log_sum_exp, weights);
  }
  void attention_backward(const AttentionOperands& x, const AttentionLayout& layout,
                          const Tensor& out, const Tensor& log_sum_exp, const Tensor& dout,
                          const AttentionGradients& gradients) override {
    count(layout.precision);
    FastBackend::attention_backward(x, layout, out, log_sum_exp, dout, gradients);
  }

  int in_f32() const { return in_f32_; }
  int in_bf16() const { return in_bf16_; }

 private:
  void count(Precision precision) { ++(precision == Precision::bf16 ? in_bf16_ : in_f32_); }

  std::atomic<int> in_f32_ = 0, in_bf16_ = 0;
};

}  // namespace attend
