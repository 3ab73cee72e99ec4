// Kernels that are not written yet go to the reference. A line leaves when its kernel comes.
#include "attend/backend/onednn/fast_backend.h"

namespace attend {

void FastBackend::softmax(const Tensor& x, float scale, const Tensor& y) { reference_backend().softmax(x, scale, y); }

void FastBackend::log_softmax(const Tensor& x, const Tensor& y) { reference_backend().log_softmax(x, y); }

void FastBackend::softmax_backward(const Tensor& y, const Tensor& dy, float scale, const Tensor& dx) {
  reference_backend().softmax_backward(y, dy, scale, dx);
}

void FastBackend::cross_entropy(const Tensor& logits, std::span<const std::int32_t> targets, float label_smoothing, float gradient_scale,
                                const Tensor& losses, const Tensor& nll) {
  reference_backend().cross_entropy(logits, targets, label_smoothing, gradient_scale, losses, nll);
}

void FastBackend::attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionLayout& layout, const Tensor& out,
                            const Tensor& log_sum_exp, const Tensor& weights) {
  reference_backend().attention(q, k, v, layout, out, log_sum_exp, weights);
}

void FastBackend::attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionLayout& layout, const Tensor& out,
                                     const Tensor& log_sum_exp, const Tensor& dout, const Tensor& dq, const Tensor& dk, const Tensor& dv) {
  reference_backend().attention_backward(q, k, v, layout, out, log_sum_exp, dout, dq, dk, dv);
}

void FastBackend::attention_cached(const Tensor& q, std::span<const float* const> keys, std::span<const std::int32_t> offsets,
                                   std::int64_t value_distance, int heads, float scale, const Tensor& out) {
  reference_backend().attention_cached(q, keys, offsets, value_distance, heads, scale, out);
}

void FastBackend::top_k(const Tensor& x, int k, const Tensor& values, const Tensor& indices) {
  reference_backend().top_k(x, k, values, indices);
}

}  // namespace attend
