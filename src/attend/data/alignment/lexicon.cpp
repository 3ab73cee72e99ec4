#include "attend/data/alignment/lexicon.h"

#include <algorithm>
#include <cmath>
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
                double tension, std::vector<Translations>& all) {
  std::vector<std::size_t> places(src.size());
  for (std::size_t t = 0; t < tgt.size(); ++t) {
    std::vector<double> likely = likely_places(t, tgt.size(), src.size(), tension);
    double total = 0;
    for (std::size_t s = 0; s < src.size(); ++s) {
      const Translations& one = all[static_cast<std::size_t>(src[s])];
      places[s] = one.place(tgt[t]);
      likely[s] *= one.probability[places[s]];
      total += likely[s];
    }
    for (std::size_t s = 0; s < src.size() && total > 0; ++s)
      all[static_cast<std::size_t>(src[s])].count[places[s]] += likely[s] / total;
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

std::vector<double> likely_places(std::size_t target, std::size_t targets, std::size_t sources,
                                  double tension) {
  constexpr double kOfEnd = 0.08;  // p0 of Dyer et al.
  std::vector<double> likely(sources, 1.0);
  if (tension == 0 || sources < 2) return likely;
  const auto share = [](std::size_t place, std::size_t of) {
    return static_cast<double>(place + 1) / static_cast<double>(of);
  };
  double total = 0;
  for (std::size_t s = 0; s + 1 < sources; ++s) {
    const double distance = std::abs(share(s, sources - 1) - share(target, targets));
    total += likely[s] = std::exp(-tension * distance);
  }
  for (std::size_t s = 0; s + 1 < sources; ++s) likely[s] *= (1 - kOfEnd) / total;
  likely.back() = kOfEnd;
  return likely;
}

std::vector<std::vector<LexiconEntry>> learn_lexicon(const Ragged& src, const Ragged& tgt,
                                                     int src_vocab_size,
                                                     const LexiconOptions& options) {
  std::vector<Translations> all = companions(src, tgt, src_vocab_size);
  for (int i = 0; i < options.iterations; ++i) {
    for (std::int64_t pair = 0; pair < src.sequences(); ++pair)
      count_pair(src[pair], tgt[pair], options.tension, all);
    for (Translations& one : all) maximize(one);
  }
  std::vector<std::vector<LexiconEntry>> lexicon;
  for (const Translations& one : all) lexicon.push_back(ranked(one));
  return lexicon;
}

}  // namespace attend
