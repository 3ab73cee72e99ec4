// Biases by distance in the tiles of scores, compiled once per instruction set.
//
// The distance of a query and a key is the same along a diagonal of a sequence's scores: query i of
// Tq and key j of Tk lie on diagonal i + Tk - 1 - j, whose distance is Tq - 1 - diagonal. A row of
// a transposed tile, one key and all queries, is a run of diagonals, so adding the biases to it is
// one contiguous addition, and so is summing the gradients of its scores by distance.
#if defined(ATTEND_BACKEND_FAST_DISTANCE_BIAS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_DISTANCE_BIAS_INL_H
#undef ATTEND_BACKEND_FAST_DISTANCE_BIAS_INL_H
#else
#define ATTEND_BACKEND_FAST_DISTANCE_BIAS_INL_H
#endif

#include "attend/backend/fast/attention/attention_scores-inl.h"
#include "attend/backend/fast/attention/attention_work.h"
#include "attend/backend/fast/attention/distance_bias.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// The diagonal of the first query of the tile and its key `row`.
HWY_INLINE std::ptrdiff_t first_diagonal(const AttentionTile& tile, const AttentionUnit& unit,
                                         std::ptrdiff_t row) {
  return tile.query_begin + unit.keys - 1 - (tile.key_begin + row);
}

// The first vector of a row with a query that sees the key.
HWY_INLINE std::ptrdiff_t first_vector(const AttentionTile& tile, std::ptrdiff_t row) {
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(Floats()));
  return tile.first_to_see(row) / lanes * lanes;
}

// biases [diagonal_floats(unit)]: from load_diagonals().
HWY_INLINE void add_diagonals(const AttentionTile& tile, const AttentionUnit& unit,
                              const float* biases, float* scores) {
  const Floats d;
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
  for (std::ptrdiff_t j = 0; j < tile.keys(); ++j) {
    const float* from = biases + first_diagonal(tile, unit, j);
    float* to = scores + j * tile.stride;
    for (std::ptrdiff_t n = first_vector(tile, j); n < tile.stride; n += lanes)
      hn::StoreU(hn::Add(hn::LoadU(d, to + n), hn::LoadU(d, from + n)), d, to + n);
  }
}

// Adds the gradients of the tile's scores to the sums [diagonal_floats(unit)] of their diagonals.
HWY_INLINE void sum_diagonals(const AttentionTile& tile, const AttentionUnit& unit,
                              const float* dscores, float* sums) {
  const Floats d;
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
  for (std::ptrdiff_t j = 0; j < tile.keys(); ++j) {
    const float* from = dscores + j * tile.stride;
    float* to = sums + first_diagonal(tile, unit, j);
    for (std::ptrdiff_t n = first_vector(tile, j); n < tile.stride; n += lanes)
      hn::StoreU(hn::Add(hn::LoadU(d, to + n), hn::LoadU(d, from + n)), d, to + n);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
