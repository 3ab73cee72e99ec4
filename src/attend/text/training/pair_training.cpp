#include "attend/text/training/pair_training.h"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "attend/core/threads/interruption.h"

namespace attend::detail {
namespace {

using Pair = std::pair<std::int32_t, std::int32_t>;

std::uint64_t key_of(const Pair& pair) {
  return std::uint64_t{static_cast<std::uint32_t>(pair.first)} << 32 |
         static_cast<std::uint32_t>(pair.second);
}

Pair pair_of_key(std::uint64_t key) {
  return {static_cast<std::int32_t>(key >> 32), static_cast<std::int32_t>(key & 0xFFFFFFFF)};
}

class MergeLearner {
 public:
  MergeLearner(std::vector<CountedWord> words, std::vector<std::string>& pieces,
               const JoinPieces& join)
      : words_(std::move(words)),
        pieces_(pieces),
        join_(join),
        known_(pieces.begin(), pieces.end()),
        queue_(After{&pieces}) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (i % 1024 == 0) look_for_interruption();
      count(static_cast<std::int32_t>(i), 1, kAny);
    }
    queue_changed();
  }

  // Joins the next pair everywhere and returns it; nullopt if none is left.
  std::optional<Pair> next() {
    while (!queue_.empty()) {
      const Ranked best = queue_.top();
      queue_.pop();
      const auto found = pairs_.find(key_of(best.pair));
      if (found == pairs_.end() || found->second.count != best.count) continue;
      const auto [left, right] = best.pair;
      const auto joined =
          join_(pieces_[static_cast<std::size_t>(left)], pieces_[static_cast<std::size_t>(right)]);
      if (!joined || !known_.insert(*joined).second) continue;
      pieces_.push_back(*joined);
      join_everywhere(best.pair, static_cast<std::int32_t>(pieces_.size() - 1));
      return best.pair;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::int32_t kAny = -1;
  struct Occurrences {
    std::int64_t count = 0;
    std::vector<std::int32_t> words;  // words with the pair, now or earlier; may repeat
  };
  struct Ranked {
    std::int64_t count;
    Pair pair;
  };
  struct After {
    const std::vector<std::string>* pieces;
    bool operator()(const Ranked& a, const Ranked& b) const {
      if (a.count != b.count) return a.count < b.count;
      const auto text = [&](std::int32_t id) -> const std::string& {
        return (*pieces)[static_cast<std::size_t>(id)];
      };
      if (a.pair.first != b.pair.first) return text(a.pair.first) > text(b.pair.first);
      return text(a.pair.second) > text(b.pair.second);
    }
  };

  // Adds the pairs of a word to the counts, or subtracts them. `piece`: its pairs are new to the
  // word.
  void count(std::int32_t index, std::int64_t sign, std::int32_t piece) {
    const CountedWord& word = words_[static_cast<std::size_t>(index)];
    for (std::size_t i = 0; i + 1 < word.symbols.size(); ++i) {
      const std::uint64_t key = key_of({word.symbols[i], word.symbols[i + 1]});
      Occurrences& occurrences = pairs_[key];
      occurrences.count += sign * word.count;
      const bool is_new = piece == kAny || word.symbols[i] == piece || word.symbols[i + 1] == piece;
      if (sign > 0 && is_new) occurrences.words.push_back(index);
      changed_.insert(key);
    }
  }

  void join_everywhere(const Pair& pair, std::int32_t id) {
    std::vector<std::int32_t> where = std::move(pairs_[key_of(pair)].words);
    std::sort(where.begin(), where.end());
    where.erase(std::unique(where.begin(), where.end()), where.end());
    for (const std::int32_t index : where) {
      std::vector<std::int32_t>& symbols = words_[static_cast<std::size_t>(index)].symbols;
      const auto is_pair = [&](std::size_t i) {
        return i + 1 < symbols.size() && symbols[i] == pair.first && symbols[i + 1] == pair.second;
      };
      std::size_t i = 0;
      while (i < symbols.size() && !is_pair(i)) ++i;
      if (i == symbols.size()) continue;
      count(index, -1, id);
      std::size_t kept = i;
      for (; i < symbols.size(); ++kept) {
        const bool joined = is_pair(i);
        symbols[kept] = joined ? id : symbols[i];
        i += joined ? 2 : 1;
      }
      symbols.resize(kept);
      count(index, 1, id);
    }
    queue_changed();
  }

  void queue_changed() {
    for (const std::uint64_t key : changed_) {
      const auto found = pairs_.find(key);
      if (found->second.count > 0) {
        queue_.push({found->second.count, pair_of_key(key)});
      } else {
        pairs_.erase(found);
      }
    }
    changed_.clear();
  }

  std::vector<CountedWord> words_;
  std::vector<std::string>& pieces_;
  const JoinPieces& join_;
  std::unordered_set<std::string> known_;
  std::unordered_map<std::uint64_t, Occurrences> pairs_;
  std::unordered_set<std::uint64_t> changed_;
  std::priority_queue<Ranked, std::vector<Ranked>, After> queue_;
};

}  // namespace

std::vector<Pair> learn_merges(std::vector<CountedWord> words, std::vector<std::string>& pieces,
                               std::size_t most, const JoinPieces& join) {
  MergeLearner learner(std::move(words), pieces, join);
  std::vector<Pair> merges;
  while (pieces.size() < most) {
    look_for_interruption();
    const auto pair = learner.next();
    if (!pair) break;
    merges.push_back(*pair);
  }
  return merges;
}

}  // namespace attend::detail
