#include <algorithm>
#include <cassert>
#include <cstring>
#include <vector>

#include "attend/backend/fast/attention/attention_work.h"
#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/rows/runs.h"
#include "attend/backend/ids_span.h"
#include "attend/core/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/attention/attention_cached.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/exp-inl.h"
#include "attend/backend/fast/rows/row_reduction-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// Elements of a key or a value: a whole vector, or the first `count`.
HWY_INLINE FloatVector numbers_at(const float* from) { return hn::LoadU(Floats(), from); }
HWY_INLINE FloatVector numbers_at(const float* from, std::size_t count) {
  return load_part(Floats(), from, count);
}
HWY_INLINE FloatVector numbers_at(const std::int8_t* from) {
  const hn::Rebind<std::int8_t, Floats> bytes;
  return hn::ConvertTo(Floats(),
                       hn::PromoteTo(hn::RebindToSigned<Floats>(), hn::LoadU(bytes, from)));
}
HWY_INLINE FloatVector numbers_at(const std::int8_t* from, std::size_t count) {
  HWY_ALIGN std::int8_t part[hn::MaxLanes(Floats())] = {};
  for (std::size_t i = 0; i < count; ++i) part[i] = from[i];
  return numbers_at(part);
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

// numbers[j] *= the scale at byte offset `shift` of keys[j].
HWY_INLINE void multiply_scales(const void* const* keys, std::ptrdiff_t shift, std::size_t begin,
                                std::size_t end, float* numbers) {
  for (std::size_t j = begin; j < end; ++j) {
    float scale;
    __builtin_memcpy(&scale, row_at<std::int8_t>(keys[j], shift), sizeof scale);
    numbers[j] *= scale;
  }
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

// scores[g] = q . keys[g] for four keys of `width` elements at offset `shift`.
template <class T>
HWY_INLINE void cached_scores(const float* q, const void* const* keys, std::ptrdiff_t shift,
                              std::size_t width, float* scores) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  FloatVector total[4];
#pragma GCC unroll 4
  for (std::size_t g = 0; g < 4; ++g) total[g] = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= width; i += lanes) {
    const auto x = hn::LoadU(d, q + i);
#pragma GCC unroll 4
    for (std::size_t g = 0; g < 4; ++g)
      total[g] = hn::MulAdd(x, numbers_at(row_at<T>(keys[g], shift) + i), total[g]);
  }
  if (i < width) {
    const auto x = load_part(d, q + i, width - i);
#pragma GCC unroll 4
    for (std::size_t g = 0; g < 4; ++g)
      total[g] = hn::MulAdd(x, numbers_at(row_at<T>(keys[g], shift) + i, width - i), total[g]);
  }
  sums_of_four(total, scores);
}

// out = sum_j weights[j] values[j] for `count` values, added to the old out unless they are the
// first; kVectors vectors.
template <class T, std::size_t kVectors>
HWY_INLINE void cached_values(const float* weights, const void* const* keys, std::ptrdiff_t shift,
                              std::size_t count, bool first, float* out) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  FloatVector total[kVectors];
#pragma GCC unroll 4
  for (std::size_t v = 0; v < kVectors; ++v)
    total[v] = first ? hn::Zero(d) : hn::LoadU(d, out + v * lanes);
  for (std::size_t j = 0; j < count; ++j) {
    const auto weight = hn::Set(d, weights[j]);
    const T* value = row_at<T>(keys[j], shift);
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v)
      total[v] = hn::MulAdd(weight, numbers_at(value + v * lanes), total[v]);
  }
#pragma GCC unroll 4
  for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(total[v], d, out + v * lanes);
}

// The same for `width` floats of one vector.
template <class T>
HWY_INLINE void cached_values_part(const float* weights, const void* const* keys,
                                   std::ptrdiff_t shift, std::size_t count, bool first,
                                   std::size_t width, float* out) {
  const Floats d;
  auto total = first ? hn::Zero(d) : load_part(d, out, width);
  for (std::size_t j = 0; j < count; ++j)
    total = hn::MulAdd(hn::Set(d, weights[j]), numbers_at(row_at<T>(keys[j], shift), width), total);
  store_part(total, d, out, width);
}

