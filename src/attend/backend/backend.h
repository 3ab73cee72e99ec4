// The kernels of a device: some 60 functions on tensors that already exist, behind one interface.
// The only layer that knows what a CPU is.
//
// Two implementations are always built. `reference_backend()` is plain loops: the oracle of the
// tests, and what sanitizers run. `fast_backend()` is written with Highway, the instruction set
// chosen at run time; why its products are not a library's: fast/gemm.h. Both give the same results
// up to rounding; the tests compare them kernel by kernel.
//
// Conventions. Shape letters: N tokens (rows of the batch), B sequences, T length, D width, H
// heads, Dh head width, V vocabulary. Tensors are f32 unless an argument says otherwise and may
// have a row stride; outputs must not overlap inputs except where "in place" is said. Shapes have
// been checked by the caller (ops/): a kernel only asserts. A kernel's result does not depend on
// the number of threads, and what a row becomes does not depend on other rows, bit for bit.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "attend/backend/precision.h"
#include "attend/core/random.h"
#include "attend/tensor/device_scalar.h"
#include "attend/tensor/ids.h"
#include "attend/tensor/tensor.h"

namespace attend {

enum class Activation { none, relu, gelu, tanh };  // gelu: the exact one, x * Phi(x)

// How the vectors of a sequence become one: the largest of every column, their mean, or the first
// of them.
enum class Pooling { max, mean, first };

// The fast matmul() and sum_rows() add up blocks of so many terms, one block after the other. A sum
// that is cut at a multiple of it, its second part added to the first with beta 1, has the bits of
// the whole.
constexpr std::int64_t kSumBlock = 256;

// How much of a long input is worked on at a time, so that what one kernel writes the next one
// still finds near. Results do not depend on it, but for the gradients of weights, whose sums it
// cuts: loss_rows and multiples of kSumBlock.
struct BlockSizes {
  std::int64_t product_rows;   // rows with which a product has its full speed
  std::int64_t loss_rows;      // rows of logits [., V] that a loss holds; a multiple of 2 kSumBlock
  std::int64_t decoding_rows;  // rows of logits [., V] that are searched
  std::int64_t inner_numbers;  // numbers of the inner width of a feed-forward network
};

// c = op(a) op(b) + beta c, where op(x) is x or its transpose.
struct MatmulOptions {
  bool transpose_a = false;
  bool transpose_b = false;
  float beta = 0.0f;  // 0 ignores what c held
  Precision precision = Precision::f32;
};

// y = activation(x W^T + bias)
struct LinearOptions {
  Activation activation = Activation::none;
  Precision precision = Precision::f32;  // of a weight in plain f32; one that is packed or in 8
                                         // bits is multiplied as it is
};

// Zeroes each element with probability p and scales the others by 1/(1-p) (Srivastava et al. 2014).
// The element (row, column) of a matrix is kept when key.bits16(row, column) >= threshold(); the
// mask is recomputed in the backward pass, never stored.
struct Dropout {
  float p = 0.0f;  // 0: keep everything
  RandomKey key;

  std::uint32_t threshold() const { return static_cast<std::uint32_t>(p * 65536.0f + 0.5f); }
  float scale() const { return 65536.0f / static_cast<float>(65536u - threshold()); }
};

// Which keys each query may see, for a ragged batch of B sequences. Sequence b owns the query rows
// [query_offsets[b], query_offsets[b+1]) and the key rows [key_begin[b], key_end[b]).
struct AttentionLayout {
  Ids query_offsets;  // B+1
  Ids key_begin;      // B
  Ids key_end;        // B
  // Query i of its sequence (of Tq) sees keys 0 .. i + (Tk - Tq): with Tq == Tk the usual lower
  // triangle.
  bool causal = false;
  // Added to the scores before the softmax, or undefined: for each sequence a [Tq, Tk] block,
  // row-major, one after the other; shared by the heads. -infinity forbids. A query that may see no
  // key gets zero weights and a zero output.
  Tensor bias;
  int heads = 1;
  float scale = 1.0f;  // of the scores: 1/sqrt(Dh), or any inverse temperature
  Dropout dropout;  // on the weights; mask element (query_row * heads + head, key index within the
                    // sequence)
};

// A row of one of several matrices, the slabs of a cache.
struct KeySlot {
  std::int32_t slab = 0;
  std::int32_t row = 0;
};

// The slab and the row of each, one after the other, as kernels take them.
Ids slot_ids(std::span<const KeySlot> slots);

// What R queries attend to when decoding: the M keys of query 0, 1, ..., each a row of a slab, and
// where those of each query begin.
struct KeyRows {
  std::span<const Tensor>
      slabs;    // [rows, W], all f32 or all i8: what quantize_groups() makes, a group for each head
  Ids slots;    // 2M: slab and row of each, slot_ids()
  Ids offsets;  // R+1

