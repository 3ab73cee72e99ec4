// The reference backend: every kernel as the simplest correct loop. Values are f32, sums are in
// double, nothing is threaded or vectorized. It is the oracle of the kernel tests and what
// sanitizers run, so clarity beats speed.
#pragma once

#include <cstdint>

#include "attend/backend/cpu/cpu_backend.h"

namespace attend {

class ReferenceBackend final : public CpuBackend {
 public:
  std::string_view name() const override { return "reference"; }

  // matmul.cpp
  void matmul(const Tensor& a, const Tensor& b, const MatmulOptions& options,
              const Tensor& c) override;
  void linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const LinearOptions& options, const Tensor& y) override;

  // elementwise.cpp
  void add(const Tensor& a, const Tensor& b, const Tensor& y) override;
  void multiply(const Tensor& a, const Tensor& b, const Tensor& y) override;
  void axpby(float alpha, const Tensor& x, float beta, const Tensor& y) override;
  void convert(const Tensor& x, const Tensor& y) override;
  void quantize_groups(const Tensor& x, std::int64_t width, const Tensor& y) override;
  void activate(Activation activation, const Tensor& x, const Tensor& y) override;
  void activate_backward(Activation activation, const Tensor& x, const Tensor& dy,
                         const Tensor& dx) override;
  void dropout(const Dropout& dropout, const Tensor& x, const Tensor& y) override;

  // reduction.cpp
  void sum_rows(const Tensor& x, float beta, const Tensor& y) override;
  DeviceScalar sum(const Tensor& x) override;
  DeviceScalar sum_of_squares(const Tensor& x) override;

  // normalization.cpp
  void layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, float epsilon,
                  const Tensor& y, const Tensor& mean, const Tensor& rstd) override;
  void layer_norm_backward(const Tensor& x, const Tensor& gamma, const Tensor& mean,
                           const Tensor& rstd, const Tensor& dy, const Tensor& dx,
                           const Tensor& dgamma, const Tensor& dbeta) override;

  // lookup.cpp
  void embed(const Tensor& table, const Ids& ids, float scale, const Tensor& positions,
             const Ids& position, const Dropout& dropout, const Tensor& y) override;
  void scatter_add(const Tensor& dy, const Ids& ids, float scale, const Tensor& dtable) override;
  void gather_rows(const Tensor& x, const Ids& rows, const Tensor& y) override;
  void scatter_rows(const Tensor& x, const Ids& slots, std::span<const Tensor> pages) override;
  void log_softmax_top_k(const Tensor& x, int k, const Tensor& values,
                         const Tensor& indices) override;

  // softmax.cpp
  void softmax(const Tensor& x, float scale, const Tensor& y) override;
  void log_softmax(const Tensor& x, const Tensor& y) override;
  void softmax_backward(const Tensor& y, const Tensor& dy, float scale, const Tensor& dx) override;
  void cross_entropy(const Tensor& logits, const Ids& targets, float label_smoothing,
                     float gradient_scale, const Tensor& losses, const Tensor& nll) override;
  void log_softmax_backward(const Tensor& x, const Tensor& dy, const Tensor& dx) override;

  // attention.cpp
  void attention(const AttentionOperands& x, const AttentionLayout& layout, const Tensor& out,
                 const Tensor& log_sum_exp, const Tensor& weights) override;
  void attention_backward(const AttentionOperands& x, const AttentionLayout& layout,
                          const Tensor& out, const Tensor& log_sum_exp, const Tensor& dout,
                          const AttentionGradients& gradients) override;
  void attention_cached(const Tensor& q, const KeyRows& keys, const CachedLayout& layout,
                        const Tensor& out) override;
  void rotate(const Tensor& x, const Rotation& rotation, const Tensor& y) override;
  void gather_keys(const KeyRows& keys, std::int64_t begin, int heads, const Tensor& y) override;

  // optimizer.cpp
  void adam(const AdamStep& step, const DeviceScalar& gradient_scale, const Tensor& gradient,
            const Tensor& parameter, const Tensor& mean, const Tensor& variance) override;
};

namespace reference {

// 0 if the mask drops the element, 1/(1-p) if it keeps it.
inline float dropout_factor(const Dropout& dropout, std::int64_t row, std::int64_t column) {
  if (dropout.p == 0.0f) return 1.0f;
  const std::uint16_t bits =
      dropout.key.bits16(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column));
  return bits >= dropout.threshold() ? dropout.scale() : 0.0f;
}

// elementwise.cpp
float activated(Activation activation, float x);

}  // namespace reference

}  // namespace attend
