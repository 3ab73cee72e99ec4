#include "attend/data/alignment/word_aligner.h"

#include <algorithm>
#include <utility>

namespace attend {

namespace {

// The usual start of Dyer et al.
constexpr double kTension = 4.0;
// Translations less likely than this decide nothing.
constexpr float kLeast = 1e-5f;

float probability_of(const std::vector<LexiconEntry>& entries, std::int32_t target) {
  const auto found = std::lower_bound(
      entries.begin(), entries.end(), target,
      [](const LexiconEntry& entry, std::int32_t wanted) { return entry.target < wanted; });
  return found != entries.end() && found->target == target ? found->probability : 0.0f;
}

}  // namespace

WordAligner::WordAligner(const EncodedPairs& pairs, int src_vocab_size, int tgt_vocab_size)
    : forward_(learn(pairs.src, pairs.tgt, src_vocab_size)),
      backward_(learn(pairs.tgt, pairs.src, tgt_vocab_size)) {}

// The end of a source is an id of its own, behind the vocabulary.
WordAligner::Lexicon WordAligner::learn(const Ragged& src, const Ragged& tgt, int src_vocab_size) {
  RaggedBuilder ended;
  for (std::int64_t i = 0; i < src.sequences(); ++i) {
    ended.append(src[i]);
    ended.append(src_vocab_size);
    ended.end_sequence();
  }
  Lexicon lexicon = learn_lexicon(ended.build(), tgt, src_vocab_size + 1, {.tension = kTension});
  for (std::vector<LexiconEntry>& entries : lexicon) {
    std::erase_if(entries, [](const LexiconEntry& entry) { return entry.probability < kLeast; });
    entries.shrink_to_fit();
    std::sort(entries.begin(), entries.end(),
              [](const LexiconEntry& a, const LexiconEntry& b) { return a.target < b.target; });
  }
  return lexicon;
}

std::vector<std::int32_t> WordAligner::likeliest(const Lexicon& lexicon,
                                                 std::span<const std::int32_t> src,
                                                 std::span<const std::int32_t> tgt) {
  std::vector<std::int32_t> sources;
  for (std::size_t t = 0; t < tgt.size(); ++t) {
    const std::vector<double> likely = likely_places(t, tgt.size(), src.size() + 1, kTension);
    double most = likely.back() * probability_of(lexicon.back(), tgt[t]);
    std::int32_t best = kNone;
    for (std::size_t s = 0; s < src.size(); ++s) {
      const auto& entries = lexicon[static_cast<std::size_t>(src[s])];
      const double here = likely[s] * probability_of(entries, tgt[t]);
      if (here <= most) continue;
      most = here;
      best = static_cast<std::int32_t>(s);
    }
    sources.push_back(best);
  }
  return sources;
}

std::vector<std::int32_t> WordAligner::links(std::span<const std::int32_t> src,
                                             std::span<const std::int32_t> tgt) const {
  const std::vector<std::int32_t> source_of = likeliest(forward_, src, tgt),
                                  target_of = likeliest(backward_, tgt, src);
  std::vector<std::int32_t> links(tgt.size(), kNone);
  for (std::size_t t = 0; t < tgt.size(); ++t) {
    const std::int32_t s = source_of[t];
    if (s != kNone && std::cmp_equal(target_of[static_cast<std::size_t>(s)], t)) links[t] = s;
  }
  const auto join = [&](std::size_t t, std::size_t neighbor) {
    if (links[t] == kNone && source_of[t] != kNone && links[neighbor] == source_of[t])
      links[t] = source_of[t];
  };
  for (std::size_t t = 1; t < tgt.size(); ++t) join(t, t - 1);
  for (std::size_t t = tgt.size(); t-- > 1;) join(t - 1, t);
  return links;
}

}  // namespace attend
