// The kernels of a device: functions on existing tensors, behind one interface. These are what a
// Transformer needs; optional_kernels.h has the others. The only layer that knows the CPU.
//
// Two implementations are always built. `reference_backend()` is plain loops: the oracle of the
// tests, and what sanitizers run. `fast_backend()` is written with Highway, and selects the
// instruction set at run time; fast/gemm/gemm.h says why it has its own GEMM. Both give the same
// results up to rounding; the tests compare them kernel by kernel.
//
// Conventions. Shape letters: N tokens (rows of the batch), B sequences, T length, D width, H
// heads, Dh head width, V vocabulary. Tensors are f32 unless stated otherwise and may have a row
// stride. Outputs must not overlap inputs unless "may be" says so. Callers (ops/) check shapes;
// kernels only assert. Results do not depend on the number of threads, and a row's result does not
// depend on other rows, bit for bit.
#pragma once

#include <string_view>

#include "attend/backend/kernel_arguments.h"
#include "attend/backend/optional_kernels.h"
#include "attend/backend/weights.h"
#include "attend/tensor/device_scalar.h"
#include "attend/tensor/memory.h"

namespace attend {

class Backend : public OptionalKernels {
 public:
  virtual std::string_view name() const = 0;
  virtual BlockSizes block_sizes() const = 0;

  // --- matrix products ---------------------------------------------------------------------------
  // op(a) [M, K], op(b) [K, N], c [M, N].
  virtual void matmul(const Tensor& a, const Tensor& b, const MatmulOptions& options,
                      const Tensor& c) = 0;
  // x [N, I], weight [O, I], bias [O] or undefined, y [N, O]. The weight may be packed, bf16, in 8
  // or in 4 bits (weights.h); with 8 and 4 bits the rows of x are rounded to integers, too.
  virtual void linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
                      const LinearOptions& options, const Tensor& y) = 0;

  // --- weights (weights.h) -----------------------------------------------------------------------
  // For loading and converting models, not for every step: most of these allocate their result.
  // f32 [O, I] to `type`: i8 or i4. Throws ShapeError unless a matrix (for i4 with I a multiple of
  // kWeightGroup), DataError unless all are finite.
  virtual Tensor quantize_weights(const Tensor& weights, DType type) = 0;
  // Between unpacked weights in 8 or 4 bits and their form in files. Joined weights are those of
  // the same rows.
  virtual void join_quantized(const QuantizedParts& parts, const Tensor& weights) = 0;
  virtual QuantizedParts split_quantized(const Tensor& weights) = 0;
  // The name of the layout of packed weights: kPanelLayout (weight_layout.h), or another one.
  virtual std::string_view weight_layout() const = 0;
  // slice_rows() may slice packed weights at multiples of this. 0: they cannot be packed.
  virtual std::int64_t packed_row_block(const Tensor& weights) = 0;
  // Packs weights for the fastest GEMM. Rearranges their memory, which may then be used only
  // through the result. Returns weights that cannot be packed unchanged.
  virtual Tensor pack_weights(const Tensor& weights) = 0;
  // Unpacked copies of rows, in the type of the weights: f32 [n, I], bf16, in 8 or 4 bits. Throws
  // ShapeError otherwise.
  virtual Tensor select_weights(const Tensor& weights, const Ids& rows) = 0;
  // f32 [O, I]: the weights themselves, or their unpacked, widened or dequantized values.
  virtual Tensor float_weights(const Tensor& weights) = 0;

  // --- element-wise ------------------------------------------------------------------------------
  // y = a + b; y may be a or b.
  virtual void add(const Tensor& a, const Tensor& b, const Tensor& y) = 0;
  // y = a * b; y may be a or b.
  virtual void multiply(const Tensor& a, const Tensor& b, const Tensor& y) = 0;
  // y = alpha x + beta y; beta 0 ignores y.
  virtual void axpby(float alpha, const Tensor& x, float beta, const Tensor& y) = 0;
  // y = x, between f32 and bf16; rounds to nearest even.
  virtual void convert(const Tensor& x, const Tensor& y) = 0;
  virtual void activate(Activation activation, const Tensor& x, const Tensor& y) = 0;  // y may be x
  // dx = dy * activation'(x). For relu, x may be the activated value. dx may be dy.
  virtual void activate_backward(Activation activation, const Tensor& x, const Tensor& dy,
                                 const Tensor& dx) = 0;
  // y may be x; linear, so also its own gradient.
  virtual void dropout(const Dropout& dropout, const Tensor& x, const Tensor& y) = 0;

