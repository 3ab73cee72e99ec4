// Queries of a step beside the keys and values of their caches, for attention_cached.cpp.
//
// Queries with the same keys, such as the hypotheses of one sentence, are computed together: each
// key is then read, and converted, once. The sums of a query do not depend on the others.
#if defined(ATTEND_BACKEND_FAST_ATTENTION_CACHED_KEYS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_ATTENTION_CACHED_KEYS_INL_H
#undef ATTEND_BACKEND_FAST_ATTENTION_CACHED_KEYS_INL_H
#else
#define ATTEND_BACKEND_FAST_ATTENTION_CACHED_KEYS_INL_H
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "attend/backend/fast/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// Rows of several queries, `stride` elements apart.
template <class T>
struct QueryRows {
  T* first = nullptr;
  std::ptrdiff_t stride = 0;

  HWY_INLINE T* row(std::size_t query) const {
    return first + static_cast<std::ptrdiff_t>(query) * stride;
  }
  HWY_INLINE QueryRows from(std::size_t query, std::ptrdiff_t element = 0) const {
    return {row(query) + element, stride};
  }
};

// Queries that are computed together: what fits into the registers.
#if HWY_ARCH_ARM || (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3)
constexpr std::size_t kQueryTile = 5;
#else
constexpr std::size_t kQueryTile = 2;
#endif

// Calls tile(first, constant) for `queries` queries in tiles of a constant number.
template <class Tile>
HWY_INLINE void for_query_tiles(std::size_t queries, const Tile& tile) {
  std::size_t n = 0;
  if constexpr (kQueryTile == 5) {
    for (; n + 5 <= queries; n += 5) tile(n, std::integral_constant<std::size_t, 5>());
    for (; n + 4 <= queries; n += 4) tile(n, std::integral_constant<std::size_t, 4>());
  }
  for (; n + 2 <= queries; n += 2) tile(n, std::integral_constant<std::size_t, 2>());
  for (; n < queries; ++n) tile(n, std::integral_constant<std::size_t, 1>());
}

// The first `count` elements of a key or a value, other lanes zero; a whole vector if count is 0.
HWY_INLINE FloatVector numbers_at(const float* from, std::size_t count) {
  return count == 0 ? hn::LoadU(Floats(), from) : load_part(Floats(), from, count);
}
HWY_INLINE FloatVector numbers_at(const std::int8_t* from, std::size_t count) {
  const hn::Rebind<std::int8_t, Floats> bytes;
  const auto convert = [](auto part) HWY_ATTR {
    return hn::ConvertTo(Floats(), hn::PromoteTo(hn::RebindToSigned<Floats>(), part));
  };
  if (count == 0) return convert(hn::LoadU(bytes, from));
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN std::int8_t part[hn::MaxLanes(Floats())] = {};
  for (std::size_t i = 0; i < count; ++i) part[i] = from[i];
  return convert(hn::LoadU(bytes, part));
#else
  return convert(hn::MaskedLoad(hn::FirstN(bytes, count), bytes, from));
#endif
}

// 8-bit elements are followed by their scale, one per head (cpu/quantized_weights.h).
template <class T>
constexpr bool kHasScales = sizeof(T) == 1;

// Stored elements for a head of `width`.
template <class T>
HWY_INLINE std::ptrdiff_t head_elements(std::size_t width) {
  return static_cast<std::ptrdiff_t>(kHasScales<T> ? width + sizeof(float) : width);
}

// The key or value at offset `shift` of a row.
template <class T>
HWY_INLINE const T* row_at(const void* row, std::ptrdiff_t shift) {
  return static_cast<const T*>(row) + shift;
}

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE void sums_of_four(const FloatVector* vectors, float* sums) {
  for (std::size_t i = 0; i < 4; ++i) sums[i] = hn::GetLane(vectors[i]);
}
#else
// sums[i] = the sum of the lanes of vectors[i]. Four together take fewer instructions than one by
// one.
HWY_INLINE void sums_of_four(const FloatVector* vectors, float* sums) {
  const Floats d;
  const hn::Repartition<std::uint64_t, Floats> pairs;
  const hn::FixedTag<float, 4> four;
  const auto fold = [d](auto a, auto b) HWY_ATTR {
    return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  };
  const auto ab = hn::BitCast(pairs, fold(vectors[0], vectors[1])),
             cd = hn::BitCast(pairs, fold(vectors[2], vectors[3]));
  const auto blocks = hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, ab, cd)),
                              hn::BitCast(d, hn::InterleaveUpper(pairs, ab, cd)));
#if HWY_MAX_BYTES >= 64
  const hn::Half<Floats> half;
  const hn::Half<decltype(half)> quarter;
  const auto two = hn::Add(hn::LowerHalf(half, blocks), hn::UpperHalf(half, blocks));
  hn::StoreU(hn::Add(hn::LowerHalf(quarter, two), hn::UpperHalf(quarter, two)), four, sums);
