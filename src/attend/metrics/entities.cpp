#include <fmt/format.h>

#include <numeric>
#include <set>

#include "attend/error.h"
#include "attend/metrics.h"

namespace attend {
namespace {

// "B-PER" is the mark B of a PER; "O" is outside.
struct EntityTag {
  char mark = 'O';
  std::string_view type;
};

EntityTag tag_of(std::string_view label) {
  if (label.empty()) return {};
  std::string_view type = label.substr(1);
  if (const std::size_t dash = type.find('-'); dash != type.npos) type.remove_prefix(dash + 1);
  return {label.front(), type.empty() ? "_" : type};
}

bool is_outside(const EntityTag& tag) { return tag.mark == 'O' || tag.mark == '.'; }

// The rules of IOB1, IOB2, IOBES and BILOU without its own letters: B and S begin an entity, E and
// S end one, and another type does both.
bool ends_before(const EntityTag& now, const EntityTag& before) {
  if (before.mark == 'E' || before.mark == 'S') return true;
  const bool open = before.mark == 'B' || before.mark == 'I';
  if (open && (now.mark == 'B' || now.mark == 'S' || now.mark == 'O')) return true;
  return !is_outside(before) && before.type != now.type;
}

bool begins_at(const EntityTag& now, const EntityTag& before) {
  if (now.mark == 'B' || now.mark == 'S') return true;
  const bool closed = before.mark == 'E' || before.mark == 'S' || before.mark == 'O';
  if (closed && (now.mark == 'E' || now.mark == 'I')) return true;
  return !is_outside(now) && before.type != now.type;
}

}  // namespace

std::vector<Entity> entities_of(std::span<const std::string> tags) {
  std::vector<Entity> found;
  EntityTag before;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= tags.size(); ++i) {
    const EntityTag now = i < tags.size() ? tag_of(tags[i]) : EntityTag{'O', "_"};
    if (ends_before(now, before)) found.push_back({std::string(before.type), begin, i});
    if (begins_at(now, before)) begin = i;
    before = now;
  }
  return found;
}

void EntityCounts::add(std::span<const std::string> gold, std::span<const std::string> predicted) {
  if (gold.size() != predicted.size())
    throw ConfigError(fmt::format("expected as many predicted tags as gold ones, got {} and {}",
                                  predicted.size(), gold.size()));
  for (std::size_t i = 0; i < gold.size(); ++i) right_ += gold[i] == predicted[i];
  tokens_ += static_cast<std::int64_t>(gold.size());
  const std::vector<Entity> expected = entities_of(gold), found = entities_of(predicted);
  for (const Entity& entity : expected) ++types_[entity.type].gold;
  for (const Entity& entity : found) ++types_[entity.type].predicted;
  const std::set<Entity> known(expected.begin(), expected.end());
  for (const Entity& entity : found) types_[entity.type].hits += known.contains(entity);
}

std::vector<NamedScores> EntityCounts::types() const {
  std::vector<NamedScores> rows;
  for (const auto& [type, counts] : types_) rows.push_back({type, counts.scores()});
  return rows;
}

ClassScores EntityCounts::micro() const {
  HitCounts sum;
  for (const auto& [type, counts] : types_) sum = sum + counts;
  return sum.scores();
}

ClassScores EntityCounts::macro() const { return mean_scores(types()); }

double EntityCounts::token_accuracy() const {
  return tokens_ == 0 ? 0 : static_cast<double>(right_) / static_cast<double>(tokens_);
}

std::string EntityCounts::table() const {
  std::vector<NamedScores> rows = types();
  rows.push_back({"micro", micro()});
  rows.push_back({"macro", macro()});
  return fmt::format("{}right tags: {:.4f} of {} tokens\n", score_table("entity", rows),
                     token_accuracy(), tokens_);
}

}  // namespace attend
