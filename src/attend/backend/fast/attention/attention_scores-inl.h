// Common parts of the forward and backward attention kernels, compiled once per instruction set.
//
// Both work on tiles of transposed scores: keys are rows, queries are vector lanes. The softmax
// runs down the columns without horizontal operations, queries never mix, and one call of Philox
// draws the dropout of 8 keys for a vector of queries.
#if defined(ATTEND_BACKEND_FAST_ATTENTION_SCORES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_ATTENTION_SCORES_INL_H
#undef ATTEND_BACKEND_FAST_ATTENTION_SCORES_INL_H
#else
#define ATTEND_BACKEND_FAST_ATTENTION_SCORES_INL_H
#endif

#include "attend/backend/fast/attention/attention_bf16-inl.h"
#include "attend/backend/fast/attention/attention_work.h"
#include "attend/backend/fast/attention/score_cap-inl.h"
#include "attend/backend/fast/gemm/small_product-inl.h"
#include "attend/backend/fast/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// Scores of keys [key_begin, key_end) against queries [query_begin, query_end) of a sequence, at
// most kKeyTile by kQueryBlock. Tiles start at multiples of kKeyTile for all queries, so sums over
// keys do not depend on the partition.
struct AttentionTile {
  std::ptrdiff_t query_begin, query_end;
  std::ptrdiff_t key_begin, key_end;
  std::ptrdiff_t stride;     // floats per row of the tile: the queries rounded up to whole vectors
  std::ptrdiff_t first_key;  // where the first tile of these queries begins
  // Query i of the sequence sees keys i + behind .. i + ahead.
  std::ptrdiff_t behind, ahead;

  std::ptrdiff_t queries() const { return query_end - query_begin; }
  std::ptrdiff_t keys() const { return key_end - key_begin; }
  bool is_first() const { return key_begin == first_key; }
  // The query in column i sees key j of the tile if i + lower_diagonal <= j <= i + diagonal.
  std::ptrdiff_t diagonal() const { return query_begin + ahead - key_begin; }
  std::ptrdiff_t lower_diagonal() const { return query_begin + behind - key_begin; }
  // The keys of the tile that the query in column `column` sees: [hidden, seen).
  std::ptrdiff_t hidden(std::ptrdiff_t column) const { return within(column + lower_diagonal()); }
  std::ptrdiff_t seen(std::ptrdiff_t column) const { return within(column + 1 + diagonal()); }
  // The columns that see key `row` of the tile: [first_to_see, end_to_see). The second may be
  // before the first.
  std::ptrdiff_t first_to_see(std::ptrdiff_t row) const {
    return HWY_MAX(std::ptrdiff_t{0}, row - diagonal());
  }
  std::ptrdiff_t end_to_see(std::ptrdiff_t row) const {
    return HWY_MAX(std::ptrdiff_t{0}, row + 1 - lower_diagonal());
  }

 private:
  std::ptrdiff_t within(std::ptrdiff_t key) const {
    return HWY_MAX(std::ptrdiff_t{0}, HWY_MIN(key, keys()));
  }
};

// The queries [begin, begin + kQueryBlock) of a unit, or those left, and the keys that they see,
// from the start of a tile on.
HWY_INLINE AttentionTile block_of(const AttentionCall& call, const AttentionUnit& unit,
                                  std::ptrdiff_t begin) {
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(Floats()));
  const std::ptrdiff_t all = unit.queries + unit.keys, offset = unit.keys - unit.queries;
  const std::ptrdiff_t window = call.window > 0 ? HWY_MIN(call.window, all) : all;
  AttentionTile block;
  block.query_begin = begin;
  block.query_end = HWY_MIN(unit.query_end, begin + kQueryBlock);
  block.stride = (block.queries() + lanes - 1) / lanes * lanes;
  block.behind = offset - (window - 1);
  block.ahead = call.causal ? offset : offset + (window - 1);
  block.key_begin = 0;
  block.key_end = unit.keys;
  block.key_end = block.seen(block.queries() - 1);
  block.key_begin = block.hidden(0) / kKeyTile * kKeyTile;
  block.first_key = block.key_begin;
  return block;
}

// The lanes of the vector at column n whose queries do not see key `row` of a tile.
HWY_INLINE auto blind_lanes(const AttentionTile& tile, std::ptrdiff_t row, std::ptrdiff_t n) {
  const Floats d;
  const auto up_to = [&](std::ptrdiff_t column) HWY_ATTR {
    return hn::FirstN(d, static_cast<std::size_t>(HWY_MAX(std::ptrdiff_t{0}, column - n)));
  };
  return hn::Or(up_to(tile.first_to_see(row)), hn::Not(up_to(tile.end_to_see(row))));
}

// The keys of a tile for the vector at column n: some of its queries see [begin, end), and all see
// [inner_begin, inner_end), which may be empty.
struct SeenRows {
  std::ptrdiff_t begin, inner_begin, inner_end, end;
};

