// Rounds a row of activations to integers (cpu/quantized_weights.h): its scale, its integers, and
// what bytes cannot hold of them.
#if defined(ATTEND_BACKEND_FAST_QUANTIZED_ROUNDING_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_QUANTIZED_ROUNDING_INL_H
#undef ATTEND_BACKEND_FAST_QUANTIZED_ROUNDING_INL_H
#else
#define ATTEND_BACKEND_FAST_QUANTIZED_ROUNDING_INL_H
#endif

#include "attend/backend/fast/int8/quantized_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

struct RowScale {
  float scale;
  std::int32_t shift;  // 128 times the sum of the rounded row
};

// Rounds a vector to nearest even, and stores it at q. -> the integers.
HWY_INLINE hn::Vec<hn::RebindToSigned<Floats> > store_rounded(FloatVector v, std::int16_t* q) {
  const hn::Rebind<std::int16_t, Floats> narrow;
  const auto rounded = hn::NearestInt(v);
  hn::StoreU(hn::DemoteTo(narrow, rounded), narrow, q);
  return rounded;
}
// The same; of integers that do not fit, the lowest byte.
#if HWY_TARGET == HWY_AVX3
HWY_INLINE IntegerVector store_rounded(FloatVector v, std::int8_t* q) {
  const IntegerVector rounded{_mm512_cvtps_epi32(v.raw)};
  _mm_storeu_si128(reinterpret_cast<__m128i*>(q), _mm512_cvtepi32_epi8(rounded.raw));
  return rounded;
}
#else
HWY_INLINE hn::Vec<hn::RebindToSigned<Floats> > store_rounded(FloatVector v, std::int8_t* q) {
  const hn::Rebind<std::uint8_t, Floats> narrow;
  const auto rounded = hn::NearestInt(v);
  const auto bits = hn::BitCast(hn::RebindToUnsigned<Floats>(), rounded);
  hn::StoreU(hn::TruncateTo(narrow, bits), narrow, reinterpret_cast<std::uint8_t*>(q));
  return rounded;
}
#endif

// The magnitudes of floats as integers, which are ordered alike; non-finite ones are the largest.
HWY_INLINE hn::Vec<hn::RebindToSigned<Floats> > magnitude_bits(FloatVector v) {
  return hn::BitCast(hn::RebindToSigned<Floats>(), hn::Abs(v));
}

// Holds the largest magnitudes of each lane of a row.
struct LaneMaxima {
  hn::Vec<hn::RebindToSigned<Floats> > first, second;
};

HWY_INLINE LaneMaxima lane_maxima(const float* x, std::size_t depth) {
  const Floats d;
  const hn::RebindToSigned<Floats> integers;
  const std::size_t lanes = hn::Lanes(d);
  LaneMaxima maxima{hn::Zero(integers), hn::Zero(integers)};
  const auto include = [&](FloatVector v) HWY_ATTR {
    const auto bits = magnitude_bits(v);
    maxima.second = hn::Max(maxima.second, hn::Min(maxima.first, bits));
    maxima.first = hn::Max(maxima.first, bits);
  };
  std::size_t i = 0;
  for (; i + lanes <= depth; i += lanes) include(hn::LoadU(d, x + i));
  if (i < depth) include(load_part(d, x + i, depth - i));
  return maxima;
}

HWY_INLINE std::size_t count_beyond(const float* x, std::size_t depth, float bound) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const auto beyond = [&](FloatVector v) HWY_ATTR {
    return hn::CountTrue(d, hn::Gt(hn::Abs(v), hn::Set(d, bound)));
  };
  std::size_t i = 0, count = 0;
  for (; i + lanes <= depth; i += lanes) count += beyond(hn::LoadU(d, x + i));
  if (i < depth) count += beyond(load_part(d, x + i, depth - i));
  return count;
}

