// The fast backend, counting the products that it is asked for.
#pragma once

#include <atomic>

#include "attend/backend/fast/fast_backend.h"

namespace attend {

class RecordingBackend final : public FastBackend {
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

  std::atomic<int> in_f32 = 0;
  std::atomic<int> in_bf16 = 0;

 private:
  void count(Precision precision) { ++(precision == Precision::f32 ? in_f32 : in_bf16); }
};

}  // namespace attend
