// A device without a GPU: its memory cannot be read or written by this process except while a
// kernel or a copy of the device runs. What touches a tensor's memory anywhere else ends the
// process with a segmentation fault, as it would with memory of a GPU.
#pragma once

#include "attend/backend/fast/fast_backend.h"
#include "attend/core/threads/runtime.h"
#include "tensor/guarded_memory.h"

namespace attend {

// The fast kernels, each of which opens the memory while it runs.
class GuardedBackend final : public FastBackend {
 public:
  explicit GuardedBackend(GuardedMemory& memory) : memory_(memory) {}
  std::string_view name() const override { return "guarded"; }

  Tensor quantize_weights(const Tensor& weights, DType type) override {
    const GuardedMemory::Open open(memory_);
    return FastBackend::quantize_weights(weights, type);
  }
  void join_quantized(const QuantizedParts& parts, const Tensor& weights) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::join_quantized(parts, weights);
  }
  QuantizedParts split_quantized(const Tensor& weights) override {
    const GuardedMemory::Open open(memory_);
    return FastBackend::split_quantized(weights);
  }
  std::int64_t packed_row_block(const Tensor& weights) override {
    const GuardedMemory::Open open(memory_);
    return FastBackend::packed_row_block(weights);
  }
  Tensor pack_weights(const Tensor& weights) override {
    const GuardedMemory::Open open(memory_);
    return FastBackend::pack_weights(weights);
  }
  Tensor select_weights(const Tensor& weights, const Ids& rows) override {
    const GuardedMemory::Open open(memory_);
    return FastBackend::select_weights(weights, rows);
  }
  Tensor float_weights(const Tensor& weights) override {
    const GuardedMemory::Open open(memory_);
    return FastBackend::float_weights(weights);
  }
  void store(const DeviceScalar& value, double factor, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::store(value, factor, y);
  }
  void scaled_add(const DeviceScalar& alpha, float factor, const Tensor& x, float beta,
                  const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::scaled_add(alpha, factor, x, beta, y);
  }
  DeviceScalar scale_to_norm(const DeviceScalar& squares, double norm) override {
    const GuardedMemory::Open open(memory_);
    return FastBackend::scale_to_norm(squares, norm);
  }
  DeviceScalar clip_to_norm(const DeviceScalar& squares, double norm) override {
    const GuardedMemory::Open open(memory_);
    return FastBackend::clip_to_norm(squares, norm);
  }
  void matmul(const Tensor& a, const Tensor& b, const MatmulOptions& options,
              const Tensor& c) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::matmul(a, b, options, c);
  }
  void linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const LinearOptions& options, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::linear(x, weight, bias, options, y);
  }
  void add(const Tensor& a, const Tensor& b, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::add(a, b, y);
  }
  void multiply(const Tensor& a, const Tensor& b, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::multiply(a, b, y);
  }
  void axpby(float alpha, const Tensor& x, float beta, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::axpby(alpha, x, beta, y);
  }
  void convert(const Tensor& x, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::convert(x, y);
  }
  void quantize_blocks(const Tensor& x, BlockCode kind, RandomKey key, const Tensor& codes,
                       const Tensor& scales) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::quantize_blocks(x, kind, key, codes, scales);
  }
  void dequantize_blocks(const Tensor& codes, const Tensor& scales, BlockCode kind,
                         const Tensor& x) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::dequantize_blocks(codes, scales, kind, x);
  }
  void quantize_groups(const Tensor& x, std::int64_t width, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::quantize_groups(x, width, y);
  }
  void activate(Activation activation, const Tensor& x, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::activate(activation, x, y);
  }
  void activate_backward(Activation activation, const Tensor& x, const Tensor& dy,
                         const Tensor& dx) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::activate_backward(activation, x, dy, dx);
  }
  void dropout(const Dropout& dropout, const Tensor& x, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::dropout(dropout, x, y);
  }
  void sum_rows(const Tensor& x, float beta, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::sum_rows(x, beta, y);
  }
  DeviceScalar sum(const Tensor& x) override {
    const GuardedMemory::Open open(memory_);
    return FastBackend::sum(x);
  }
  DeviceScalar sum_of_squares(const Tensor& x) override {
    const GuardedMemory::Open open(memory_);
    return FastBackend::sum_of_squares(x);
  }
  void layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, float epsilon,
                  const Tensor& y, const Tensor& mean, const Tensor& rstd) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::layer_norm(x, gamma, beta, epsilon, y, mean, rstd);
  }
  void layer_norm_backward(const Tensor& x, const Tensor& gamma, const Tensor& mean,
                           const Tensor& rstd, const Tensor& dy, const Tensor& dx,
                           const Tensor& dgamma, const Tensor& dbeta) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::layer_norm_backward(x, gamma, mean, rstd, dy, dx, dgamma, dbeta);
  }
  void residual_layer_norm(const Tensor& x, const Tensor& branch, const Dropout& dropout,
                           const Tensor& gamma, const Tensor& beta, float epsilon,
                           const Tensor& sum, const Tensor& y, const Tensor& mean,
                           const Tensor& rstd) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::residual_layer_norm(x, branch, dropout, gamma, beta, epsilon, sum, y, mean, rstd);
  }
  void embed(const Tensor& table, const Ids& ids, float scale, const Tensor& positions,
             const Ids& position, const Dropout& dropout, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::embed(table, ids, scale, positions, position, dropout, y);
  }
  void scatter_add(const Tensor& dy, const Ids& ids, float scale, const Tensor& dtable) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::scatter_add(dy, ids, scale, dtable);
  }
  void gather_rows(const Tensor& x, const Ids& rows, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::gather_rows(x, rows, y);
  }
  void scatter_rows(const Tensor& x, const Ids& slots, std::span<const Tensor> pages) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::scatter_rows(x, slots, pages);
  }
  void pool(Pooling pooling, const Tensor& x, const Ids& offsets, const Tensor& y,
            const Tensor& rows) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::pool(pooling, x, offsets, y, rows);
  }
  void pool_backward(Pooling pooling, const Tensor& dy, const Ids& offsets, const Tensor& rows,
                     const Tensor& dx) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::pool_backward(pooling, dy, offsets, rows, dx);
  }
  void softmax(const Tensor& x, float scale, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::softmax(x, scale, y);
  }
  void log_softmax(const Tensor& x, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::log_softmax(x, y);
  }
  void log_mean_exp(std::span<const Tensor> members, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::log_mean_exp(members, y);
  }
  void softmax_backward(const Tensor& y, const Tensor& dy, float scale, const Tensor& dx) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::softmax_backward(y, dy, scale, dx);
  }
  void cross_entropy(const Tensor& logits, const Ids& targets, float label_smoothing,
                     float gradient_scale, const Tensor& losses, const Tensor& nll) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::cross_entropy(logits, targets, label_smoothing, gradient_scale, losses, nll);
  }
  void paired_cross_entropy(const Tensor& a, const Tensor& b, const Ids& targets,
                            const PairedLoss& options, const Tensor& losses,
                            const Tensor& nll) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::paired_cross_entropy(a, b, targets, options, losses, nll);
  }
  void log_softmax_backward(const Tensor& x, const Tensor& dy, const Tensor& dx) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::log_softmax_backward(x, dy, dx);
  }
  void attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionLayout& layout,
                 const Tensor& out, const Tensor& log_sum_exp, const Tensor& weights) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::attention(q, k, v, layout, out, log_sum_exp, weights);
  }
  void attention_backward(const Tensor& q, const Tensor& k, const Tensor& v,
                          const AttentionLayout& layout, const Tensor& out,
                          const Tensor& log_sum_exp, const Tensor& dout,
                          const AttentionGradients& gradients) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::attention_backward(q, k, v, layout, out, log_sum_exp, dout, gradients);
  }
  void attention_cached(const Tensor& q, const KeyRows& keys, const CachedLayout& layout,
                        const Tensor& out) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::attention_cached(q, keys, layout, out);
  }
  void rotate(const Tensor& x, const Rotation& rotation, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::rotate(x, rotation, y);
  }
  void gather_keys(const KeyRows& keys, std::int64_t begin, int heads, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::gather_keys(keys, begin, heads, y);
  }
  void pair_products(const Tensor& a, const Tensor& b, const AttentionLayout& layout,
                     const Tensor& pairs) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::pair_products(a, b, layout, pairs);
  }
  void pair_sums(const Tensor& pairs, const Tensor& b, const AttentionLayout& layout, float beta,
                 const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::pair_sums(pairs, b, layout, beta, y);
  }
  void pair_sums_by_key(const Tensor& pairs, const Tensor& a, const AttentionLayout& layout,
                        float beta, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::pair_sums_by_key(pairs, a, layout, beta, y);
  }
  void pair_softmax(const Tensor& scores, const AttentionLayout& layout,
                    const Tensor& weights) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::pair_softmax(scores, layout, weights);
  }
  void pair_softmax_backward(const Tensor& weights, const Tensor& dweights,
                             const AttentionLayout& layout, const Tensor& dscores) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::pair_softmax_backward(weights, dweights, layout, dscores);
  }
  void pair_arg_max(const Tensor& scores, const AttentionLayout& layout,
                    const Tensor& weights) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::pair_arg_max(scores, layout, weights);
  }
  void additive_scores(const Tensor& q, const Tensor& k, const Tensor& v,
                       const AttentionLayout& layout, const Tensor& scores) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::additive_scores(q, k, v, layout, scores);
  }
  void additive_scores_backward(const Tensor& q, const Tensor& k, const Tensor& v,
                                const AttentionLayout& layout, const Tensor& dscores,
                                const Tensor& dq, const Tensor& dv, float beta,
                                const Tensor& dk) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::additive_scores_backward(q, k, v, layout, dscores, dq, dv, beta, dk);
  }
  void gru_cell(const Tensor& x, const Tensor& s, const Tensor& h, const Tensor& y,
                const Tensor& gates) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::gru_cell(x, s, h, y, gates);
  }
  void gru_cell_backward(const Tensor& gates, const Tensor& s, const Tensor& h, const Tensor& dy,
                         const Tensor& dx, const Tensor& ds, const Tensor& dh) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::gru_cell_backward(gates, s, h, dy, dx, ds, dh);
  }
  void adam(const AdamStep& step, const DeviceScalar& gradient_scale, const Tensor& gradient,
            const Tensor& parameter, const Tensor& mean, const Tensor& variance) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::adam(step, gradient_scale, gradient, parameter, mean, variance);
  }
  void log_softmax_top_k(const Tensor& x, int k, const Tensor& values,
                         const Tensor& indices) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::log_softmax_top_k(x, k, values, indices);
  }
  void projected_top_k(const Tensor& x, const OutputProjection& output, int k, const Tensor& values,
                       const Tensor& indices) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::projected_top_k(x, output, k, values, indices);
  }
  void gather_columns(const Tensor& x, const Ids& columns, float absent, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::gather_columns(x, columns, absent, y);
  }
  void fill_columns(const Tensor& x, const Ids& columns, float value) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::fill_columns(x, columns, value);
  }
  void penalize_columns(const Tensor& x, const Ids& columns, float penalty) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::penalize_columns(x, columns, penalty);
  }
  void dot_rows(const Tensor& a, const Tensor& b, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::dot_rows(a, b, y);
  }
  void scale_rows(const Tensor& factors, const Tensor& x, float beta, const Tensor& y) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::scale_rows(factors, x, beta, y);
  }
  void sample(const Tensor& log_probabilities, const TokenFilter& filter, const Tensor& uniform,
              const Tensor& columns) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::sample(log_probabilities, filter, uniform, columns);
  }
  void mix_with_cache(const Tensor& scores, const TokenCache& cache, const Ids& targets,
                      const Tensor& log_probabilities) override {
    const GuardedMemory::Open open(memory_);
    FastBackend::mix_with_cache(scores, cache, targets, log_probabilities);
  }

 private:
  GuardedMemory& memory_;
};

// Never destroyed, as devices are.
inline Device guarded_device() {
  static auto& memory = *new GuardedMemory;
  static auto& backend = *new GuardedBackend(memory);
  return {&memory, &backend};
}

}  // namespace attend