// softmax(scale * scores) in place; zeros if all scores are -infinity.
HWY_INLINE void cached_softmax(float* scores, float scale, std::size_t count) {
  const Floats d;
  const auto factor = hn::Set(d, scale), lowest = hn::Set(d, -__builtin_inff());
  const auto subtrahend = [](float max) { return max == -__builtin_inff() ? 0.0f : max; };
  if (count < hn::Lanes(d)) {  // a single vector stays in its register
    const auto counts = hn::FirstN(d, count);
    const auto x = hn::IfThenElse(counts, hn::Mul(factor, load_part(d, scores, count)), lowest);
    const float max = hn::GetLane(hn::MaxOfLanes(d, x));
    const auto e = exp_of(d, hn::Sub(x, hn::Set(d, subtrahend(max))));
    const float sum = hn::GetLane(hn::SumOfLanes(d, e));
    store_part(hn::Mul(e, hn::Set(d, sum == 0.0f ? 0.0f : 1.0f / sum)), d, scores, count);
    return;
  }
  map_row(scores, scores, count, [factor](auto s) HWY_ATTR { return hn::Mul(factor, s); });
  const auto shift = hn::Set(d, subtrahend(row_max(scores, count)));
  map_row(scores, scores, count,
          [shift](auto s) HWY_ATTR { return exp_of(Floats(), hn::Sub(s, shift)); });
  const float sum = row_sum(scores, count, [](auto e) HWY_ATTR { return e; });
  const auto inverse = hn::Set(d, sum == 0.0f ? 0.0f : 1.0f / sum);
  map_row(scores, scores, count, [inverse](auto e) HWY_ATTR { return hn::Mul(e, inverse); });
}

// scores = scale * scores + bias, for all keys of one head.
HWY_INLINE void add_cached_biases(const CachedQuery& query, std::size_t head, float* scores) {
  const auto factor = hn::Set(Floats(), query.scale);
  map_row(scores, scores, query.count, [factor](auto s) HWY_ATTR { return hn::Mul(factor, s); });
  for (std::size_t j = 0; j < query.count; ++j) {
    const std::size_t behind = HWY_MIN(query.count - 1 - j, query.reach);
    scores[j] += *query.distance_bias.at(static_cast<std::ptrdiff_t>(query.reach - behind),
                                         static_cast<std::ptrdiff_t>(head));
  }
}

// The scores of the keys [begin, end) for one head. Overwrites up to three scores after them.
template <class T>
HWY_INLINE void cached_head_scores(const CachedQuery& query, std::size_t head, std::size_t begin,
                                   std::size_t end, float* scores) {
  const float* q = query.q + head * query.width;
  const std::ptrdiff_t shift =
      static_cast<std::ptrdiff_t>(head / query.group) * head_elements<T>(query.width);
  std::size_t j = begin;
  for (; j + 4 <= end; j += 4) cached_scores<T>(q, query.keys + j, shift, query.width, scores + j);
  if (j < end) {
    const void* last[4];  // the last key stands in for missing ones
    for (std::size_t g = 0; g < 4; ++g) last[g] = query.keys[HWY_MIN(j + g, end - 1)];
    cached_scores<T>(q, last, shift, query.width, scores + j);
  }
  if (kHasScales<T>)
    multiply_scales(query.keys, shift + static_cast<std::ptrdiff_t>(query.width), begin, end,
                    scores);
}