HWY_INLINE SeenRows seen_rows(const AttentionTile& tile, std::ptrdiff_t n) {
  const std::ptrdiff_t last = n + static_cast<std::ptrdiff_t>(hn::Lanes(Floats())) - 1;
  const std::ptrdiff_t begin = tile.hidden(n), end = tile.seen(last);
  const std::ptrdiff_t inner = HWY_MIN(tile.hidden(last), end);
  return {begin, inner, HWY_MAX(inner, tile.seen(n)), end};
}

// to = x^T factor of the queries of a tile, [width, stride]; if `pairs`, of pairs, [width / 2
// rounded up, stride].
HWY_INLINE void transpose_queries(const AttentionTile& tile, const StridedRows& x,
                                  std::ptrdiff_t width, float factor, bool pairs, float* to) {
  small_transpose(x, tile.queries(), width, factor, to, tile.stride);
  if (pairs) pair_rows({to, tile.stride}, width, tile.stride, {to, tile.stride});
}

// out = x y^T of the tile, keys down, queries across: x [keys, width] by rows, y from
// transpose_queries(). If y has pairs, x becomes pairs in `paired`; otherwise that is null.
HWY_INLINE void tile_product(const AttentionTile& tile, const StridedRows& x,
                             const float* y_transposed, std::ptrdiff_t width, float* paired,
                             float* out) {
  SmallProduct product{tile.keys(), tile.stride,  width,       x.data, x.stride,
                       1,           y_transposed, tile.stride, out,    tile.stride};
  if (paired != nullptr) {
    product.depth = (width + 1) / 2;
    pair_columns({x.data, x.stride}, tile.keys(), width, {paired, product.depth});
    product.a = paired;
    product.a_row = product.depth;
    product.pairs = true;
  }
  product.triangle = Triangle::scores;
  product.diagonal = tile.diagonal();
  product.lower_diagonal = tile.lower_diagonal();
  small_product(product);
}

HWY_INLINE bool hides_keys(const AttentionCall& call) {
  return call.causal || call.window > 0 || call.bias != nullptr;
}

// out = w^T x: w are weights of the tile, keys down, queries across, and x [keys, width] by rows.
HWY_INLINE SmallProduct sums_of_keys(const AttentionCall& call, const AttentionTile& tile,
                                     const float* w, const StridedRows& x, std::ptrdiff_t width,
                                     const StridedRows& out) {
  SmallProduct product{tile.queries(), width,  tile.keys(), w,        1,
                       tile.stride,    x.data, x.stride,    out.data, out.stride};
  product.zeros_hide = hides_keys(call);
  product.triangle = Triangle::queries_by_keys;
  product.diagonal = tile.diagonal();
  product.lower_diagonal = tile.lower_diagonal();
  return product;
}

// out = w x, with x [queries, width] by rows.
HWY_INLINE SmallProduct sums_of_queries(const AttentionCall& call, const AttentionTile& tile,
                                        const float* w, const StridedRows& x, std::ptrdiff_t width,
                                        const StridedRows& out) {
  SmallProduct product{tile.keys(), width,  tile.queries(), w,        tile.stride,
                       1,           x.data, x.stride,       out.data, out.stride};
  product.zeros_hide = hides_keys(call);
  product.triangle = Triangle::keys_by_queries;
  product.diagonal = tile.diagonal();
  product.lower_diagonal = tile.lower_diagonal();
  return product;
}

// t = tanh(score / cap) of all scores that a query sees: scores -> cap t, and 1 - t^2 into
// `slopes`, unless that is null.
HWY_NOINLINE inline void cap_scores(const AttentionTile& tile, float cap, float* slopes,
                                    float* scores) {
  const Floats d;
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
  const auto most = hn::Set(d, cap), inverse = hn::Set(d, 1.0f / cap);
  for (std::ptrdiff_t n = 0; n < tile.stride; n += lanes) {
    const SeenRows rows = seen_rows(tile, n);
    for (std::ptrdiff_t j = rows.begin; j < rows.end; ++j) {
      const std::ptrdiff_t at = j * tile.stride + n;
      const auto t = exact_tanh(hn::Mul(inverse, hn::LoadU(d, scores + at)));
      hn::StoreU(hn::Mul(most, t), d, scores + at);
      if (slopes != nullptr) hn::StoreU(hn::NegMulAdd(t, t, hn::Set(d, 1.0f)), d, slopes + at);
    }
  }
}

// Adds the bias [Tq, Tk] of the sequence to the scores.
HWY_INLINE void add_tile_bias(const AttentionTile& tile, const float* bias,
                              std::ptrdiff_t row_length, float* scores) {
  for (std::ptrdiff_t i = 0; i < tile.queries(); ++i) {
    const float* row = bias + (tile.query_begin + i) * row_length + tile.key_begin;
    for (std::ptrdiff_t j = 0; j < tile.keys(); ++j) scores[j * tile.stride + i] += row[j];
  }
}

#if HWY_TARGET == HWY_SCALAR

