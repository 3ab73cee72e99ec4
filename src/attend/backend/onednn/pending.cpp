// Kernels that are not written yet go to the reference. A line leaves when its kernel comes.
#include "attend/backend/onednn/fast_backend.h"

namespace attend {

void FastBackend::matmul(const Tensor& a, bool transpose_a, const Tensor& b, bool transpose_b, float beta, const Tensor& c) {
  reference_backend().matmul(a, transpose_a, b, transpose_b, beta, c);
}

void FastBackend::linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation, const Tensor& y) {
  reference_backend().linear(x, weight, bias, activation, y);
}

void FastBackend::fill(const Tensor& x, float value) { reference_backend().fill(x, value); }

void FastBackend::add(const Tensor& a, const Tensor& b, const Tensor& y) { reference_backend().add(a, b, y); }

void FastBackend::multiply(const Tensor& a, const Tensor& b, const Tensor& y) { reference_backend().multiply(a, b, y); }

void FastBackend::axpby(float alpha, const Tensor& x, float beta, const Tensor& y) { reference_backend().axpby(alpha, x, beta, y); }

void FastBackend::activate(Activation activation, const Tensor& x, const Tensor& y) { reference_backend().activate(activation, x, y); }

void FastBackend::activate_backward(Activation activation, const Tensor& x, const Tensor& dy, const Tensor& dx) {
  reference_backend().activate_backward(activation, x, dy, dx);
}

void FastBackend::dropout(const Dropout& dropout, const Tensor& x, const Tensor& y) { reference_backend().dropout(dropout, x, y); }

void FastBackend::sum_rows(const Tensor& x, float beta, const Tensor& y) { reference_backend().sum_rows(x, beta, y); }

double FastBackend::sum(const Tensor& x) { return reference_backend().sum(x); }

double FastBackend::sum_of_squares(const Tensor& x) { return reference_backend().sum_of_squares(x); }

bool FastBackend::all_finite(const Tensor& x) { return reference_backend().all_finite(x); }

void FastBackend::layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, float epsilon, const Tensor& y, const Tensor& mean,
                             const Tensor& rstd) {
  reference_backend().layer_norm(x, gamma, beta, epsilon, y, mean, rstd);
}

void FastBackend::layer_norm_backward(const Tensor& x, const Tensor& gamma, const Tensor& mean, const Tensor& rstd, const Tensor& dy,
                                      const Tensor& dx, const Tensor& dgamma, const Tensor& dbeta) {
  reference_backend().layer_norm_backward(x, gamma, mean, rstd, dy, dx, dgamma, dbeta);
}

void FastBackend::residual_layer_norm(const Tensor& x, const Tensor& branch, const Dropout& dropout, const Tensor& gamma,
                                      const Tensor& beta, float epsilon, const Tensor& sum, const Tensor& y, const Tensor& mean,
                                      const Tensor& rstd) {
  reference_backend().residual_layer_norm(x, branch, dropout, gamma, beta, epsilon, sum, y, mean, rstd);
}

void FastBackend::embed(const Tensor& table, std::span<const std::int32_t> ids, float scale, const Tensor& positions,
                        std::span<const std::int32_t> position, const Dropout& dropout, const Tensor& y) {
  reference_backend().embed(table, ids, scale, positions, position, dropout, y);
}

void FastBackend::scatter_add(const Tensor& dy, std::span<const std::int32_t> ids, float scale, const Tensor& dtable) {
  reference_backend().scatter_add(dy, ids, scale, dtable);
}

void FastBackend::gather_rows(const Tensor& x, std::span<const std::int32_t> rows, const Tensor& y) {
  reference_backend().gather_rows(x, rows, y);
}

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

void FastBackend::adam(const AdamStep& step, const Tensor& gradient, const Tensor& parameter, const Tensor& mean, const Tensor& variance) {
  reference_backend().adam(step, gradient, parameter, mean, variance);
}

void FastBackend::top_k(const Tensor& x, int k, const Tensor& values, const Tensor& indices) {
  reference_backend().top_k(x, k, values, indices);
}

}  // namespace attend