// Adds the values of the keys [begin, end) to the output of one head. Consumes their weights.
template <class T>
HWY_INLINE void cached_head_values(const CachedQuery& query, std::size_t head, std::size_t begin,
                                   std::size_t end, float* weights) {
  const std::size_t lanes = hn::Lanes(Floats()), width = query.value_width, count = end - begin;
  const bool first = begin == 0;
  const void* const* keys = query.keys + begin;
  std::ptrdiff_t shift = query.value_distance +
                         static_cast<std::ptrdiff_t>(head / query.group) * head_elements<T>(width);
  if (kHasScales<T>)
    multiply_scales(query.keys, shift + static_cast<std::ptrdiff_t>(width), begin, end, weights);
  float* out = query.out + head * width;
  std::size_t i = 0;
  const auto next = [&](std::size_t vectors) {
    i += vectors * lanes, out += vectors * lanes,
        shift += static_cast<std::ptrdiff_t>(vectors * lanes);
  };
  for (; i + 4 * lanes <= width; next(4))
    cached_values<T, 4>(weights + begin, keys, shift, count, first, out);
  if (i + 2 * lanes <= width)
    cached_values<T, 2>(weights + begin, keys, shift, count, first, out), next(2);
  if (i + lanes <= width)
    cached_values<T, 1>(weights + begin, keys, shift, count, first, out), next(1);
  if (i < width) cached_values_part<T>(weights + begin, keys, shift, count, first, width - i, out);
}

// One query row, some of its heads: keys, then values, in blocks that stay in the L1 cache while
// all heads use them. `scores` has room for query.scores_stride() per head.
template <class T>
HWY_INLINE void cached_row(const CachedQuery& query, std::size_t head_begin, std::size_t head_end,
                           float* scores) {
  constexpr std::size_t kFloats = 4096;
  const std::size_t heads = head_end - head_begin, widest = HWY_MAX(query.width, query.value_width);
  const std::size_t keys = HWY_MAX(1, kFloats / (4 * heads * widest)) * 4;
  for (std::size_t j = 0; j < query.count; j += keys) {
    const std::size_t end = HWY_MIN(query.count, j + keys);
    for (std::size_t h = 0; h < heads; ++h)
      cached_head_scores<T>(query, head_begin + h, j, end, scores + h * query.scores_stride());
  }
  for (std::size_t h = 0; h < heads; ++h) {
    float* const of_head = scores + h * query.scores_stride();
    const bool biased = query.distance_bias.data != nullptr;
    if (biased) add_cached_biases(query, head_begin + h, of_head);
    cached_softmax(of_head, biased ? 1.0f : query.scale, query.count);
  }
  if (query.count == 0) {
    for (std::size_t i = head_begin * query.value_width; i < head_end * query.value_width; ++i)
      query.out[i] = 0.0f;
  }
  for (std::size_t j = 0; j < query.count; j += keys) {
    const std::size_t end = HWY_MIN(query.count, j + keys);
    for (std::size_t h = 0; h < heads; ++h)
      cached_head_values<T>(query, head_begin + h, j, end, scores + h * query.scores_stride());
  }
}

