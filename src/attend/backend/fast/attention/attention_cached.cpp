#include <algorithm>
#include <cassert>
#include <cstring>
#include <vector>

#include "attend/backend/fast/attention/attention_work.h"
#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/rows/runs.h"
#include "attend/backend/ids_span.h"
#include "attend/core/threads/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/attention/attention_cached.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/attention/cached_keys-inl.h"
#include "attend/backend/fast/attention/score_cap-inl.h"
#include "attend/backend/fast/exp-inl.h"
#include "attend/backend/fast/rows/row_reduction-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

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

// Scales and caps the scores of all keys of one head and query, and adds their biases.
HWY_INLINE void finish_scores(const CachedQueries& queries, std::size_t count, std::size_t head,
                              float* scores) {
  const auto factor = hn::Set(Floats(), queries.scale);
  map_row(scores, scores, count, [factor](auto s) HWY_ATTR { return hn::Mul(factor, s); });
  if (queries.cap > 0.0f) {
    const auto most = hn::Set(Floats(), queries.cap),
               inverse = hn::Set(Floats(), 1.0f / queries.cap);
    map_row(scores, scores, count, [most, inverse](auto s) HWY_ATTR {
      return hn::Mul(most, exact_tanh(hn::Mul(inverse, s)));
    });
  }
  if (queries.distance_bias.data == nullptr) return;
  for (std::size_t j = 0; j < count; ++j) {
    const std::size_t behind = HWY_MIN(count - 1 - j, queries.reach);
    scores[j] += *queries.distance_bias.at(static_cast<std::ptrdiff_t>(queries.reach - behind),
                                           static_cast<std::ptrdiff_t>(head));
  }
}

