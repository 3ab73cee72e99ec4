// The input of translation metrics: one hypothesis per line, and the same line of every reference
// file.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/metrics.h"

namespace attend {

// Throws ConfigError if there are no lines or no references, or if a reference has a different
// number of lines than the hypotheses. Throws DataError, naming the line, for text that is not
// UTF-8 or (unless `allow_subwords`) contains subword markers: "@@" at the end of a word, or
// U+2581. Scores of such text are not scores of the translation.
void check_segments(std::span<const std::string> hypotheses, const References& references,
                    bool allow_subwords);

// Segments per parallel task.
inline constexpr std::int64_t kSegmentsPerTask = 64;

// The counts of each segment. The score of any set of segments is a function of their sum.
struct SegmentCounts {
  std::int64_t width = 0;
  std::vector<std::int64_t> values;  // [segments, width]

  std::int64_t segments() const {
    return width == 0 ? 0 : static_cast<std::int64_t>(values.size()) / width;
  }
  std::span<const std::int64_t> row(std::int64_t segment) const;
  std::vector<std::int64_t> sum() const;
};

// The score of `width` summed counts.
using ScoreFunction = std::function<double(std::span<const std::int64_t>)>;

}  // namespace attend
