#include "attend/metrics/chrf.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "attend/core/options/option_fields.h"
#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/core/threads/interruption.h"
#include "attend/core/threads/parallel.h"
#include "attend/core/version.h"
#include "attend/error.h"
#include "attend/metrics/ngrams.h"

namespace attend {
namespace {

using Symbols = std::vector<std::uint32_t>;

std::size_t orders_of(const ChrfOptions& options) {
  return static_cast<std::size_t>(options.char_order + options.word_order);
}

bool is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

// Calls use(word) for the words of chrF++: one punctuation mark at the end of a word, or else one
// at its start, becomes a word of its own.
template <class Use>
void part_punctuation(std::string_view word, const Use& use) {
  const bool single = count_code_points(word) == 1;
  if (!single && is_ascii_punctuation(word.back())) {
    use(word.substr(0, word.size() - 1));
    use(word.substr(word.size() - 1));
  } else if (!single && is_ascii_punctuation(word.front())) {
    use(word.substr(0, 1));
    use(word.substr(1));
  } else {
    use(word);
  }
}

// Counts segment by segment and reuses its tables.
class ChrfCounter {
 public:
  explicit ChrfCounter(const ChrfOptions& options)
      : options_(options),
        char_matcher_(options.char_order),
        word_matcher_(std::max(options.word_order, 1)),
        matches_(orders_of(options)) {}

  void read_hypothesis(std::string_view line) {
    vocabulary_.clear();
    read(line, hypothesis_chars_, hypothesis_words_);
  }

  // Fills one row of chrf_counts with the hypothesis against this reference.
  void count(std::string_view reference, std::span<std::int64_t> row) {
    read(reference, reference_chars_, reference_words_);
    const auto char_orders = static_cast<std::size_t>(options_.char_order);
    const std::span matches(matches_);
    match(char_matcher_, hypothesis_chars_, reference_chars_, matches.first(char_orders));
    if (options_.word_order > 0)
      match(word_matcher_, hypothesis_words_, reference_words_, matches.subspan(char_orders));
    for (std::size_t i = 0; i < matches_.size(); ++i) {
      const bool chars = i < char_orders;
      const int n = static_cast<int>(chars ? i : i - char_orders) + 1;
      const auto of = [n](const Symbols& symbols) {
        return ngrams_in(static_cast<std::int64_t>(symbols.size()), n);
      };
      const std::int64_t in_reference = of(chars ? reference_chars_ : reference_words_);
      // Orders longer than the reference do not count.
      row[3 * i] = in_reference > 0 ? of(chars ? hypothesis_chars_ : hypothesis_words_) : 0;
      row[3 * i + 1] = in_reference;
      row[3 * i + 2] = matches_[i];
    }
  }

 private:
  static void match(NgramMatcher& matcher, const Symbols& hypothesis, const Symbols& reference,
                    std::span<std::int64_t> matches) {
    matcher.clear();
    matcher.add_reference(reference);
    matcher.count_matches(hypothesis, matches);
  }

  void read(std::string_view line, Symbols& chars, Symbols& words) {
    const std::string lower = options_.lowercase ? unicode::lowercase(line) : std::string();
    if (options_.lowercase) line = lower;
    chars.clear();
    for (std::size_t at = 0; at < line.size();) {
      const char32_t c = next_code_point(line, at);
      if (!unicode::is_space(c)) chars.push_back(static_cast<std::uint32_t>(c));
    }
    words.clear();
    if (options_.word_order == 0) return;
    for (const std::string_view word : unicode::split(line)) {
      part_punctuation(word, [&](std::string_view part) {
        words.push_back(
            vocabulary_
                .try_emplace(std::string(part), static_cast<std::uint32_t>(vocabulary_.size()))
                .first->second);
      });
    }
  }

  const ChrfOptions& options_;
  NgramMatcher char_matcher_, word_matcher_;
  std::unordered_map<std::string, std::uint32_t> vocabulary_;
  Symbols hypothesis_chars_, hypothesis_words_, reference_chars_, reference_words_;
  std::vector<std::int64_t> matches_;
};

// The counts against the reference with the best score, the first of equally good ones.
void count_segment(ChrfCounter& counter, const References& references, std::size_t segment,
                   const ChrfOptions& options, std::span<std::int64_t> row) {
  std::vector<std::int64_t> candidate(row.size());
  double best = -1;
  for (const auto& reference : references) {
    counter.count(reference[segment], candidate);
    const double score = chrf_from_counts(candidate, options);
    if (score <= best) continue;
    best = score;
    std::copy(candidate.begin(), candidate.end(), row.begin());
  }
}

}  // namespace

SegmentCounts chrf_counts(std::span<const std::string> hypotheses, const References& references,
                          const ChrfOptions& options) {
  check_options(options);
  check_segments(hypotheses, references, options.allow_subwords);
  const std::size_t width = 3 * orders_of(options);
  SegmentCounts counts;
  counts.width = static_cast<std::int64_t>(width);
  counts.values.resize(hypotheses.size() * width);
  parallel_for(static_cast<std::int64_t>(hypotheses.size()), kSegmentsPerTask,
               [&](std::int64_t begin, std::int64_t end) {
                 ChrfCounter counter(options);
                 for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end);
                      ++i) {
                   look_for_interruption();
                   counter.read_hypothesis(hypotheses[i]);
                   count_segment(counter, references, i, options,
                                 std::span(counts.values).subspan(i * width, width));
                 }
               });
  return counts;
}

double chrf_from_counts(std::span<const std::int64_t> sum, const ChrfOptions& options) {
  if (sum.size() != 3 * orders_of(options)) {
    throw ConfigError(
        fmt::format("expected {} chrF counts, got {}", 3 * orders_of(options), sum.size()));
  }
  double precision = 0, recall = 0;
  int orders = 0;
  for (std::size_t i = 0; i < sum.size(); i += 3) {
    if (sum[i] == 0 || sum[i + 1] == 0) continue;
    const auto matches = static_cast<double>(sum[i + 2]);
    precision += matches / static_cast<double>(sum[i]);
    recall += matches / static_cast<double>(sum[i + 1]);
    ++orders;
  }
  if (orders == 0 || precision + recall == 0) return 0;
  const double weight = static_cast<double>(options.beta) * options.beta;
  precision /= orders;
  recall /= orders;
  return 100 * (1 + weight) * precision * recall / (weight * precision + recall);
}

double corpus_chrf(std::span<const std::string> hypotheses, const References& references,
                   const ChrfOptions& options) {
  return chrf_from_counts(chrf_counts(hypotheses, references, options).sum(), options);
}

double sentence_chrf(const std::string& hypothesis, std::span<const std::string> references,
                     const ChrfOptions& options) {
  References each;
  for (const std::string& reference : references) each.push_back({reference});
  return corpus_chrf(std::span(&hypothesis, 1), each, options);
}

std::string chrf_name(const ChrfOptions& options) {
  return fmt::format("chrF{}{}", options.beta,
                     std::string(static_cast<std::size_t>(std::max(options.word_order, 0)), '+'));
}

std::string chrf_signature(const ChrfOptions& options, std::size_t n_references,
                           const Resampling& resampling) {
  return fmt::format("nrefs:{}{}|case:{}|eff:yes|nc:{}|nw:{}|space:no|version:attend-{}",
                     n_references, resampling_signature(resampling),
                     options.lowercase ? "lc" : "mixed", options.char_order, options.word_order,
                     kVersion);
}

}  // namespace attend
