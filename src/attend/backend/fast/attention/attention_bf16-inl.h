// Operands of the attention kernels as pairs of bf16 (gemm/gemm_bf16-inl.h), for processors that
// multiply two at a time.
#if defined(ATTEND_BACKEND_FAST_ATTENTION_BF16_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_ATTENTION_BF16_INL_H
#undef ATTEND_BACKEND_FAST_ATTENTION_BF16_INL_H
#else
#define ATTEND_BACKEND_FAST_ATTENTION_BF16_INL_H
#endif

#include "attend/backend/fast/attention/attention_work.h"
#include "attend/backend/fast/gemm/gemm_bf16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// Rounding fewer keys takes longer than it saves.
constexpr std::ptrdiff_t kKeysWorthRounding = 64;

// Whether the products of a unit are those of pairs. It depends on the sequence alone, not on its
// batch.
HWY_INLINE bool multiplies_pairs([[maybe_unused]] const AttentionCall& call,
                                 [[maybe_unused]] const AttentionUnit& unit) {
#if HWY_TARGET == HWY_AVX3
  return call.precision == Precision::bf16 && cpu_extensions().bf16 &&
         unit.keys >= kKeysWorthRounding;
#else
  return false;
#endif
}

// The floats that a tile of keys or values takes as pairs, of rows or of columns.
HWY_INLINE std::ptrdiff_t paired_tile_floats(const AttentionCall& call) {
  return kKeyTile * ((HWY_MAX(call.width, call.value_width) + 1) / 2);
}

// Rows that are only read.
struct ConstRows {
  const float* data;
  std::ptrdiff_t stride;

  const float* row(std::ptrdiff_t r) const { return data + r * stride; }
};

// to[r] = pairs along row r, [rows, columns / 2 rounded up]. May be in place.
HWY_INLINE void pair_columns([[maybe_unused]] const ConstRows& from,
                             [[maybe_unused]] std::ptrdiff_t rows,
                             [[maybe_unused]] std::ptrdiff_t columns,
                             [[maybe_unused]] const StridedRows& to) {
#if HWY_TARGET == HWY_AVX3
  for (std::ptrdiff_t r = 0; r < rows; ++r)
    pair_neighbors(from.row(r), static_cast<std::size_t>(columns), to.at(r, 0));
#endif
}

// to[i] = pairs of rows 2 i and 2 i + 1, [rows / 2 rounded up, columns]. May be in place.
HWY_INLINE void pair_rows([[maybe_unused]] const ConstRows& from,
                          [[maybe_unused]] std::ptrdiff_t rows,
                          [[maybe_unused]] std::ptrdiff_t columns,
                          [[maybe_unused]] const StridedRows& to) {
#if HWY_TARGET == HWY_AVX3
  for (std::ptrdiff_t i = 0; 2 * i < rows; ++i) {
    const float* even = from.row(2 * i);
    const auto count = static_cast<std::size_t>(columns);
    if (2 * i + 1 < rows) {
      map_rows(even, from.row(2 * i + 1), to.at(i, 0), count,
               [](FloatVector a, FloatVector b) HWY_ATTR { return pair_of(a, b); });
    } else {
      map_row(even, to.at(i, 0), count,
              [](FloatVector a) HWY_ATTR { return pair_of(a, hn::Zero(Floats())); });
    }
  }
#endif
}

// Makes the operands of a product pairs: those of a in `a`, which may be where they are, those of b
// in `b`.
HWY_INLINE void pair_operands(SmallProduct& p, float* a, float* b) {
  if (p.a_depth == 1) {
    pair_columns({p.a, p.a_row}, p.rows, p.depth, {a, p.a_row});
  } else {
    pair_rows({p.a, p.a_depth}, p.depth, p.rows, {a, p.a_depth});
  }
  pair_rows({p.b, p.b_row}, p.depth, p.columns, {b, p.columns});
  p.a = a;
  p.b = b;
  p.b_row = p.columns;
  p.depth = (p.depth + 1) / 2;
  p.pairs = true;
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
