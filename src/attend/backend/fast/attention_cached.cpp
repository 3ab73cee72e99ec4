#include <cassert>

#include "attend/backend/fast/attention_work.h"
#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/runs.h"
#include "attend/core/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/attention_cached.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/exp-inl.h"
#include "attend/backend/fast/row_reduction-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

constexpr std::size_t kCachedGroup = 4;  // keys that are read side by side

// scores[g] = scale q . keys[g] for a group of keys; `width` floats each.
template <std::size_t kKeys>
HWY_INLINE void cached_scores(const float* q, const float* const* keys, std::ptrdiff_t shift, std::size_t width, float scale,
                              float* scores) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<Floats> total[kKeys];
  for (std::size_t g = 0; g < kKeys; ++g) total[g] = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= width; i += lanes) {
    const auto x = hn::LoadU(d, q + i);
    for (std::size_t g = 0; g < kKeys; ++g) total[g] = hn::MulAdd(x, hn::LoadU(d, keys[g] + shift + i), total[g]);
  }
  if (i < width) {
    const auto x = load_part(d, q + i, width - i);
    for (std::size_t g = 0; g < kKeys; ++g) total[g] = hn::MulAdd(x, load_part(d, keys[g] + shift + i, width - i), total[g]);
  }
  for (std::size_t g = 0; g < kKeys; ++g) scores[g] = scale * hn::GetLane(hn::SumOfLanes(d, total[g]));
}

// out += sum_g weights[g] * values[g] for a group of values; `width` floats each.
template <std::size_t kKeys>
HWY_INLINE void cached_values(const float* weights, const float* const* keys, std::ptrdiff_t shift, std::size_t width, float* out) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<Floats> weight[kKeys];
  for (std::size_t g = 0; g < kKeys; ++g) weight[g] = hn::Set(d, weights[g]);
  std::size_t i = 0;
  for (; i + lanes <= width; i += lanes) {
    auto total = hn::LoadU(d, out + i);
    for (std::size_t g = 0; g < kKeys; ++g) total = hn::MulAdd(weight[g], hn::LoadU(d, keys[g] + shift + i), total);
    hn::StoreU(total, d, out + i);
  }
  if (i == width) return;
  auto total = load_part(d, out + i, width - i);
  for (std::size_t g = 0; g < kKeys; ++g) total = hn::MulAdd(weight[g], load_part(d, keys[g] + shift + i, width - i), total);
  store_part(total, d, out + i, width - i);
}

// In place; scores of -infinity alone become zeros.
HWY_INLINE void cached_softmax(float* scores, std::size_t count) {
  const float max = row_max(scores, count);
  const auto shift = hn::Set(Floats(), max == -__builtin_inff() ? 0.0f : max);
  map_row(scores, scores, count, [shift](auto s) HWY_ATTR { return exp_of(Floats(), hn::Sub(s, shift)); });
  const float sum = row_sum(scores, count, [](auto e) HWY_ATTR { return e; });
  const auto factor = hn::Set(Floats(), sum == 0.0f ? 0.0f : 1.0f / sum);
  map_row(scores, scores, count, [factor](auto e) HWY_ATTR { return hn::Mul(e, factor); });
}

// One query row, some of its heads: first all keys, then all values, each read once, the heads of a key together.
void attention_cached_row(const CachedQuery& query, std::size_t head_begin, std::size_t head_end, float* scores) {
  const std::size_t count = query.count;
  const std::size_t width = query.width;
  const std::size_t value_width = query.value_width;
  std::size_t j = 0;
  for (; j + kCachedGroup <= count; j += kCachedGroup) {
    for (std::size_t h = head_begin; h < head_end; ++h) {
      cached_scores<kCachedGroup>(query.q + h * width, query.keys + j, h * width, width, query.scale,
                                  scores + (h - head_begin) * count + j);
    }
  }
  for (; j < count; ++j) {
    for (std::size_t h = head_begin; h < head_end; ++h) {
      cached_scores<1>(query.q + h * width, query.keys + j, h * width, width, query.scale, scores + (h - head_begin) * count + j);
    }
  }

  for (std::size_t h = head_begin; h < head_end; ++h) cached_softmax(scores + (h - head_begin) * count, count);

  for (std::size_t i = head_begin * value_width; i < head_end * value_width; ++i) query.out[i] = 0.0f;
  for (j = 0; j + kCachedGroup <= count; j += kCachedGroup) {
    for (std::size_t h = head_begin; h < head_end; ++h) {
      cached_values<kCachedGroup>(scores + (h - head_begin) * count + j, query.keys + j, query.value_distance + h * value_width,
                                  value_width, query.out + h * value_width);
    }
  }
  for (; j < count; ++j) {
    for (std::size_t h = head_begin; h < head_end; ++h) {
      cached_values<1>(scores + (h - head_begin) * count + j, query.keys + j, query.value_distance + h * value_width, value_width,
                       query.out + h * value_width);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend {

HWY_EXPORT(attention_cached_row);

void FastBackend::attention_cached(const Tensor& q, std::span<const float* const> keys, std::span<const std::int32_t> offsets,
                                   std::int64_t value_distance, int heads, float scale, const Tensor& out) {
  assert(q.rows() == out.rows() && static_cast<std::int64_t>(offsets.size()) == q.rows() + 1);
  const auto head_count = static_cast<std::size_t>(heads);
  const std::int64_t rows = q.rows();
  // Few rows: a row is shared by several threads, each with some of the heads.
  const std::int64_t parts =
      rows >= threads() ? 1 : std::min<std::int64_t>(heads, (threads() + rows - 1) / std::max<std::int64_t>(1, rows));
  const std::int64_t floats = static_cast<std::int64_t>(keys.size()) * (q.cols() + out.cols());
  const std::int64_t grain = rows == 0 ? 1 : 4 * kGrain * rows * parts / std::max<std::int64_t>(1, floats);
  parallel_for(rows * parts, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t r = item / parts;
      const auto part = static_cast<std::size_t>(item % parts);
      const auto row = static_cast<std::size_t>(r);
      CachedQuery query;
      query.q = q.row(r);
      query.keys = keys.data() + offsets[row];
      query.count = static_cast<std::size_t>(offsets[row + 1] - offsets[row]);
      query.value_distance = static_cast<std::ptrdiff_t>(value_distance);
      query.width = static_cast<std::size_t>(q.cols()) / head_count;
      query.value_width = static_cast<std::size_t>(out.cols()) / head_count;
      query.scale = scale;
      query.out = out.row(r);
      const std::size_t head_begin = head_count * part / static_cast<std::size_t>(parts);
      const std::size_t head_end = head_count * (part + 1) / static_cast<std::size_t>(parts);
      float* scores = attention_scratch((head_end - head_begin) * query.count);
      HWY_DYNAMIC_DISPATCH(attention_cached_row)(query, head_begin, head_end, scores);
    }
  });
}

}  // namespace attend
#endif
