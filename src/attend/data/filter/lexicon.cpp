#include "attend/data/filter/lexicon.h"

#include <algorithm>
#include <span>

namespace attend {

namespace {

void sort_unique(std::vector<std::int32_t>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

// The translations of one source token: target ids, ascending, and their probabilities.
struct Translations {
  std::vector<std::int32_t> targets;
  std::vector<double> probability;
  std::vector<double> count;

  std::size_t place(std::int32_t target) const {
    return static_cast<std::size_t>(std::lower_bound(targets.begin(), targets.end(), target) -
                                    targets.begin());
  }
};

// The target tokens that share a sentence with each source token. Sorts now and then, so that
// memory stays proportional to the result.
std::vector<Translations> companions(const Ragged& src, const Ragged& tgt, int src_vocab_size) {
  constexpr std::size_t kFirst = 256;
  std::vector<Translations> all(static_cast<std::size_t>(src_vocab_size));
  std::vector<std::size_t> limit(all.size(), kFirst);
  for (std::int64_t i = 0; i < src.sequences(); ++i) {
    for (const std::int32_t s : src[i]) {
      std::vector<std::int32_t>& targets = all[static_cast<std::size_t>(s)].targets;
      targets.insert(targets.end(), tgt[i].begin(), tgt[i].end());
      if (targets.size() < limit[static_cast<std::size_t>(s)]) continue;
      sort_unique(targets);
      limit[static_cast<std::size_t>(s)] = std::max(kFirst, 2 * targets.size());
    }
  }
  for (Translations& one : all) {
    sort_unique(one.targets);
    // Initially all are equally likely.
    one.probability.assign(one.targets.size(), 1.0);
    one.count.assign(one.targets.size(), 0.0);
  }
  return all;
}

// Distributes each target token of a pair over the source tokens that may have produced it.
void count_pair(std::span<const std::int32_t> src, std::span<const std::int32_t> tgt,
                std::vector<Translations>& all) {
  std::vector<std::size_t> places(src.size());
  for (const std::int32_t t : tgt) {
    double total = 0;
    for (std::size_t s = 0; s < src.size(); ++s) {
      const Translations& one = all[static_cast<std::size_t>(src[s])];
      places[s] = one.place(t);
      total += one.probability[places[s]];
    }
    for (std::size_t s = 0; s < src.size() && total > 0; ++s) {
      Translations& one = all[static_cast<std::size_t>(src[s])];
      one.count[places[s]] += one.probability[places[s]] / total;
    }
  }
}

void maximize(Translations& one) {
  double total = 0;
  for (const double count : one.count) total += count;
  for (std::size_t i = 0; i < one.count.size(); ++i) {
    one.probability[i] = total > 0 ? one.count[i] / total : 0.0;
    one.count[i] = 0.0;
  }
}

std::vector<LexiconEntry> ranked(const Translations& one) {
  std::vector<LexiconEntry> entries;
  for (std::size_t i = 0; i < one.targets.size(); ++i)
    entries.push_back({one.targets[i], static_cast<float>(one.probability[i])});
  std::stable_sort(
      entries.begin(), entries.end(),
      [](const LexiconEntry& a, const LexiconEntry& b) { return a.probability > b.probability; });
  return entries;
}

}  // namespace

std::vector<std::vector<LexiconEntry>> learn_lexicon(const Ragged& src, const Ragged& tgt,
                                                     int src_vocab_size, int iterations) {
  std::vector<Translations> all = companions(src, tgt, src_vocab_size);
  for (int i = 0; i < iterations; ++i) {
    for (std::int64_t pair = 0; pair < src.sequences(); ++pair)
      count_pair(src[pair], tgt[pair], all);
    for (Translations& one : all) maximize(one);
  }
  std::vector<std::vector<LexiconEntry>> lexicon;
  for (const Translations& one : all) lexicon.push_back(ranked(one));
  return lexicon;
}

}  // namespace attend