  std::int64_t size() const { return slots.size() / 2; }  // M
  DType dtype() const { return slabs.empty() ? DType::f32 : slabs.front().dtype(); }
};

struct PairedLoss {
  float label_smoothing = 0.0f;
  float divergence = 0.0f;      // weight of the disagreement
  float gradient_scale = 0.0f;  // 0: no gradients
};

// What a token is drawn from: the distribution sharpened or flattened, then cut.
struct TokenFilter {
  float temperature = 1.0f;  // log-probabilities are divided by it
  int top_k = 0;             // among the k likeliest; 0: all
  float top_p =
      1.0f;  // among the likeliest that together have this probability (Holtzman et al. 2020)
};

// A continuous cache (Grave et al. 2017) of M states, each with the token that followed it. Row r
// of the scores of queries against them sees the last `window` of the first seen + r.
struct TokenCache {
  Ids tokens;  // M
  std::int64_t seen = 0;
  std::int64_t window = 0;
  float scale = 1.0f;   // of the scores, before their softmax
  float weight = 0.0f;  // the share of the cache in the mixture, below 1
};

struct AdamStep {
  float learning_rate = 0.0f;
  float beta1 = 0.9f;
  float beta2 = 0.98f;
  float epsilon = 1e-9f;
  float weight_decay = 0.0f;  // decoupled (AdamW): p -= learning_rate * weight_decay * p
  std::int64_t step = 1;      // counted from 1, for the bias correction
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  virtual BlockSizes block_sizes() const = 0;

  // --- matrix products ---------------------------------------------------------------------------
  // op(a) [M, K], op(b) [K, N], c [M, N].
  virtual void matmul(const Tensor& a, const Tensor& b, const MatmulOptions& options,
                      const Tensor& c) = 0;
  // x [N, I], weight [O, I], bias [O] or undefined, y [N, O]. The weight may be packed or in 8 bits
  // (weights.h): in 8 bits every row of x is rounded to integers too.
  virtual void linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
                      const LinearOptions& options, const Tensor& y) = 0;

  // --- weights (weights.h) -----------------------------------------------------------------------
  // For loading and making models, not for every step: most of these allocate what they return.
  // f32 [O, I] in 8 bits. Throws ShapeError unless `weights` is a matrix, DataError when a number
  // is not finite.
  virtual Tensor quantize_weights(const Tensor& weights) = 0;
  // Between weights in 8 bits, not packed, and what a file holds of them: numbers i8 [O, I], scales
  // f32 [O].
  virtual void join_quantized(const Tensor& numbers, const Tensor& scales,
                              const Tensor& weights) = 0;
  virtual void split_quantized(const Tensor& weights, const Tensor& numbers,
                               const Tensor& scales) = 0;
  // Packed weights may be cut with slice_rows() at multiples of this many rows. 0: such weights
  // cannot be packed.
  virtual std::int64_t packed_row_block(const Tensor& weights) = 0;
  // The weights as products read them fastest. Rearranges their memory, which is then to be used
  // through the result alone. Weights that cannot be packed are returned as they are.
  virtual Tensor pack_weights(const Tensor& weights) = 0;
  // Copies of some rows, unpacked: f32 [n, I], or in 8 bits when the weights are. Throws ShapeError
  // for other elements.
  virtual Tensor select_weights(const Tensor& weights, const Ids& rows) = 0;
  // f32 [O, I]: the weights themselves when they are that, else what they stand for.
  virtual Tensor float_weights(const Tensor& weights) = 0;