  // Quantizes every `width` elements of x [N, G*width] like a row of 8-bit weights (weights.h): y
  // i8 [N, G*(width+4)], the groups of a row in order. A group with an element that is not finite
  // gets the scale NaN.
  virtual void quantize_groups(const Tensor& x, std::int64_t width, const Tensor& y) = 0;

  // --- reductions --------------------------------------------------------------------------------
  // y [D] = sum over rows of x [N, D] + beta y.
  virtual void sum_rows(const Tensor& x, float beta, const Tensor& y) = 0;
  virtual DeviceScalar sum(const Tensor& x) = 0;
  virtual DeviceScalar sum_of_squares(const Tensor& x) = 0;

  // --- numbers that stay on the device -----------------------------------------------------------
  // y [1] = factor * value, f32.
  virtual void store(const DeviceScalar& value, double factor, const Tensor& y) = 0;
  // y = factor alpha x + beta y; beta 0 ignores y
  virtual void scaled_add(const DeviceScalar& alpha, float factor, const Tensor& x, float beta,
                          const Tensor& y) = 0;
  // The factor that scales a vector with this sum of squares to length `norm`, as a float; 0 for a
  // vector shorter than 1e-30.
  virtual DeviceScalar scale_to_norm(const DeviceScalar& squares, double norm) = 0;
  // The same for longer vectors; 1 for the others.
  virtual DeviceScalar clip_to_norm(const DeviceScalar& squares, double norm) = 0;