// See below.
HWY_INLINE void draw_tile_dropout(const AttentionCall& call, const AttentionUnit& unit,
                                  const AttentionTile& tile, float* factors) {
  for (std::ptrdiff_t n = 0; n < tile.stride; ++n) {
    const auto row = static_cast<std::uint32_t>(
        (unit.query_row + tile.query_begin + n) * call.heads + unit.head);
    for (std::ptrdiff_t j = tile.hidden(n) / 8 * 8; j < tile.seen(n); j += 8) {
      const auto words =
          call.drop_key.at(static_cast<std::uint32_t>((tile.key_begin + j) / 8), row);
      for (std::ptrdiff_t i = 0; i < 8; ++i) {
        const std::uint32_t bits =
            words[static_cast<std::size_t>(i / 2)] >> (16 * (i % 2)) & 0xFFFFu;
        factors[(j + i) * tile.stride + n] = bits >= call.drop_threshold ? call.drop_scale : 0.0f;
      }
    }
  }
}

#else

// A vector of Philox counters: the words of even lanes in the low halves of 64-bit lanes, as the
// widening multiplication expects; likewise the odd lanes. The high halves are arbitrary and never
// carry into the low ones.
struct PhiloxLanes {
  hn::Vec<hn::ScalableTag<std::uint32_t> > c0, c1, c2, c3;
};

HWY_INLINE void philox_rounds(const AttentionCall& call, PhiloxLanes& s) {
  const hn::ScalableTag<std::uint32_t> d;
  const auto multiplier0 = hn::Set(d, 0xD2511F53u);
  const auto multiplier1 = hn::Set(d, 0xCD9E8D57u);
  for (int round = 0; round < 10; ++round) {
    const auto a = hn::MulEven(s.c0, multiplier0);
    const auto b = hn::MulEven(s.c2, multiplier1);
    s.c0 = hn::Xor(hn::BitCast(d, hn::ShiftRight<32>(b)),
                   hn::Xor(s.c1, hn::Set(d, call.round_keys[round][0])));
    s.c2 = hn::Xor(hn::BitCast(d, hn::ShiftRight<32>(a)),
                   hn::Xor(s.c3, hn::Set(d, call.round_keys[round][1])));
    s.c1 = hn::BitCast(d, b);
    s.c3 = hn::BitCast(d, a);
  }
}

// factors[j][i] = the dropout factor of key j and query i of the tile, 0 or drop_scale, for the
// visible keys.
HWY_INLINE void draw_tile_dropout(const AttentionCall& call, const AttentionUnit& unit,
                                  const AttentionTile& tile, float* factors) {
  const Floats d;
  const hn::RebindToUnsigned<Floats> du;
  const hn::RebindToSigned<Floats> di;
  const hn::Repartition<std::uint64_t, Floats> wide;
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
  const auto scale = hn::Set(d, call.drop_scale);
  const auto last_dropped = hn::Set(di, static_cast<std::int32_t>(call.drop_threshold) - 1);
  const auto low_half = hn::Set(du, 0xFFFFu);
  const auto heads = static_cast<std::uint32_t>(call.heads);
  const auto store = [&](auto bits, float* to) HWY_ATTR {
    const auto kept = hn::Gt(hn::BitCast(di, bits), last_dropped);
    hn::StoreU(hn::IfThenElseZero(hn::RebindMask(d, kept), scale), d, to);
  };
  for (std::ptrdiff_t n = 0; n < tile.stride; n += lanes) {
    const auto first = static_cast<std::uint32_t>(unit.query_row + tile.query_begin + n) * heads +
                       static_cast<std::uint32_t>(unit.head);
    const auto rows = hn::Add(hn::Mul(hn::Iota(du, 0), hn::Set(du, heads)), hn::Set(du, first));
    const auto odd_rows = hn::BitCast(du, hn::ShiftRight<32>(hn::BitCast(wide, rows)));
    const SeenRows seen = seen_rows(tile, n);
    for (std::ptrdiff_t j = seen.begin / 8 * 8; j < seen.end; j += 8) {
      const auto block = hn::Set(du, static_cast<std::uint32_t>((tile.key_begin + j) / 8));
      const auto stream_low = hn::Set(du, static_cast<std::uint32_t>(call.drop_key.stream));
      const auto stream_high = hn::Set(du, static_cast<std::uint32_t>(call.drop_key.stream >> 32));
      PhiloxLanes even{block, rows, stream_low, stream_high};
      PhiloxLanes odd{block, odd_rows, stream_low, stream_high};
      philox_rounds(call, even);
      philox_rounds(call, odd);
      const auto store_two = [&](auto even_words, auto odd_words, std::ptrdiff_t row) HWY_ATTR {
        const auto raised = hn::BitCast(du, hn::ShiftLeft<32>(hn::BitCast(wide, odd_words)));
        const auto words = hn::OddEven(raised, even_words);
        store(hn::And(words, low_half), factors + row * tile.stride + n);
        store(hn::ShiftRight<16>(words), factors + (row + 1) * tile.stride + n);
      };
      store_two(even.c0, odd.c0, j);
      store_two(even.c1, odd.c1, j + 2);
      store_two(even.c2, odd.c2, j + 4);
      store_two(even.c3, odd.c3, j + 6);
    }
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
