#include "attend/data/filter/duplicates.h"

#include "attend/core/options/option_fields.h"

namespace attend {

DuplicateRules::DuplicateRules(const DuplicateFilterOptions& options, bool in_pairs)
    : in_pairs_(in_pairs) {
  check_options(options);
  const std::int64_t most_bytes = std::int64_t{options.unique_memory} << 20;
  const auto add = [&](bool is_on, FilterRule rule, std::uint64_t LineHashes::*hash) {
    if (is_on) rules_.push_back({rule, hash, SeenLines(most_bytes)});
  };
  add(options.unique, FilterRule::unique, &LineHashes::pair);
  add(in_pairs && options.unique_sources, FilterRule::unique_sources, &LineHashes::src);
  add(in_pairs && options.unique_targets, FilterRule::unique_targets, &LineHashes::tgt);
}

std::vector<FilterRule> DuplicateRules::rules() const {
  std::vector<FilterRule> rules;
  for (const Rule& one : rules_) rules.push_back(one.rule);
  return rules;
}

LineHashes DuplicateRules::hashes(const TextPair& pair) const {
  LineHashes hashes;
  for (const Rule& one : rules_) {
    if (one.rule == FilterRule::unique)
      hashes.pair = in_pairs_ ? SeenLines::hash(pair.src, pair.tgt) : SeenLines::hash(pair.src);
    if (one.rule == FilterRule::unique_sources) hashes.src = SeenLines::hash(pair.src);
    if (one.rule == FilterRule::unique_targets) hashes.tgt = SeenLines::hash(pair.tgt);
  }
  return hashes;
}

// All rules are asked before any remembers: a pair that one of them drops leaves no trace in the
// others.
std::optional<FilterRule> DuplicateRules::broken_by(const LineHashes& hashes) {
  for (const Rule& one : rules_)
    if (one.seen.contains(hashes.*one.hash)) return one.rule;
  for (Rule& one : rules_) one.seen.insert(hashes.*one.hash);
  return std::nullopt;
}

std::vector<FilterReport::Seen> DuplicateRules::seen() const {
  std::vector<FilterReport::Seen> all;
  for (const Rule& one : rules_)
    all.push_back({one.rule, one.seen.lines(), one.seen.bytes(), one.seen.collision_probability()});
  return all;
}

}  // namespace attend