  // --- element-wise ------------------------------------------------------------------------------
  virtual void add(const Tensor& a, const Tensor& b,
                   const Tensor& y) = 0;  // y = a + b; y may be a or b
  virtual void multiply(const Tensor& a, const Tensor& b,
                        const Tensor& y) = 0;  // y = a * b; y may be a or b
  virtual void axpby(float alpha, const Tensor& x, float beta,
                     const Tensor& y) = 0;  // y = alpha x + beta y; beta 0 ignores y
  virtual void convert(
      const Tensor& x,
      const Tensor& y) = 0;  // y = x, one in f32, the other in bf16: to the nearest, ties to even
  virtual void activate(Activation activation, const Tensor& x, const Tensor& y) = 0;  // y may be x
  // dx = dy * activation'(x). For relu x may be the activated value instead. dx may be dy.
  virtual void activate_backward(Activation activation, const Tensor& x, const Tensor& dy,
                                 const Tensor& dx) = 0;
  virtual void dropout(const Dropout& dropout, const Tensor& x,
                       const Tensor& y) = 0;  // y may be x; its own gradient

  // Every `width` numbers of x [N, G*width] as a row of weights in 8 bits (weights.h): y i8 [N,
  // G*(width+4)], the groups of a row one behind the other. The scale of a group with a number that
  // is not finite is NaN.
  virtual void quantize_groups(const Tensor& x, std::int64_t width, const Tensor& y) = 0;

  // --- reductions --------------------------------------------------------------------------------
  virtual void sum_rows(const Tensor& x, float beta,
                        const Tensor& y) = 0;  // y [D] = sum over rows of x [N, D] + beta y
  virtual DeviceScalar sum(const Tensor& x) = 0;
  virtual DeviceScalar sum_of_squares(const Tensor& x) = 0;

  // --- numbers that stay on the device -----------------------------------------------------------
  virtual void store(const DeviceScalar& value, double factor,
                     const Tensor& y) = 0;  // y [1] = factor * value, f32
  // y = factor alpha x + beta y; beta 0 ignores y
  virtual void scaled_add(const DeviceScalar& alpha, float factor, const Tensor& x, float beta,
                          const Tensor& y) = 0;
  // What a vector with this sum of squares is multiplied by to have the length `norm`, as a float;
  // 0 for a vector shorter than 1e-30.
  virtual DeviceScalar scale_to_norm(const DeviceScalar& squares, double norm) = 0;
  // The same for vectors that are longer; 1 for the others.
  virtual DeviceScalar clip_to_norm(const DeviceScalar& squares, double norm) = 0;

