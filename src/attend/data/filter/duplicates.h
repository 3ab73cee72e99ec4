// The rules against lines and pairs that have occurred before.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "attend/data/filter/filter.h"
#include "attend/data/filter/options.h"
#include "attend/data/filter/seen_lines.h"
#include "attend/data/filter/text_pair.h"

namespace attend {

struct LineHashes {
  std::uint64_t pair = 0, src = 0, tgt = 0;
};

class DuplicateRules {
 public:
  DuplicateRules(const DuplicateFilterOptions& options, bool in_pairs);

  // The rules that are on, in the order in which they are applied.
  std::vector<FilterRule> rules() const;
  // May be called from several threads at once.
  LineHashes hashes(const TextPair& pair) const;
  // The first rule that a pair breaks; a pair that breaks none is remembered. Throws as
  // SeenLines::insert() does.
  std::optional<FilterRule> broken_by(const LineHashes& hashes);

  std::vector<FilterReport::Seen> seen() const;

 private:
  struct Rule {
    FilterRule rule;
    std::uint64_t LineHashes::*hash;
    SeenLines seen;
  };
  bool in_pairs_;
  std::vector<Rule> rules_;
};

}  // namespace attend
