// The texts that translation metrics compare: a hypothesis per line, and the same line of every
// reference file.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/metrics.h"

namespace attend {

// Throws ConfigError when there are no lines or no references, or a reference has another number of
// lines than the hypotheses; DataError, naming the line, when one is not UTF-8 or (unless
// `allow_subwords`) still carries marks of subword segmentation: "@@" at the end of a word, or
// U+2581. Scores of such text are not scores of the translation.
void check_segments(std::span<const std::string> hypotheses, const References& references,
                    bool allow_subwords);

// How many segments a thread takes at a time.
inline constexpr std::int64_t kSegmentsPerTask = 64;

// What a metric counted in each segment, so that the score of any set of segments is a function of
// the sum of their rows.
struct SegmentCounts {
  std::int64_t width = 0;
  std::vector<std::int64_t> values;  // [segments, width]

  std::int64_t segments() const {
    return width == 0 ? 0 : static_cast<std::int64_t>(values.size()) / width;
  }
  std::span<const std::int64_t> row(std::int64_t segment) const;
  std::vector<std::int64_t> sum() const;
};

// The score of summed counts, of `width` numbers.
using ScoreFunction = std::function<double(std::span<const std::int64_t>)>;

}  // namespace attend