// Queries [first, first + count) of a call, and the keys [begin, end) that all of them see.
struct SharedKeys {
  std::size_t first = 0;
  std::size_t count = 1;
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The scores of shared keys for one head. Overwrites up to three scores after them.
template <class T>
HWY_INLINE void cached_head_scores(const CachedQueries& queries, std::size_t head,
                                   const SharedKeys& shared, QueryRows<float> scores) {
  const std::ptrdiff_t shift =
      static_cast<std::ptrdiff_t>(head / queries.group) * head_elements<T>(queries.width);
  const QueryRows<const float> q{queries.q + head * queries.width, queries.q_stride};
  const void* const* const keys = queries.keys_of(shared.first);
  const auto four = [&](const void* const* of, std::size_t j) HWY_ATTR {
    for_query_tiles(shared.count, [&](std::size_t n, auto tile) HWY_ATTR {
      cached_scores<T, tile()>(q.from(shared.first + n), of, shift, queries.width,
                               scores.from(shared.first + n, static_cast<std::ptrdiff_t>(j)));
    });
  };
  std::size_t j = shared.begin;
  for (; j + 4 <= shared.end; j += 4) four(keys + j, j);
  if (j < shared.end) {
    const void* last[4];  // the last key stands in for missing ones
    for (std::size_t g = 0; g < 4; ++g) last[g] = keys[HWY_MIN(j + g, shared.end - 1)];
    four(last, j);
  }
  if (kHasScales<T>)
    multiply_scales(keys + shared.begin, shift + static_cast<std::ptrdiff_t>(queries.width),
                    shared.end - shared.begin,
                    scores.from(shared.first, static_cast<std::ptrdiff_t>(shared.begin)),
                    shared.count);
}

// Adds the values of shared keys to the outputs of one head. Consumes their weights.
template <class T>
HWY_INLINE void cached_head_values(const CachedQueries& queries, std::size_t head,
                                   const SharedKeys& shared, QueryRows<float> weights) {
  const std::size_t lanes = hn::Lanes(Floats()), width = queries.value_width,
                    count = shared.end - shared.begin;
  const bool first = shared.begin == 0;
  const void* const* const keys = queries.keys_of(shared.first) + shared.begin;
  const QueryRows<float> of_keys =
      weights.from(shared.first, static_cast<std::ptrdiff_t>(shared.begin));
  const QueryRows<float> out =
      QueryRows<float>{queries.out + head * width, queries.out_stride}.from(shared.first);
  const std::ptrdiff_t shift =
      queries.value_distance +
      static_cast<std::ptrdiff_t>(head / queries.group) * head_elements<T>(width);
  if (kHasScales<T>)
    multiply_scales(keys, shift + static_cast<std::ptrdiff_t>(width), count, of_keys, shared.count);
  std::size_t i = 0;
  const auto vectors = [&](auto number) HWY_ATTR {
    const auto at = static_cast<std::ptrdiff_t>(i);
    const std::size_t last = i + number() * lanes <= width ? 0 : (width - i) % lanes;
    for_query_tiles(shared.count, [&](std::size_t n, auto tile) HWY_ATTR {
      cached_values<T, tile(), number()>(of_keys.from(n), keys, shift + at, count, first, last,
                                         out.from(n, at));
    });
    i += number() * lanes;
  };
  while (i + 3 * lanes < width) vectors(std::integral_constant<std::size_t, 4>());
  if (i + lanes < width) vectors(std::integral_constant<std::size_t, 2>());
  if (i < width) vectors(std::integral_constant<std::size_t, 1>());
}

// Calls run(shared) for the keys that all queries see, and for the rest of each query, in blocks
// that stay in the L1 cache while all heads use them.
template <class Run>
HWY_INLINE void for_key_blocks(const CachedQueries& queries, std::size_t heads, const Run& run) {
  constexpr std::size_t kFloats = 4096;
  const std::size_t widest = HWY_MAX(queries.width, queries.value_width);
  const std::size_t keys = HWY_MAX(1, kFloats / (4 * heads * widest)) * 4;
  for (std::size_t j = 0; j < queries.shared; j += keys)
    run(SharedKeys{0, queries.queries, j, HWY_MIN(queries.shared, j + keys)});
  for (std::size_t n = 0; n < queries.queries; ++n) {
    for (std::size_t j = queries.shared; j < queries.counts[n]; j += keys)
      run(SharedKeys{n, 1, j, HWY_MIN(queries.counts[n], j + keys)});
  }
}

// Some heads of the queries: keys, then values. `scores` has room for queries.scores_stride() per
// query and head.
template <class T>
HWY_INLINE void cached_queries(const CachedQueries& queries, std::size_t head_begin,
                               std::size_t head_end, float* scores) {
  const std::size_t heads = head_end - head_begin;
  const auto stride = static_cast<std::ptrdiff_t>(queries.scores_stride());
  const auto of_head = [&](std::size_t h) {
    return QueryRows<float>{scores + static_cast<std::ptrdiff_t>(h) * stride,
                            static_cast<std::ptrdiff_t>(heads) * stride};
  };
  for_key_blocks(queries, heads, [&](const SharedKeys& shared) HWY_ATTR {
    for (std::size_t h = 0; h < heads; ++h)
      cached_head_scores<T>(queries, head_begin + h, shared, of_head(h));
  });
  const bool finish = queries.distance_bias.data != nullptr || queries.cap > 0.0f;
  for (std::size_t n = 0; n < queries.queries; ++n) {
    const std::size_t count = queries.counts[n];
    for (std::size_t h = 0; h < heads; ++h) {
      float* const row = of_head(h).row(n);
      if (finish) finish_scores(queries, count, head_begin + h, row);
      cached_softmax(row, finish ? 1.0f : queries.scale, count);
    }
    float* const out = queries.out + static_cast<std::ptrdiff_t>(n) * queries.out_stride;
    if (count == 0) {
      for (std::size_t i = head_begin * queries.value_width; i < head_end * queries.value_width;
           ++i)
        out[i] = 0.0f;
    }
  }
  for_key_blocks(queries, heads, [&](const SharedKeys& shared) HWY_ATTR {
    for (std::size_t h = 0; h < heads; ++h)
      cached_head_values<T>(queries, head_begin + h, shared, of_head(h));
  });
}

void attention_cached_queries(const CachedQueries& queries, std::size_t head_begin,
                              std::size_t head_end, float* scores) {
  if (queries.in_bytes) {
    cached_queries<std::int8_t>(queries, head_begin, head_end, scores);
  } else {
    cached_queries<float>(queries, head_begin, head_end, scores);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend {

HWY_EXPORT(attention_cached_queries);

namespace {

// The memory of a page.
struct PageRows {
  const std::byte* first = nullptr;
  std::ptrdiff_t stride = 0;  // bytes
};

std::vector<PageRows> rows_of_pages(std::span<const Tensor> pages) {
  std::vector<PageRows> rows;
  rows.reserve(pages.size());
  for (const Tensor& page : pages) rows.push_back({page.bytes(), page.row_bytes(1) - page.bytes()});
  return rows;
}

const std::byte* key_at(const std::vector<PageRows>& pages, CacheSlot slot) {
  const PageRows& rows = pages[static_cast<std::size_t>(slot.page)];
  return rows.first + slot.row * rows.stride;
}

// Queries [row, row + count) whose first `shared` keys are the same: the hypotheses of a sentence,
// or the tokens of a prompt.
struct RowGroup {
  std::size_t count = 1;
  std::size_t shared = 0;
};

// The group that begins with a row. Fewer than four keys, or less than half of what the queries so
// far share, are not worth another one.
RowGroup group_at(std::size_t row, std::size_t end, const SlotSpan& slots,
                  std::span<const std::int32_t> offsets) {
  const auto begin_of = [&](std::size_t r) { return static_cast<std::size_t>(offsets[r]); };
  const std::size_t first = begin_of(row);
  RowGroup group{1, begin_of(row + 1) - first};
  while (group.count < kMostQueries && row + group.count < end) {
    const std::size_t next = begin_of(row + group.count),
                      length = begin_of(row + group.count + 1) - next;
    std::size_t common = 0;
    while (common < std::min(group.shared, length) && slots[first + common] == slots[next + common])
      ++common;
    common = common / 4 * 4 + (common == group.shared && common == length ? common % 4 : 0);
    if (common < 4 || 2 * common < group.shared) break;
    group.shared = common;
    ++group.count;
  }
  return group;
}

// What all queries of a call have in common.
CachedQueries describe_queries(const Tensor& q, const KeyRows& keys, const CachedLayout& layout,
                               const Tensor& out) {
  const auto heads = static_cast<std::size_t>(layout.heads);
  CachedQueries queries;
  queries.q_stride = rows_of(q).stride;
  queries.out_stride = rows_of(out).stride;
  queries.in_bytes = keys.dtype() == DType::i8;
  queries.value_distance = static_cast<std::ptrdiff_t>(layout.value_distance);
  queries.group = heads / static_cast<std::size_t>(layout.key_heads);
  queries.width = static_cast<std::size_t>(q.cols()) / heads;
  queries.value_width = static_cast<std::size_t>(out.cols()) / heads;
  queries.scale = layout.scale;
  queries.cap = layout.cap;
  if (layout.distance_bias.defined()) {
    queries.distance_bias = rows_of(layout.distance_bias.table);
    queries.reach = static_cast<std::size_t>(layout.distance_bias.reach());
  }
  return queries;
}

}  // namespace

void FastBackend::attention_cached(const Tensor& q, const KeyRows& keys, const CachedLayout& layout,
                                   const Tensor& out) {
  assert(q.rows() == out.rows() && keys.offsets.size() == q.rows() + 1);
  const SlotSpan slots(keys.slots);
  const auto offsets = device_span(keys.offsets);
  const auto heads = static_cast<std::size_t>(layout.heads);
  const std::vector<PageRows> pages = rows_of_pages(keys.pages);
  const std::int64_t rows = q.rows();
  // With few rows, several threads share a row, each with some of the heads.
  const std::int64_t parts =
      rows >= threads() ? 1
                        : std::min<std::int64_t>(layout.heads, (threads() + rows - 1) /
                                                                   std::max<std::int64_t>(1, rows));
  const std::int64_t floats = slots.size() * (q.cols() + out.cols());
  const std::int64_t grain =
      rows == 0 ? 1 : 4 * kGrain * rows * parts / std::max<std::int64_t>(1, floats);
  const CachedQueries call = describe_queries(q, keys, layout, out);
  // Consecutive rows with some of their heads.
  const auto attend = [&](std::size_t row, const RowGroup& group, std::size_t part) {
    CachedQueries queries = call;
    queries.q = q.row(static_cast<std::int64_t>(row));
    queries.out = out.row(static_cast<std::int64_t>(row));
    queries.queries = group.count;
    queries.shared = group.count > 1 ? group.shared : 0;
    for (std::size_t n = 0; n < group.count; ++n) {
      queries.counts[n] = static_cast<std::size_t>(offsets[row + n + 1] - offsets[row + n]);
      queries.longest = std::max(queries.longest, queries.counts[n]);
    }
    const std::size_t all = static_cast<std::size_t>(parts);
    const std::size_t head_begin = heads * part / all, head_end = heads * (part + 1) / all;
    // Scores, followed by the pointers to the keys.
    constexpr std::size_t kPointer = sizeof(void*) / sizeof(float);
    const std::size_t score_count = group.count * (head_end - head_begin) * queries.scores_stride();
    float* scores = attention_scratch(score_count + group.count * queries.longest * kPointer);
    const void** pointers = reinterpret_cast<const void**>(scores + score_count);
    queries.keys = pointers;
    for (std::size_t n = 0; n < group.count; ++n) {
      const auto first = static_cast<std::size_t>(offsets[row + n]);
      for (std::size_t j = n == 0 ? 0 : queries.shared; j < queries.counts[n]; ++j)
        pointers[n * queries.longest + j] = key_at(pages, slots[first + j]);
    }
    HWY_DYNAMIC_DISPATCH(attention_cached_queries)(queries, head_begin, head_end, scores);
  };
  parallel_for(rows * parts, grain, [&](std::int64_t begin, std::int64_t end) {
    for (auto item = static_cast<std::size_t>(begin); item < static_cast<std::size_t>(end);) {
      const auto all = static_cast<std::size_t>(parts);
      const RowGroup group =
          parts > 1 ? RowGroup{} : group_at(item, static_cast<std::size_t>(end), slots, offsets);
      attend(item / all, group, item % all);
      item += group.count;
    }
  });
}

void FastBackend::gather_keys(const KeyRows& keys, std::int64_t begin, int heads, const Tensor& y) {
  const SlotSpan slots(keys.slots);
  assert(y.rows() == slots.size());
  const auto width = static_cast<std::size_t>(y.cols() / heads);
  const auto head_count = static_cast<std::size_t>(heads);
  const std::vector<PageRows> pages = rows_of_pages(keys.pages);
  const bool in_bytes = keys.dtype() == DType::i8;
  parallel_for(y.rows(), row_grain(y.cols()), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::byte* key = key_at(pages, slots[static_cast<std::size_t>(i)]);
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
