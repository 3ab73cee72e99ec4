// The arguments of kernels: choices of operations, and layouts of operands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "attend/backend/precision.h"
#include "attend/core/random/random.h"
#include "attend/tensor/ids.h"
#include "attend/tensor/tensor.h"

namespace attend {

enum class Activation {
  none,
  relu,
  gelu,  // the exact one, x Phi(x) (Hendrycks & Gimpel 2016)
  tanh,
  swish,      // x sigma(x), also called SiLU
  gelu_tanh,  // x sigma(2 sqrt(2/pi) (x + 0.044715 x^3)): GPT-2's approximation of gelu by a tanh
  quick_gelu  // x sigma(1.702 x)
};

// Whether the derivative follows from the value. Other activations need their input.
constexpr bool slope_is_of_value(Activation activation) {
  return activation == Activation::none || activation == Activation::relu;
}

// The fast matmul() and sum_rows() sum blocks of this many terms in order. Splitting a sum at a
// multiple of it, and adding the second part with beta 1, gives the same bits.
constexpr std::int64_t kSumBlock = 256;

// Block sizes for long inputs that keep one kernel's output in cache for the next. Results do not
// depend on them, except for weight gradients, whose sums are split at loss_rows and kSumBlock.
struct BlockSizes {
  std::int64_t product_rows;  // rows at which a GEMM reaches full speed
  std::int64_t loss_rows;  // rows of logits [., V] per block of a loss; a multiple of 2 kSumBlock
  std::int64_t decoding_rows;  // rows of logits [., V] per block of decoding
  std::int64_t inner_numbers;  // elements of the inner activations of a feed-forward network
};

// c = op(a) op(b) + beta c, where op(x) is x or its transpose.
struct MatmulOptions {
  bool transpose_a = false;
  bool transpose_b = false;
  float beta = 0.0f;  // 0 ignores the old c
  Precision precision = Precision::f32;
};

// y = activation(x W^T + bias)
struct LinearOptions {
  Activation activation = Activation::none;
  Precision precision = Precision::f32;  // for plain f32 weights, neither packed nor in 8 bits
};

// Zeroes each element with probability p and scales the others by 1/(1-p) (Srivastava et al. 2014).
// Element (row, column) of a matrix is kept if key.bits16(row, column) >= threshold(). The mask is
// recomputed in the backward pass, never stored.
struct Dropout {
  float p = 0.0f;  // 0: keep everything
  RandomKey key;

  std::uint32_t threshold() const { return static_cast<std::uint32_t>(p * 65536.0f + 0.5f); }
  float scale() const { return 65536.0f / static_cast<float>(65536u - threshold()); }
};

// Biases of attention scores by head and distance, which is the position of the key minus that of
// the query: row R + distance of a table [2R+1, H]. Larger distances count as R.
struct DistanceBias {
  Tensor table;  // or undefined: none

  bool defined() const { return table.defined(); }
  std::int64_t reach() const { return table.rows() / 2; }  // R
  std::int64_t row(std::int64_t distance) const {
    return std::clamp(distance, -reach(), reach()) + reach();
  }
};

// Which keys each query may see, for a ragged batch of B sequences, and how. Sequence b has the
// query rows [query_offsets[b], query_offsets[b+1]) and the key rows [key_offsets[b],
// key_offsets[b+1]).
struct AttentionLayout {
  Ids query_offsets;  // B+1
  Ids key_offsets;    // B+1, or one more than the key sequences
  // Query sequence b sees key sequence key_sequence[b] instead of b: hypotheses that share a
  // source. Undefined: b.
  Ids key_sequence = {};
  // Query i of its sequence (of Tq) sees keys 0 .. i + (Tk - Tq): with Tq == Tk the usual lower
  // triangle.
  bool causal = false;
  // Added to the scores before the softmax, or undefined: one row-major [Tq, Tk] block per
  // sequence, shared by the heads. -infinity masks a key. A query without visible keys gets zero
  // weights and a zero output.
  Tensor bias = {};
  int heads = 1;
  float scale = 1.0f;  // of the scores: 1/sqrt(Dh) or another inverse temperature
  // On the weights; mask element (query_row * heads + head, key index within the sequence).
  Dropout dropout = {};
  // The operands of the products have it, forward and backward. bf16 is used where it is faster: in
  // long sequences, on processors that have it.
  Precision precision = Precision::f32;
  // Query i sees keys fewer than this many positions away from key i + (Tk - Tq); 0: at any
  // distance.
  std::int64_t window = 0;
  // A scaled score s becomes cap tanh(s / cap), before biases are added; 0: it stays as it is. Only
  // kernels that take queries and keys read it.
  float cap = 0.0f;
};

// What attention reads.
struct AttentionOperands {
  Tensor q, k, v;                   // [N, H*Dh], [M, H*Dh], [M, H*Dv]
  DistanceBias distance_bias = {};  // query i of Tq is at the position of key i + (Tk - Tq)
};

// Where the gradients of the operands are written.
struct AttentionGradients {
  Tensor q, k, v;
  Tensor distance_bias = {};  // [2R+1, H], or undefined: not computed
};

// A row in one of several pages of a key/value cache.
struct CacheSlot {
  std::int32_t page = 0;
  std::int32_t row = 0;

  bool operator==(const CacheSlot&) const = default;
};

// Page and row of each slot, interleaved, as kernels take them.
Ids slot_ids(std::span<const CacheSlot> slots);

// The keys of R queries in incremental decoding: M page rows, grouped by query, and the offset of
// each query's group.
struct KeyRows {
  // [rows, W], all f32 or all i8: quantize_groups(), one group per head.
  std::span<const Tensor> pages;
  Ids slots;    // 2M: page and row of each key, from slot_ids()
  Ids offsets;  // R+1

  std::int64_t size() const { return slots.size() / 2; }  // M
  DType dtype() const { return pages.empty() ? DType::f32 : pages.front().dtype(); }
};

// The output projection of a model, x W^T + b.  weight [V, D], possibly packed or in 8 bits; bias
// [V] or undefined.
struct OutputProjection {
  Tensor weight;
  Tensor bias;
};

// The layout of queries and of cached keys and values.
struct CachedLayout {
  std::int64_t value_distance = 0;  // elements from the start of a key to the start of its value
  int heads = 1;                    // H, of queries
  int key_heads = 1;                // of keys and values: each is seen by H / key_heads heads
  float scale = 1.0f;               // of the scores
  DistanceBias distance_bias = {};  // the query is at the position of its last key
  float cap = 0.0f;                 // as in AttentionLayout
};

// Positions as angles (Su et al. 2021). Each group of W columns is W/2 pairs (i, i + W/2).
struct Rotation {
  std::int64_t columns = 0;  // that are rotated, the first ones; a multiple of W
  Tensor angles;             // [P, W]: W/2 cosines and W/2 sines per position
  Ids position;              // N, of each row
  bool back = false;         // by the negative angles
};

struct PairedLoss {
  float label_smoothing = 0.0f;
  float divergence = 0.0f;      // weight of the KL terms
  float gradient_scale = 0.0f;  // 0: compute no gradients
};

struct AdamStep {
  float learning_rate = 0.0f;
  float beta1 = 0.9f;
  float beta2 = 0.98f;
  float epsilon = 1e-9f;
  float weight_decay = 0.0f;  // decoupled (AdamW): p -= learning_rate * weight_decay * p
  std::int64_t step = 1;      // from 1, for bias correction
};

}  // namespace attend
