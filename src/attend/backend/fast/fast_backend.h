// The fast backend: Highway kernels on all threads (core/threads/parallel.h). Stateless, so any
// thread may call it. gemm/gemm.h says why it has its own GEMM.
//
// The members are defined by topic: gemm/ (matmul, linear), int8/ (8-bit weights), attention/,
// optional/ (what the Transformer does without), and rows/ (everything else). targets.h describes
// the form of a file with kernels.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "attend/backend/cpu/cpu_backend.h"

namespace attend {

class FastBackend : public CpuBackend {
 public:
  std::string_view name() const override { return "fast"; }

  void matmul(const Tensor& a, const Tensor& b, const MatmulOptions& options,
              const Tensor& c) override;
  void linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const LinearOptions& options, const Tensor& y) override;
  void add(const Tensor& a, const Tensor& b, const Tensor& y) override;
  void multiply(const Tensor& a, const Tensor& b, const Tensor& y) override;
  void axpby(float alpha, const Tensor& x, float beta, const Tensor& y) override;
  void convert(const Tensor& x, const Tensor& y) override;
  void quantize_groups(const Tensor& x, std::int64_t width, const Tensor& y) override;
  void activate(Activation activation, const Tensor& x, const Tensor& y) override;
  void activate_backward(Activation activation, const Tensor& x, const Tensor& dy,
                         const Tensor& dx) override;
  void dropout(const Dropout& dropout, const Tensor& x, const Tensor& y) override;
  void sum_rows(const Tensor& x, float beta, const Tensor& y) override;
  DeviceScalar sum(const Tensor& x) override;
  DeviceScalar sum_of_squares(const Tensor& x) override;
  void layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, float epsilon,
                  const Tensor& y, const Tensor& mean, const Tensor& rstd) override;
  void layer_norm_backward(const Tensor& x, const Tensor& gamma, const Tensor& mean,
                           const Tensor& rstd, const Tensor& dy, const Tensor& dx,
                           const Tensor& dgamma, const Tensor& dbeta) override;
  void residual_layer_norm(const Tensor& x, const Tensor& branch, const Dropout& dropout,
                           const Tensor& gamma, const Tensor& beta, float epsilon,
                           const Tensor& sum, const Tensor& y, const Tensor& mean,
                           const Tensor& rstd) override;
  void embed(const Tensor& table, const Ids& ids, float scale, const Tensor& positions,
             const Ids& position, const Dropout& dropout, const Tensor& y) override;
  void scatter_add(const Tensor& dy, const Ids& ids, float scale, const Tensor& dtable) override;
  void gather_rows(const Tensor& x, const Ids& rows, const Tensor& y) override;
  void scatter_rows(const Tensor& x, const Ids& slots, std::span<const Tensor> pages) override;
  void softmax(const Tensor& x, float scale, const Tensor& y) override;
  void log_softmax(const Tensor& x, const Tensor& y) override;
  void softmax_backward(const Tensor& y, const Tensor& dy, float scale, const Tensor& dx) override;
  void cross_entropy(const Tensor& logits, const Ids& targets, float label_smoothing,
                     float gradient_scale, const Tensor& losses, const Tensor& nll) override;
  void log_softmax_backward(const Tensor& x, const Tensor& dy, const Tensor& dx) override;
  void attention(const AttentionOperands& x, const AttentionLayout& layout, const Tensor& out,
                 const Tensor& log_sum_exp, const Tensor& weights) override;
  void attention_backward(const AttentionOperands& x, const AttentionLayout& layout,
                          const Tensor& out, const Tensor& log_sum_exp, const Tensor& dout,
                          const AttentionGradients& gradients) override;
  void attention_cached(const Tensor& q, const KeyRows& keys, const CachedLayout& layout,
                        const Tensor& out) override;
  void rotate(const Tensor& x, const Rotation& rotation, const Tensor& y) override;
  void gather_keys(const KeyRows& keys, std::int64_t begin, int heads, const Tensor& y) override;
  void adam(const AdamStep& step, const DeviceScalar& gradient_scale, const Tensor& gradient,
            const Tensor& parameter, const Tensor& mean, const Tensor& variance) override;
  void log_softmax_top_k(const Tensor& x, int k, const Tensor& values,
                         const Tensor& indices) override;
  void projected_top_k(const Tensor& x, const OutputProjection& output, int k, const Tensor& values,
                       const Tensor& indices) override;

  // optional/
  void attention_scores(const Tensor& a, const Tensor& b, const AttentionLayout& layout,
                        const Tensor& pairs) override;
  void apply_attention(const Tensor& pairs, const Tensor& b, const AttentionLayout& layout,
                       float beta, const Tensor& y) override;
  void apply_attention_transposed(const Tensor& pairs, const Tensor& a,
                                  const AttentionLayout& layout, float beta,
                                  const Tensor& y) override;
  void pair_softmax(const Tensor& scores, const AttentionLayout& layout,
                    const Tensor& weights) override;
  void pair_softmax_backward(const Tensor& weights, const Tensor& dweights,
                             const AttentionLayout& layout, const Tensor& dscores) override;
  void attention_argmax(const Tensor& scores, const AttentionLayout& layout,
                        const Tensor& weights) override;
  void additive_scores(const Tensor& q, const Tensor& k, const Tensor& v,
                       const AttentionLayout& layout, const Tensor& scores) override;
  void additive_scores_backward(const Tensor& q, const Tensor& k, const Tensor& v,
                                const AttentionLayout& layout, const Tensor& dscores,
                                const Tensor& dq, const Tensor& dv, float beta,
                                const Tensor& dk) override;
  void gru_cell(const Tensor& x, const Tensor& s, const Tensor& h, const Tensor& y,
                const Tensor& gates) override;
  void gru_cell_backward(const Tensor& gates, const Tensor& s, const Tensor& h, const Tensor& dy,
                         const Tensor& dx, const Tensor& ds, const Tensor& dh) override;
  void ssru(const Tensor& z, const Tensor& g, const Ids& offsets, const Tensor& before,
            const Tensor& c, const Tensor& f) override;
  void ssru_backward(const Tensor& z, const Tensor& f, const Ids& offsets, const Tensor& c,
                     const Tensor& dc, const Tensor& dz, const Tensor& dg) override;
  void pool(Pooling pooling, const Tensor& x, const Ids& offsets, const Tensor& y,
            const Tensor& rows) override;
  void pool_backward(Pooling pooling, const Tensor& dy, const Ids& offsets, const Tensor& rows,
                     const Tensor& dx) override;
  void dot_rows(const Tensor& a, const Tensor& b, const Tensor& y) override;
  void scale_rows(const Tensor& factors, const Tensor& x, float beta, const Tensor& y) override;
  void log_mean_exp(std::span<const Tensor> members, const Tensor& y) override;
  void sample(const Tensor& log_probabilities, const TokenFilter& filter, const Tensor& uniform,
              const Tensor& columns) override;
  void mix_with_cache(const Tensor& scores, const TokenCache& cache, const Ids& targets,
                      const Tensor& log_probabilities) override;
  void paired_cross_entropy(const Tensor& a, const Tensor& b, const Ids& targets,
                            const PairedLoss& options, const Tensor& losses,
                            const Tensor& nll) override;
};

}  // namespace attend