  // --- normalization -----------------------------------------------------------------------------
  // Over the last dimension: y = (x - mean) * rstd * gamma + beta (Ba et al. 2016). mean and rstd
  // [N] are saved for the backward pass, or both undefined. Without beta it is RMS normalization
  // (Zhang & Sennrich 2019): the mean counts as 0, and `mean` is undefined, too.
  virtual void layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, float epsilon,
                          const Tensor& y, const Tensor& mean, const Tensor& rstd) = 0;
  // dx [N, D] is written; dgamma, dbeta [D] are added to. mean and dbeta are undefined for RMS
  // normalization.
  virtual void layer_norm_backward(const Tensor& x, const Tensor& gamma, const Tensor& mean,
                                   const Tensor& rstd, const Tensor& dy, const Tensor& dx,
                                   const Tensor& dgamma, const Tensor& dbeta) = 0;

  // --- lookup ------------------------------------------------------------------------------------
  // y[n] = dropout(scale * table[ids[n]] + positions[position[n]]).
  // positions and position may both be undefined. y [N, D]. The table may be packed, bf16, in 8 or
  // 4 bits.
  virtual void embed(const Tensor& table, const Ids& ids, float scale, const Tensor& positions,
                     const Ids& position, const Dropout& dropout, const Tensor& y) = 0;
  // dtable[ids[n]] += scale * dy[n], in the order of n for each row of the table.
  virtual void scatter_add(const Tensor& dy, const Ids& ids, float scale, const Tensor& dtable) = 0;
  // Y[i] = x[rows[i]].
  virtual void gather_rows(const Tensor& x, const Ids& rows, const Tensor& y) = 0;
  // Copies row i of x [N, W] to row slots[i] of the pages [rows, W], for any element type common to
  // all. Slots are distinct.
  virtual void scatter_rows(const Tensor& x, const Ids& slots, std::span<const Tensor> pages) = 0;

  // --- softmax -----------------------------------------------------------------------------------
  // Rows of scale * x; y may be x.
  virtual void softmax(const Tensor& x, float scale, const Tensor& y) = 0;
  virtual void log_softmax(const Tensor& x, const Tensor& y) = 0;  // rows; y may be x
  virtual void softmax_backward(const Tensor& y, const Tensor& dy, float scale,
                                const Tensor& dx) = 0;  // dx may be dy
  // x: the input of log_softmax()
  virtual void log_softmax_backward(const Tensor& x, const Tensor& dy, const Tensor& dx) = 0;
  // Label-smoothed cross-entropy (Szegedy et al. 2016): for each row of logits [N, V] with target
  // t,
  //   loss = -(1-s) log p[t] - s/V sum_v log p[v].
  // Writes losses [N] and nll [N] = -log p[t], and replaces logits by gradient_scale *
  // dloss/dlogits (leaves them if gradient_scale is 0).
  virtual void cross_entropy(const Tensor& logits, const Ids& targets, float label_smoothing,
                             float gradient_scale, const Tensor& losses, const Tensor& nll) = 0;

  // --- attention (Vaswani et al. 2017, eq. 1) ----------------------------------------------------
  // -> out [N, H*Dv]. log_sum_exp [N, H] is saved for the backward pass, or undefined. weights:
  // undefined, or f32 with a [Tq, Tk] block for each sequence and head: the weights before dropout.
  virtual void attention(const AttentionOperands& x, const AttentionLayout& layout,
                         const Tensor& out, const Tensor& log_sum_exp, const Tensor& weights) = 0;
  // Writes the gradients. No two query sequences see the same key sequence; rows of keys that none
  // sees are not written.
  virtual void attention_backward(const AttentionOperands& x, const AttentionLayout& layout,
                                  const Tensor& out, const Tensor& log_sum_exp, const Tensor& dout,
                                  const AttentionGradients& gradients) = 0;
  // One query per row: q [R, H*Dh] -> out [R, H*Dv].
  virtual void attention_cached(const Tensor& q, const KeyRows& keys, const CachedLayout& layout,
                                const Tensor& out) = 0;
  // The same numbers as a matrix, those in 8 bits times their scales: y [M, H*Dh] f32 receives
  // those of every key, which begin at element `begin` of its row.
  virtual void gather_keys(const KeyRows& keys, std::int64_t begin, int heads, const Tensor& y) = 0;

  // y[i] = c x[i] - s x[i + W/2],  y[i + W/2] = c x[i + W/2] + s x[i]. x, y [N, columns and more];
  // other columns are copied. y may be x.
  virtual void rotate(const Tensor& x, const Rotation& rotation, const Tensor& y) = 0;

  // --- optimizer ---------------------------------------------------------------------------------
  // One Adam step (Kingma & Ba 2015) over flat buffers [P]. All are updated in place except the
  // gradient, which is first multiplied by gradient_scale.
  virtual void adam(const AdamStep& step, const DeviceScalar& gradient_scale,
                    const Tensor& gradient, const Tensor& parameter, const Tensor& mean,
                    const Tensor& variance) = 0;

  // --- decoding ----------------------------------------------------------------------------------
  // The k largest elements of each row of log softmax(x), largest first, ties to the lower index.
  // values [R, k] f32, indices [R, k] i32.
  virtual void log_softmax_top_k(const Tensor& x, int k, const Tensor& values,
                                 const Tensor& indices) = 0;

  // --- several of the above in one ---------------------------------------------------------------
  // Optional: by default one after the other (composed_kernels.cpp).
  // The fused sublayer connection: sum = x + dropout(branch), then y = layer_norm(sum). sum [N, D]
  // is saved for the backward pass.
  virtual void residual_layer_norm(const Tensor& x, const Tensor& branch, const Dropout& dropout,
                                   const Tensor& gamma, const Tensor& beta, float epsilon,
                                   const Tensor& sum, const Tensor& y, const Tensor& mean,
                                   const Tensor& rstd);
  // R-Drop (Liang et al. 2021): two predictions a, b [N, V] of the same targets are trained to
  // agree. With their cross-entropies,
  //   loss = (loss of a + loss of b) / 2 + divergence/4 (KL(a || b) + KL(b || a)),
  //   nll = (nll of a + nll of b) / 2.
  // Writes losses [N] and nll [N], and replaces a and b by gradients like cross_entropy().
  // Logits must be finite.
  virtual void paired_cross_entropy(const Tensor& a, const Tensor& b, const Ids& targets,
                                    const PairedLoss& options, const Tensor& losses,
                                    const Tensor& nll);
  // log_softmax_top_k() of the logits of x [R, D], without storing them all.
  virtual void projected_top_k(const Tensor& x, const OutputProjection& output, int k,
                               const Tensor& values, const Tensor& indices);
};

Backend& reference_backend();
Backend& fast_backend();

// A device at work on one call, `backend()->add(a, b, y)`: while it lives, which is to the end of
// the full expression, kernels may use the memory of the device.
class [[nodiscard]] KernelCall {
 public:
  // `memory`: null for host memory.
  KernelCall(Backend& backend, Memory* memory) : backend_(backend), memory_(memory) {
    if (memory_ != nullptr) memory_->begin_kernel();
  }
  ~KernelCall() {
    if (memory_ != nullptr) memory_->end_kernel();
  }
  KernelCall(const KernelCall&) = delete;
  KernelCall& operator=(const KernelCall&) = delete;

  Backend* operator->() const { return &backend_; }
  Backend& operator*() const { return backend_; }

 private:
  Backend& backend_;
  Memory* memory_;
};

// The backend of the calling thread: that of its current runtime (core/threads/runtime.h). By
// default it is the fast one, or the reference if the environment has ATTEND_BACKEND=reference
// (read once).
KernelCall backend();

}  // namespace attend