void attention_cached_row(const CachedQuery& query, std::size_t head_begin, std::size_t head_end,
                          float* scores) {
  if (query.in_bytes) {
    cached_row<std::int8_t>(query, head_begin, head_end, scores);
  } else {
    cached_row<float>(query, head_begin, head_end, scores);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend {

HWY_EXPORT(attention_cached_row);

namespace {

// The memory of a slab.
struct SlabRows {
  const std::byte* first = nullptr;
  std::ptrdiff_t stride = 0;  // bytes
};

std::vector<SlabRows> rows_of_slabs(std::span<const Tensor> slabs) {
  std::vector<SlabRows> rows;
  rows.reserve(slabs.size());
  for (const Tensor& slab : slabs) rows.push_back({slab.bytes(), slab.row_bytes(1) - slab.bytes()});
  return rows;
}

const std::byte* key_at(const std::vector<SlabRows>& slabs, KeySlot slot) {
  const SlabRows& rows = slabs[static_cast<std::size_t>(slot.slab)];
  return rows.first + slot.row * rows.stride;
}

}  // namespace

void FastBackend::attention_cached(const Tensor& q, const KeyRows& keys, const CachedLayout& layout,
                                   const Tensor& out) {
  assert(q.rows() == out.rows() && keys.offsets.size() == q.rows() + 1);
  const int heads = layout.heads;
  const SlotSpan slots(keys.slots);
  const auto offsets = device_span(keys.offsets);
  const auto head_count = static_cast<std::size_t>(heads);
  const std::vector<SlabRows> slabs = rows_of_slabs(keys.slabs);
  const std::int64_t rows = q.rows();
  // With few rows, several threads share a row, each with some of the heads.
  const std::int64_t parts =
      rows >= threads()
          ? 1
          : std::min<std::int64_t>(heads, (threads() + rows - 1) / std::max<std::int64_t>(1, rows));
  const std::int64_t floats = slots.size() * (q.cols() + out.cols());
  const std::int64_t grain =
      rows == 0 ? 1 : 4 * kGrain * rows * parts / std::max<std::int64_t>(1, floats);
  parallel_for(rows * parts, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t r = item / parts;
      const auto part = static_cast<std::size_t>(item % parts);
      const auto row = static_cast<std::size_t>(r);
      CachedQuery query;
      query.q = q.row(r);
      query.in_bytes = keys.dtype() == DType::i8;
      query.count = static_cast<std::size_t>(offsets[row + 1] - offsets[row]);
      query.value_distance = static_cast<std::ptrdiff_t>(layout.value_distance);
      query.group = head_count / static_cast<std::size_t>(layout.key_heads);
      query.width = static_cast<std::size_t>(q.cols()) / head_count;
      query.value_width = static_cast<std::size_t>(out.cols()) / head_count;
      query.scale = layout.scale;
      if (layout.distance_bias.defined()) {
        query.distance_bias = rows_of(layout.distance_bias.table);
        query.reach = static_cast<std::size_t>(layout.distance_bias.reach());
      }
      query.out = out.row(r);
      const std::size_t head_begin = head_count * part / static_cast<std::size_t>(parts);
      const std::size_t head_end = head_count * (part + 1) / static_cast<std::size_t>(parts);
      // Scores, followed by the pointers to the keys.
      constexpr std::size_t kPointer = sizeof(void*) / sizeof(float);
      const std::size_t score_count = (head_end - head_begin) * query.scores_stride();
      float* scores = attention_scratch(score_count + query.count * kPointer);
      const void** pointers = reinterpret_cast<const void**>(scores + score_count);
      const auto first = static_cast<std::size_t>(offsets[row]);
      for (std::size_t j = 0; j < query.count; ++j) pointers[j] = key_at(slabs, slots[first + j]);
      query.keys = pointers;
      HWY_DYNAMIC_DISPATCH(attention_cached_row)(query, head_begin, head_end, scores);
    }
  });
}

void FastBackend::gather_keys(const KeyRows& keys, std::int64_t begin, int heads, const Tensor& y) {
  const SlotSpan slots(keys.slots);
  assert(y.rows() == slots.size());
  const auto width = static_cast<std::size_t>(y.cols() / heads);
  const auto head_count = static_cast<std::size_t>(heads);
  const std::vector<SlabRows> slabs = rows_of_slabs(keys.slabs);
  const bool in_bytes = keys.dtype() == DType::i8;
  parallel_for(y.rows(), row_grain(y.cols()), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::byte* key = key_at(slabs, slots[static_cast<std::size_t>(i)]);
      float* to = y.row(i);
      if (!in_bytes) {
        std::memcpy(to, key + static_cast<std::size_t>(begin) * sizeof(float),
                    head_count * width * sizeof(float));
        continue;
      }
      const auto* group = reinterpret_cast<const std::int8_t*>(key) + begin;
      for (std::size_t head = 0; head < head_count;
           ++head, group += width + sizeof(float), to += width) {
        float scale = 0.0f;
        std::memcpy(&scale, group + width, sizeof scale);
        for (std::size_t d = 0; d < width; ++d) to[d] = scale * static_cast<float>(group[d]);
      }
    }
  });
}

}  // namespace attend
#endif
