// Filters text for training: reads lines or pairs, drops those that break a rule, and counts them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "attend/core/advance.h"
#include "attend/data/filter/options.h"
#include "attend/data/filter/reader.h"
#include "attend/data/filter/writer.h"

namespace attend {

// Judges what the other rules leave, with a model.
class PairScorer {
 public:
  struct Verdict {
    std::optional<FilterRule> broken;
    float score = 0;  // for keep_best: higher is better
  };

  virtual ~PairScorer() = default;
  // The rules that are on, in the order in which they are applied.
  virtual std::vector<FilterRule> rules() const = 0;
  // One verdict for each pair, independent of the other pairs.
  virtual std::vector<Verdict> judge(std::span<const TextPair* const> pairs) const = 0;
};

// A pair counts for the first rule that drops it: pairs == kept + the sum of all counts.
struct FilterReport {
  struct Count {
    FilterRule rule;
    std::int64_t dropped = 0;
    std::string first = {};  // its position, "in.en:17"
  };

  bool in_pairs = true;
  std::int64_t pairs = 0;  // or lines
  std::int64_t kept = 0;
  std::vector<Count> rules;  // all that are on, in the order in which they are applied

  // What the rules against duplicates remember.
  struct Seen {
    FilterRule rule;
    std::int64_t lines = 0;
    std::int64_t bytes = 0;
    double collision_probability = 0;  // that any different lines count as equal
  };
  std::vector<Seen> seen;
  std::optional<float> least_score;  // of what keep_best keeps
};

struct FilterTask {
  PairFiles in;
  FilteredFiles out;
  FilterOptions options;
};

// Reads the text once, in bounded memory: some thousand pairs, the hashes of SeenLines, and what
// the scorer needs. With keep_best below 1 it reads the text twice, which must be files, and keeps
// a byte for every pair and 4 for each that is scored; of equal scores the first ones stay.
//
// Works on all threads; the result does not depend on their number. `scorer` may be null. `advance`
// counts pairs. Throws ConfigError for options that do not fit, and as PairReader, PairWriter and
// SeenLines do; then no file is written.
FilterReport filter_text(const FilterTask& task, const PairScorer* scorer = nullptr,
                         const Advance& advance = {});

}  // namespace attend