// `top`, halved as long as at most `outliers` elements are beyond it, and kMostHalvings times at
// most. They are counted one by one only where a lane may hold several.
HWY_INLINE float halved(const float* x, std::size_t depth, float top, const LaneMaxima& maxima,
                        std::size_t outliers) {
  const Floats d;
  const hn::RebindToSigned<Floats> integers;
  for (int i = 0; i < kMostHalvings; ++i) {
    const float bound = 0.5f * top;
    const auto bits = magnitude_bits(hn::Set(d, bound));
    if (hn::CountTrue(integers, hn::Gt(maxima.first, bits)) > outliers) break;
    if (!hn::AllFalse(integers, hn::Gt(maxima.second, bits)) &&
        count_beyond(x, depth, bound) > outliers)
      break;
    top = bound;
  }
  return top;
}

// Writes the integers of a vector that bytes do not hold. `from` is the index of its first element.
// -> one past the last written.
HWY_INLINE Outlier* write_outliers(hn::Vec<hn::RebindToSigned<Floats> > rounded, std::size_t from,
                                   Outlier* to) {
  const hn::RebindToSigned<Floats> integers;
  const auto low = hn::ShiftRight<24>(hn::ShiftLeft<24>(rounded));
  if (HWY_LIKELY(hn::AllTrue(integers, hn::Eq(rounded, low)))) return to;
  HWY_ALIGN std::int32_t values[hn::MaxLanes(integers)];
  hn::Store(hn::ShiftRight<8>(hn::Sub(rounded, low)), integers, values);
  for (std::size_t i = 0; i < hn::Lanes(integers); ++i) {
    if (values[i] != 0) *to++ = {static_cast<std::int32_t>(from + i), values[i]};
  }
  return to;
}

// Where the outliers of a row may be written, and how many.
struct RowOutliers {
  std::size_t most = 0;
  Outlier* list = nullptr;  // null: they fit into T
};

// Rounds x to integers q as cpu/quantized_weights.h says; zeros up to `stride`. -> the scale, NaN
// if x is not finite. `outliers.list` is moved to the end of those written.
template <class T>
HWY_INLINE RowScale round_numbers(const float* x, std::size_t depth, std::size_t stride, T* q,
                                  RowOutliers& outliers) {
  constexpr auto kLimit = static_cast<float>(kQuantizedActivationLimit);
  const Floats d;
  const hn::RebindToSigned<Floats> integers;
  const std::size_t lanes = hn::Lanes(d);
  const LaneMaxima maxima = lane_maxima(x, depth);
  const std::int32_t top_bits = hn::GetLane(hn::MaxOfLanes(integers, maxima.first));
  float top;
  __builtin_memcpy(&top, &top_bits, sizeof top);
  const bool finite = top <= __FLT_MAX__;
  const bool vanishes = !finite || top < kQuantizedVanishing;
  const float limit =
      vanishes || outliers.most == 0 ? top : halved(x, depth, top, maxima, outliers.most);
  const auto scale = hn::Set(d, vanishes ? 0.0f : kLimit / limit);
  const bool lists = outliers.list != nullptr && limit < top;
  auto total = hn::Zero(integers);
  const auto store = [&](FloatVector v, std::size_t at, T* to) HWY_ATTR {
    const auto rounded = store_rounded(finite ? hn::Mul(v, scale) : hn::Zero(d), to);
    total = hn::Add(total, rounded);
    if (lists) outliers.list = write_outliers(rounded, at, outliers.list);
  };
  std::size_t i = 0;
  for (; i + lanes <= depth; i += lanes) store(hn::LoadU(d, x + i), i, q + i);
  for (; i < stride; i += lanes) {
    HWY_ALIGN T last[hn::MaxLanes(d)];
    store(i < depth ? load_part(d, x + i, depth - i) : hn::Zero(d), i, last);
    __builtin_memcpy(q + i, last, HWY_MIN(stride - i, lanes) * sizeof(T));
  }
  return {finite ? limit / kLimit : __builtin_nanf(""),
          128 * hn::GetLane(hn::SumOfLanes(integers, total))};
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