#elif HWY_MAX_BYTES >= 32
  const hn::Half<Floats> half;
  hn::StoreU(hn::Add(hn::LowerHalf(half, blocks), hn::UpperHalf(half, blocks)), four, sums);
#else
  hn::StoreU(blocks, four, sums);
#endif
}
#endif

// The scales at byte offset `shift` of `count` keys.
HWY_INLINE void read_scales(const void* const* keys, std::ptrdiff_t shift, std::size_t count,
                            float* scales) {
  for (std::size_t j = 0; j < count; ++j)
    __builtin_memcpy(scales + j, row_at<std::int8_t>(keys[j], shift), sizeof(float));
}

// numbers[n][j] *= the scale at byte offset `shift` of keys[j], for all queries n.
HWY_INLINE void multiply_scales(const void* const* keys, std::ptrdiff_t shift, std::size_t count,
                                QueryRows<float> numbers, std::size_t queries) {
  constexpr std::size_t kAtOnce = 64;
  HWY_ALIGN float scales[kAtOnce];
  for (std::size_t j = 0; j < count; j += kAtOnce) {
    const std::size_t some = HWY_MIN(kAtOnce, count - j);
    read_scales(keys + j, shift, some, scales);
    for (std::size_t n = 0; n < queries; ++n) {
      float* const row = numbers.row(n) + j;
      map_rows(row, scales, row, some,
               [](auto x, auto scale) HWY_ATTR { return hn::Mul(x, scale); });
    }
  }
}

// total[n][g] += the products of `count` elements; a whole vector if count is 0.
template <class T, std::size_t kQueries>
HWY_INLINE void add_products(QueryRows<const float> q, const void* const* keys,
                             std::ptrdiff_t shift, std::size_t count, FloatVector (*total)[4]) {
  FloatVector key[4];
#pragma GCC unroll 4
  for (std::size_t g = 0; g < 4; ++g) key[g] = numbers_at(row_at<T>(keys[g], shift), count);
#pragma GCC unroll 5
  for (std::size_t n = 0; n < kQueries; ++n) {
    const auto x = numbers_at(q.row(n), count);
#pragma GCC unroll 4
    for (std::size_t g = 0; g < 4; ++g) total[n][g] = hn::MulAdd(x, key[g], total[n][g]);
  }
}

// scores[n][g] = q[n] . keys[g] for four keys of `width` elements at offset `shift`.
template <class T, std::size_t kQueries>
HWY_INLINE void cached_scores(QueryRows<const float> q, const void* const* keys,
                              std::ptrdiff_t shift, std::size_t width, QueryRows<float> scores) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  FloatVector total[kQueries][4];
#pragma GCC unroll 5
  for (std::size_t n = 0; n < kQueries; ++n) {
#pragma GCC unroll 4
    for (std::size_t g = 0; g < 4; ++g) total[n][g] = hn::Zero(d);
  }
  std::size_t i = 0;
  for (; i + lanes <= width; i += lanes)
    add_products<T, kQueries>(q.from(0, static_cast<std::ptrdiff_t>(i)), keys,
                              shift + static_cast<std::ptrdiff_t>(i), 0, total);
  if (i < width)
    add_products<T, kQueries>(q.from(0, static_cast<std::ptrdiff_t>(i)), keys,
                              shift + static_cast<std::ptrdiff_t>(i), width - i, total);
#pragma GCC unroll 5
  for (std::size_t n = 0; n < kQueries; ++n) sums_of_four(total[n], scores.row(n));
}

// out[n] = sum_j weights[n][j] values[j] for `count` values, added to the old out unless they are
// the first; kVectors vectors, the last of which has `last` elements, or all if that is 0.
template <class T, std::size_t kQueries, std::size_t kVectors>
HWY_INLINE void cached_values(QueryRows<float> weights, const void* const* keys,
                              std::ptrdiff_t shift, std::size_t count, bool first, std::size_t last,
                              QueryRows<float> out) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const auto part = [last](std::size_t v) HWY_ATTR { return v + 1 < kVectors ? 0 : last; };
  FloatVector total[kQueries][kVectors];
#pragma GCC unroll 5
  for (std::size_t n = 0; n < kQueries; ++n) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v)
      total[n][v] = first ? hn::Zero(d) : numbers_at(out.row(n) + v * lanes, part(v));
  }
  for (std::size_t j = 0; j < count; ++j) {
    const T* value = row_at<T>(keys[j], shift);
    FloatVector numbers[kVectors];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) numbers[v] = numbers_at(value + v * lanes, part(v));
#pragma GCC unroll 5
    for (std::size_t n = 0; n < kQueries; ++n) {
      const auto weight = hn::Set(d, weights.row(n)[j]);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v)
        total[n][v] = hn::MulAdd(weight, numbers[v], total[n][v]);
    }
  }
#pragma GCC unroll 5
  for (std::size_t n = 0; n < kQueries; ++n) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) {
      float* const to = out.row(n) + v * lanes;
      if (part(v) == 0) {
        hn::StoreU(total[n][v], d, to);
      } else {
        store_part(total[n][v], d, to, last);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
