// Kernels that the Transformer of "Attention is all you need" does not have: other attention,
// recurrence, pooling, and what decoding and training may add. A device may leave them out: by
// default they are plain loops (optional/), like those of the reference backend. backend.h has the
// conventions.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "attend/backend/kernel_arguments.h"

namespace attend {

// How the T vectors of a sequence become one: per-column maximum, mean, the first or the last
// vector, their sum divided by the square root of T, or their mean with the weights 1, 2, ..., T.
enum class Pooling { max, mean, first, last, mean_sqrt, weighted_mean };

// The share of vector t (from 0) of T in a pooling that is a sum; 0 in the others.
inline float pooling_share(Pooling pooling, std::int64_t t, std::int64_t length) {
  const auto count = static_cast<double>(length);
  if (pooling == Pooling::mean) return 1.0f / static_cast<float>(length);
  if (pooling == Pooling::mean_sqrt) return static_cast<float>(1.0 / std::sqrt(count));
  if (pooling == Pooling::weighted_mean)
    return static_cast<float>(2.0 * static_cast<double>(t + 1) / (count * (count + 1.0)));
  return 0.0f;
}

// The sampling distribution: temperature, then top-k and top-p.
struct TokenFilter {
  float temperature = 1.0f;  // log-probabilities are divided by it
  int top_k = 0;             // among the k most likely; 0: all
  // Among the most likely tokens that together have this probability (Holtzman et al. 2020)
  float top_p = 1.0f;
};

// A continuous cache (Grave et al. 2017) of M states, each with the token that followed it. Row r
// of the scores sees the last `window` of the first seen + r states.
struct TokenCache {
  Ids tokens;  // M
  std::int64_t seen = 0;
  std::int64_t window = 0;
  float scale = 1.0f;   // of the scores, before the softmax
  float weight = 0.0f;  // of the cache in the mixture, below 1
};

// Codes of 8 bits with a scale for each block of numbers.
enum class BlockCode { signed_numbers, positive_numbers };
inline constexpr std::int64_t kBlockOfCodes = 256;

class OptionalKernels {
 public:
  virtual ~OptionalKernels() = default;

  // --- attention in parts: scores -> weights -> sums ---------------------------------------------
  // `pairs` holds a [Tq, Tk] block for each sequence and head, like the weights of attention(). The
  // layout's dropout is ignored, and its bias, causal and scale apply only where stated. beta is 0
  // (ignores the old values) or 1.
  // pairs[i, j] = a[i] . b[j].  a [N, H*Dh], b [M, H*Dh].
  virtual void attention_scores(const Tensor& a, const Tensor& b, const AttentionLayout& layout,
                                const Tensor& pairs);
  // y[i] = sum_j pairs[i, j] b[j] + beta y[i].  b [M, H*Dh], y [N, H*Dh]. A pair of 0 skips its b,
  // even NaN or infinity.
  virtual void apply_attention(const Tensor& pairs, const Tensor& b, const AttentionLayout& layout,
                               float beta, const Tensor& y);
  // y[j] = sum_i pairs[i, j] a[i] + beta y[j].  a [N, H*Dh], y [M, H*Dh]. Rows outside every
  // sequence are not written.
  virtual void apply_attention_transposed(const Tensor& pairs, const Tensor& a,
                                          const AttentionLayout& layout, float beta,
                                          const Tensor& y);
  // Rows of softmax(scale * scores + bias) over the keys visible to each query; all other weights
  // are 0.
  virtual void pair_softmax(const Tensor& scores, const AttentionLayout& layout,
                            const Tensor& weights);
  // dscores = scale * weights * (dweights - sum_j weights dweights)
  virtual void pair_softmax_backward(const Tensor& weights, const Tensor& dweights,
                                     const AttentionLayout& layout, const Tensor& dscores);
  // 1 for the largest scale * scores + bias (in f32) among the keys visible to a query, the first
  // of equal ones, and 0 for the others. A NaN among them makes the whole row NaN.
  virtual void attention_argmax(const Tensor& scores, const AttentionLayout& layout,
                                const Tensor& weights);
  // scores[i, j] = v . tanh(q[i] + k[j]) (Bahdanau et al. 2015).  q [N, H*Dh], k [M, H*Dh], v
  // [H*Dh].
  virtual void additive_scores(const Tensor& q, const Tensor& k, const Tensor& v,
                               const AttentionLayout& layout, const Tensor& scores);
  // Writes dq and dv [N, H*Dh], one row of dv per query; dk = its gradient + beta dk.
  virtual void additive_scores_backward(const Tensor& q, const Tensor& k, const Tensor& v,
                                        const AttentionLayout& layout, const Tensor& dscores,
                                        const Tensor& dq, const Tensor& dv, float beta,
                                        const Tensor& dk);

