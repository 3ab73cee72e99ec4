#include "attend/data/batching/tuple_batcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attend/core/random/random.h"

namespace attend {

namespace {

// Pairs the text at `place` with the next one of its label; the last one left over meets the first.
TextTuple pair_at(std::size_t place, const std::vector<std::int32_t>& group) {
  return {group[place], place + 1 < group.size() ? group[place + 1] : group[0]};
}

// The first pair of every label, then the second, and so on, so that batches mix labels.
std::vector<TextTuple> pairs_in_turn(const std::vector<std::vector<std::int32_t>>& groups) {
  std::vector<TextTuple> pairs;
  std::vector<const std::vector<std::int32_t>*> left;
  for (const std::vector<std::int32_t>& group : groups)
    if (group.size() >= 2) left.push_back(&group);
  for (std::size_t place = 0; !left.empty(); place += 2) {
    for (const auto* group : left) pairs.push_back(pair_at(place, *group));
    std::erase_if(left, [place](const auto* group) { return place + 2 >= group->size(); });
  }
  return pairs;
}

// Pairs the texts of each label: in a random order with a seed, which also mixes the batches.
std::vector<TextTuple> pairs_within(std::vector<std::vector<std::int32_t>> groups,
                                    std::optional<std::uint64_t> seed, std::int64_t epoch) {
  if (!seed) return pairs_in_turn(groups);
  std::vector<TextTuple> pairs;
  Random random(RandomKey{*seed, stream_of(fmt::format("data.pairs.epoch.{}", epoch))});
  for (std::vector<std::int32_t>& group : groups) {
    if (group.size() < 2) continue;
    shuffle(group, random);
    for (std::size_t i = 0; i < group.size(); i += 2) pairs.push_back(pair_at(i, group));
  }
  return pairs;
}

// Both are sorted.
bool share_a_label(const std::vector<std::int32_t>& one, const std::vector<std::int32_t>& other) {
  auto a = one.begin(), b = other.begin();
  while (a != one.end() && b != other.end()) {
    if (*a == *b) return true;
    if (*a < *b) {
      ++a;
    } else {
      ++b;
    }
  }
  return false;
}

std::int32_t tokens_in(const Ragged& texts, const TextTuple& tuple) {
  return texts.length(tuple.anchor) + texts.length(tuple.positive) +
         (tuple.negative < 0 ? 0 : texts.length(tuple.negative));
}

}  // namespace

std::shared_ptr<const TupleBatcher::Tuples> TupleBatcher::Source::of(std::int64_t wanted) {
  const std::lock_guard lock(mutex);
  if (!groups.empty() && epoch != wanted) {
    tuples = std::make_shared<const Tuples>(pairs_within(groups, seed, wanted));
    epoch = wanted;
  }
  return tuples;
}

TupleBatcher::TupleBatcher(Ragged texts, const RelatedTexts& related, const BatchOptions& options,
                           std::optional<std::uint64_t> seed)
    : texts_(std::make_shared<const Ragged>(std::move(texts))),
      source_(std::make_shared<Source>()),
      planner_(
          [source = source_, all = texts_](std::int64_t epoch) {
            std::vector<std::int32_t> costs;
            for (const TextTuple& tuple : *source->of(epoch))
              costs.push_back(tokens_in(*all, tuple));
            return costs;
          },
          options, seed) {
  source_->seed = seed;
  if (related.are_labeled()) {
    std::vector<std::vector<std::int32_t>>& groups = source_->groups;
    for (std::size_t i = 0; i < related.labels.size(); ++i) {
      const auto label = static_cast<std::size_t>(related.labels[i]);
      if (groups.size() <= label) groups.resize(label + 1);
      groups[label].push_back(static_cast<std::int32_t>(i));
    }
    first_equal_ = related.first_equal();
    labels_.resize(first_equal_.size());
    for (std::size_t label = 0; label < groups.size(); ++label)
      for (const std::int32_t text : groups[label])
        labels_[first_equal(text)].push_back(static_cast<std::int32_t>(label));
    return;
  }
  source_->tuples = std::make_shared<const Tuples>(related.tuples);
  positives_.resize(related.texts.size());
  for (const TextTuple& tuple : related.tuples)
    positives_[static_cast<std::size_t>(tuple.anchor)].push_back(tuple.positive);
  for (std::vector<std::int32_t>& list : positives_) std::sort(list.begin(), list.end());
}

bool TupleBatcher::are_related(const TextTuple& tuple, std::int32_t candidate) const {
  if (!labels_.empty())
    return share_a_label(labels_[first_equal(tuple.anchor)], labels_[first_equal(candidate)]);
  const auto anchor = static_cast<std::size_t>(tuple.anchor);
  return candidate == tuple.anchor ||
         std::binary_search(positives_[anchor].begin(), positives_[anchor].end(), candidate);
}

TupleBatch TupleBatcher::batch(std::int64_t epoch, std::int64_t index) const {
  const auto plan = planner_.plan(epoch);
  const auto tuples = tuples_of(epoch);
  std::vector<TextTuple> chosen;
  for (const std::int32_t i : (*plan)[index])
    chosen.push_back((*tuples)[static_cast<std::size_t>(i)]);
  TupleBatch batch;
  batch.tuples = std::ssize(chosen);
  for (const TextTuple& tuple : chosen) batch.texts.push_back(tuple.anchor);
  for (const TextTuple& tuple : chosen) batch.texts.push_back(tuple.positive);
  for (const TextTuple& tuple : chosen)
    if (tuple.negative >= 0) batch.texts.push_back(tuple.negative);
  const auto candidates = std::span(batch.texts).subspan(chosen.size());
  std::vector<char> ignored(chosen.size() * candidates.size());
  bool any = false;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (std::size_t j = 0; j < candidates.size(); ++j) {
      if (j % chosen.size() == i || !are_related(chosen[i], candidates[j])) continue;
      ignored[i * candidates.size() + j] = 1;
      any = true;
    }
  }
  if (any) batch.ignored = std::move(ignored);
  return batch;
}

bool TupleBatcher::has_wrong_answers() const {
  for (std::int64_t i = 0; i < batches(0); ++i) {
    const TupleBatch one = batch(0, i);
    if (one.candidates() > one.tuples || (one.tuples > 1 && one.ignored.empty())) return true;
    // Each tuple has its own answer, which is not among the others that are right, too.
    if (std::count(one.ignored.begin(), one.ignored.end(), 0) > one.tuples) return true;
  }
  return false;
}

Ragged TupleBatcher::tokens_of(const TupleBatch& batch) const {
  RaggedBuilder result;
  for (const std::int32_t text : batch.texts) result.add((*texts_)[text]);
  return result.build();
}

TupleBatcher::Size TupleBatcher::size(std::int64_t epoch, std::int64_t index) const {
  const auto plan = planner_.plan(epoch);
  const auto tuples = tuples_of(epoch);
  Size size;
  for (const std::int32_t i : (*plan)[index]) {
    ++size.tuples;
    size.tokens += tokens_in(*texts_, (*tuples)[static_cast<std::size_t>(i)]);
  }
  return size;
}

}  // namespace attend