  // --- normalization (Ba et al. 2016) ------------------------------------------------------------
  // Over the last dimension: y = (x - mean) * rstd * gamma + beta. mean, rstd [N] are saved for the
  // backward pass; both undefined when there will be none.
  virtual void layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, float epsilon,
                          const Tensor& y, const Tensor& mean, const Tensor& rstd) = 0;
  // dx [N, D] is written; dgamma, dbeta [D] are added to.
  virtual void layer_norm_backward(const Tensor& x, const Tensor& gamma, const Tensor& mean,
                                   const Tensor& rstd, const Tensor& dy, const Tensor& dx,
                                   const Tensor& dgamma, const Tensor& dbeta) = 0;
  // One pass of the sublayer connection: sum = x + dropout(branch), then layer_norm(sum) -> y as
  // above. sum [N, D] is kept for the backward.
  virtual void residual_layer_norm(const Tensor& x, const Tensor& branch, const Dropout& dropout,
                                   const Tensor& gamma, const Tensor& beta, float epsilon,
                                   const Tensor& sum, const Tensor& y, const Tensor& mean,
                                   const Tensor& rstd) = 0;

  // --- lookup ------------------------------------------------------------------------------------
  // y[n] = dropout(scale * table[ids[n]] + positions[position[n]]).  positions may be undefined
  // (then so is position). y [N, D]. The table may be packed or in 8 bits.
  virtual void embed(const Tensor& table, const Ids& ids, float scale, const Tensor& positions,
                     const Ids& position, const Dropout& dropout, const Tensor& y) = 0;
  // dtable[ids[n]] += scale * dy[n], in the order of n for every row of the table.
  virtual void scatter_add(const Tensor& dy, const Ids& ids, float scale, const Tensor& dtable) = 0;
  virtual void gather_rows(const Tensor& x, const Ids& rows,
                           const Tensor& y) = 0;  // y[i] = x[rows[i]]
  // Row i of x [N, W] becomes the row slots[i] of the slabs [rows, W]; elements of any type, the
  // same in all. No slot comes twice.
  virtual void scatter_rows(const Tensor& x, const Ids& slots, std::span<const Tensor> slabs) = 0;

  // --- columns of rows ---------------------------------------------------------------------------
  // `columns` names W columns for each of the R rows of x, row after row; -1 names none.
  // y[r, i] = x[r, columns[r, i]], or `absent` where there is none. y [R, W].
  virtual void gather_columns(const Tensor& x, const Ids& columns, float absent,
                              const Tensor& y) = 0;
  virtual void fill_columns(const Tensor& x, const Ids& columns,
                            float value) = 0;  // x[r, columns[r, i]] = value
  // A number above 0 is divided by `penalty`, another multiplied with it. No column comes twice in
  // a row.
  virtual void penalize_columns(const Tensor& x, const Ids& columns, float penalty) = 0;
  virtual void dot_rows(const Tensor& a, const Tensor& b,
                        const Tensor& y) = 0;  // y[n] = a[n] . b[n].  a, b [N, D], y [N, 1]
  // y[n] = factors[n] x[n] + beta y[n].  factors [N, 1], x and y [N, D]; beta 0 ignores y.
  virtual void scale_rows(const Tensor& factors, const Tensor& x, float beta, const Tensor& y) = 0;

  // --- pooling over time -------------------------------------------------------------------------
  // A row y[b] for the rows offsets[b] .. offsets[b+1] of x, none of these sequences empty. x [N,
  // D], offsets B+1, y [B, D]. For max: of equal numbers the first counts, a NaN is the largest of
  // all; rows [B, D] i32 receives the row of x that each number of y stands in, or is undefined
  // when there will be no backward pass.
  virtual void pool(Pooling pooling, const Tensor& x, const Ids& offsets, const Tensor& y,
                    const Tensor& rows) = 0;
  // dx [N, D] is written. rows: what pool() wrote, for max.
  virtual void pool_backward(Pooling pooling, const Tensor& dy, const Ids& offsets,
                             const Tensor& rows, const Tensor& dx) = 0;

  // --- softmax -----------------------------------------------------------------------------------
  virtual void softmax(const Tensor& x, float scale,
                       const Tensor& y) = 0;                       // rows of scale * x; y may be x
  virtual void log_softmax(const Tensor& x, const Tensor& y) = 0;  // rows; y may be x
  virtual void softmax_backward(const Tensor& y, const Tensor& dy, float scale,
                                const Tensor& dx) = 0;  // dx may be dy
  virtual void log_softmax_backward(const Tensor& x, const Tensor& dy,
                                    const Tensor& dx) = 0;  // x: what log_softmax() read
  // Label-smoothed cross-entropy (Szegedy et al. 2016): for each row of logits [N, V] with target
  // t,
  //   loss = -(1-s) log p[t] - s/V sum_v log p[v].
  // Writes losses [N] and nll [N] = -log p[t], and replaces logits by gradient_scale *
  // dloss/dlogits (left alone when gradient_scale is 0).
  virtual void cross_entropy(const Tensor& logits, const Ids& targets, float label_smoothing,
                             float gradient_scale, const Tensor& losses, const Tensor& nll) = 0;
  // Of two predictions a, b [N, V] of the same targets, held to agree (R-Drop, Liang et al. 2021).
  // With their cross-entropies as above,
  //   loss = (loss of a + loss of b) / 2 + divergence/4 (KL(a || b) + KL(b || a)),   nll = (nll of
  //   a + nll of b) / 2.
  // Writes losses [N] and nll [N], and replaces a and b by gradients as above. Logits must be
  // finite.
  virtual void paired_cross_entropy(const Tensor& a, const Tensor& b, const Ids& targets,
                                    const PairedLoss& options, const Tensor& losses,
                                    const Tensor& nll) = 0;

  // --- attention (Vaswani et al. 2017, eq. 1) ----------------------------------------------------
  // q [N, H*Dh], k [M, H*Dh], v [M, H*Dv] -> out [N, H*Dv]. log_sum_exp [N, H] is saved for the
  // backward pass, or undefined. weights: undefined, or f32 with for each sequence, then each head,
  // a [Tq, Tk] block: the weights before dropout.
  virtual void attention(const Tensor& q, const Tensor& k, const Tensor& v,
                         const AttentionLayout& layout, const Tensor& out,
                         const Tensor& log_sum_exp, const Tensor& weights) = 0;
  // dq is written; dk, dv are written too (every key row of the layout belongs to exactly one
  // sequence; rows of no sequence are left alone).
  virtual void attention_backward(const Tensor& q, const Tensor& k, const Tensor& v,
                                  const AttentionLayout& layout, const Tensor& out,
                                  const Tensor& log_sum_exp, const Tensor& dout, const Tensor& dq,
                                  const Tensor& dk, const Tensor& dv) = 0;
  // One query per row, q [R, H*Dh], against the H*Dh numbers of keys; those of a key's value, H*Dv,
  // begin `value_distance` elements of the row later. out [R, H*Dv].
  virtual void attention_cached(const Tensor& q, const KeyRows& keys, std::int64_t value_distance,
                                int heads, float scale, const Tensor& out) = 0;
  // The same numbers as a matrix, those in 8 bits times their scales: y [M, H*Dh] f32 receives
  // those of every key, which begin at element `begin` of its row.
  virtual void gather_keys(const KeyRows& keys, std::int64_t begin, int heads, const Tensor& y) = 0;

  // --- attention in parts, for its variants: scores -> weights -> sums ---------------------------
  // `pairs` holds for each sequence, then each head, a [Tq, Tk] block, one after the other, as the
  // weights above do. Of the layout dropout does not count, and bias, causal and scale only where
  // it is said. beta is 0 (what was there is ignored) or 1.
  // pairs[i, j] = a[i] . b[j].  a [N, H*Dh], b [M, H*Dh].
  virtual void pair_products(const Tensor& a, const Tensor& b, const AttentionLayout& layout,
                             const Tensor& pairs) = 0;
  // y[i] = sum_j pairs[i, j] b[j] + beta y[i].  b [M, H*Dh], y [N, H*Dh]. A pair of 0 hides its b,
  // NaN and infinity too.
  virtual void pair_sums(const Tensor& pairs, const Tensor& b, const AttentionLayout& layout,
                         float beta, const Tensor& y) = 0;
  // y[j] = sum_i pairs[i, j] a[i] + beta y[j].  a [N, H*Dh], y [M, H*Dh]; rows of no sequence are
  // left alone.
  virtual void pair_sums_by_key(const Tensor& pairs, const Tensor& a, const AttentionLayout& layout,
                                float beta, const Tensor& y) = 0;
  // Rows of softmax(scale * scores + bias) over the keys that the layout lets a query see; all
  // others, and all where there is none, get 0.
  virtual void pair_softmax(const Tensor& scores, const AttentionLayout& layout,
                            const Tensor& weights) = 0;
  // dscores = scale * weights * (dweights - sum_j weights dweights)
  virtual void pair_softmax_backward(const Tensor& weights, const Tensor& dweights,
                                     const AttentionLayout& layout, const Tensor& dscores) = 0;
  // 1 for the largest of scale * scores + bias (in f32) among the keys that a query sees, the first
  // of equal ones, and 0 for the others. A NaN among them makes the whole row NaN.
  virtual void pair_arg_max(const Tensor& scores, const AttentionLayout& layout,
                            const Tensor& weights) = 0;
  // scores[i, j] = v . tanh(q[i] + k[j]) (Bahdanau et al. 2015).  q [N, H*Dh], k [M, H*Dh], v
  // [H*Dh].
  virtual void additive_scores(const Tensor& q, const Tensor& k, const Tensor& v,
                               const AttentionLayout& layout, const Tensor& scores) = 0;
  // dq, dv [N, H*Dh] are written, dv a row for each query; dk = its gradient + beta dk.
  virtual void additive_scores_backward(const Tensor& q, const Tensor& k, const Tensor& v,
                                        const AttentionLayout& layout, const Tensor& dscores,
                                        const Tensor& dq, const Tensor& dv, float beta,
                                        const Tensor& dk) = 0;

  // --- recurrence (Cho et al. 2014) --------------------------------------------------------------
  // A step of a gated recurrent unit, with PyTorch's equations and order of the gates:
  //   r = sigma(x_r + s_r),  z = sigma(x_z + s_z),  n = tanh(x_n + r s_n),  y = (1 - z) n + z h.
  // x (of the input) and s (of the state) [R, 3H], h and y [R, H]. gates [R, 3H] receives r, z, n,
  // or is undefined.
  virtual void gru_cell(const Tensor& x, const Tensor& s, const Tensor& h, const Tensor& y,
                        const Tensor& gates) = 0;
  // dx, ds [R, 3H] and dh [R, H] are written.
  virtual void gru_cell_backward(const Tensor& gates, const Tensor& s, const Tensor& h,
                                 const Tensor& dy, const Tensor& dx, const Tensor& ds,
                                 const Tensor& dh) = 0;

  // --- optimizer ---------------------------------------------------------------------------------
  // One Adam step (Kingma & Ba 2015) over flat buffers [P]. All in place but the gradient, which
  // gradient_scale multiplies first.
  virtual void adam(const AdamStep& step, const DeviceScalar& gradient_scale,
                    const Tensor& gradient, const Tensor& parameter, const Tensor& mean,
                    const Tensor& variance) = 0;

  // --- decoding ----------------------------------------------------------------------------------
  // The k largest of each row of log softmax(x), largest first, ties to the lower index. values [R,
  // k] f32, indices [R, k] i32.
  virtual void log_softmax_top_k(const Tensor& x, int k, const Tensor& values,
                                 const Tensor& indices) = 0;
  // The same of x weight^T, which is never held whole. x [R, I], weight [O, I] as linear() takes
  // it.
  virtual void projected_top_k(const Tensor& x, const Tensor& weight, int k, const Tensor& values,
                               const Tensor& indices) = 0;
  // Draws a column of each row of log-probabilities [R, V] with a number of `uniform` [R] in [0,
  // 1): columns [R] i32. Equal columns are told apart by their order. -1 where the largest of a row
  // is not finite.
  virtual void sample(const Tensor& log_probabilities, const TokenFilter& filter,
                      const Tensor& uniform, const Tensor& columns) = 0;
  // Mixes a model with a cache: replaces log p by log((1 - weight) p + weight q), where q is the
  // sum of softmax(scale * scores[r]), over the states that row r sees, for the states that were
  // followed by the token. log_probabilities [R] of `targets`; or [R, V] of all tokens, with no
  // targets. Rows that see no state keep what they have. scores [R, M] are overwritten.
  virtual void mix_with_cache(const Tensor& scores, const TokenCache& cache, const Ids& targets,
                              const Tensor& log_probabilities) = 0;
};

Backend& reference_backend();
Backend& fast_backend();

// The backend that ops use on the calling thread: that of its current runtime (core/runtime.h). A
// runtime that names none has the fast one, or the reference when the environment says
// ATTEND_BACKEND=reference, which is read once.
Backend& backend();

}  // namespace attend