  // --- recurrence --------------------------------------------------------------------------------
  // One step of a gated recurrent unit (Cho et al. 2014), with PyTorch's equations and gate order:
  //   r = sigma(x_r + s_r),  z = sigma(x_z + s_z),  n = tanh(x_n + r s_n),  y = (1 - z) n + z h.
  // x (from the input) and s (from the state) [R, 3H], h and y [R, H]. gates [R, 3H] receives r, z,
  // n, or is undefined.
  virtual void gru_cell(const Tensor& x, const Tensor& s, const Tensor& h, const Tensor& y,
                        const Tensor& gates);
  // dx, ds [R, 3H] and dh [R, H] are written.
  virtual void gru_cell_backward(const Tensor& gates, const Tensor& s, const Tensor& h,
                                 const Tensor& dy, const Tensor& dx, const Tensor& ds,
                                 const Tensor& dh);

  // The states of simple recurrent units (Kim et al. 2019) in S sequences, rows offsets[s] ..
  // offsets[s+1]:  f = sigma(g),  c_t = f_t c_{t-1} + (1 - f_t) z_t.  z, g, c [N, D]; before [S, D]
  // holds the states before the sequences, or is undefined for zeros. f [N, D] receives the gates,
  // or is undefined.
  virtual void ssru(const Tensor& z, const Tensor& g, const Ids& offsets, const Tensor& before,
                    const Tensor& c, const Tensor& f);
  // From zero states; dz, dg [N, D] are written.
  virtual void ssru_backward(const Tensor& z, const Tensor& f, const Ids& offsets, const Tensor& c,
                             const Tensor& dc, const Tensor& dz, const Tensor& dg);

  // --- pooling over time -------------------------------------------------------------------------
  // Row y[b] pools rows offsets[b] .. offsets[b+1] of x; no sequence is empty. x [N, D], offsets
  // B+1, y [B, D]. For max: the first of equal elements counts, and NaN is larger than all others;
  // rows [B, D] i32 receives the row of x that holds each element of y, or is undefined without a
  // backward pass.
  virtual void pool(Pooling pooling, const Tensor& x, const Ids& offsets, const Tensor& y,
                    const Tensor& rows);
  // Writes dx [N, D]. rows: as written by pool(), for max.
  virtual void pool_backward(Pooling pooling, const Tensor& dy, const Ids& offsets,
                             const Tensor& rows, const Tensor& dx);

  // --- columns of rows ---------------------------------------------------------------------------
  // `columns` names W columns for each of the R rows of x, row-major; -1 names none.
  // y[r, i] = x[r, columns[r, i]], or `absent` for -1. y [R, W].
  virtual void gather_columns(const Tensor& x, const Ids& columns, float absent, const Tensor& y);
  // x[r, columns[r, i]] = value.
  virtual void fill_columns(const Tensor& x, const Ids& columns, float value);
  // x[r, columns[r, i]] += values[r, i], in the order of i. values [R, W].
  virtual void add_to_columns(const Tensor& x, const Ids& columns, const Tensor& values);
  // Divides positive elements by `penalty` and multiplies the others with it. Columns of a row are
  // distinct.
  virtual void penalize_columns(const Tensor& x, const Ids& columns, float penalty);
  // Y[n] = a[n] . b[n].  a, b [N, D], y [N, 1].
  virtual void dot_rows(const Tensor& a, const Tensor& b, const Tensor& y);
  // y[n] = factors[n] x[n] + beta y[n].  factors [N, 1], x and y (may be x) [N, D]; 0 ignores y.
  virtual void scale_rows(const Tensor& factors, const Tensor& x, float beta, const Tensor& y);

  // --- decoding ----------------------------------------------------------------------------------
  // y = log((1/M) sum_m exp(members[m])), element by element, for M >= 1 members: the mean of
  // probabilities. Equal elements keep their bits, -infinity too. y may be a member.
  virtual void log_mean_exp(std::span<const Tensor> members, const Tensor& y);
  // Draws a column from each row of log-probabilities [R, V], using uniform [R] in [0, 1): columns
  // [R] i32. Equal columns are ordered by index. -1 if the largest element of a row is not finite.
  virtual void sample(const Tensor& log_probabilities, const TokenFilter& filter,
                      const Tensor& uniform, const Tensor& columns);
  // Mixes a model with a cache: replaces log p by log((1 - weight) p + weight q), where q is
  // softmax(scale * scores[r]) over the states visible to row r, summed over the states followed by
  // the token. log_probabilities is [R] for `targets`, or [R, V] for all tokens without targets.
  // Rows that see no state are unchanged. Overwrites scores [R, M].
  virtual void mix_with_cache(const Tensor& scores, const TokenCache& cache, const Ids& targets,
                              const Tensor& log_probabilities);

  // --- optimizer states in 8 bits ----------------------------------------------------------------
  // x [P] f32 as codes [P] u8 and a scale for each block of kBlockOfCodes numbers [ceil(P /
  // block)], the largest magnitude of the block in units of a code. Rounds up or down at random, so
  // that the mean is x; position i of block b draws bits16(b, i) of the key. Positive numbers of
  // BlockCode::positive_numbers, all >= 0, stay positive. A block with a number that is not finite
  // gets the scale NaN. optional/block_codes.h has the codes.
  virtual void quantize_blocks(const Tensor& x, BlockCode kind, RandomKey key, const Tensor& codes,
                               const Tensor& scales);
  // x: what the codes stand for.
  virtual void dequantize_blocks(const Tensor& codes, const Tensor& scales, BlockCode kind,
                                 const Tensor& x);
};

}  // namespace attend
