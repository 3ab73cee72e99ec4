#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/core/threads/interruption.h"
#include "attend/core/threads/parallel.h"
#include "attend/error.h"
#include "attend/metrics/chrf.h"
#include "attend/metrics/report.h"
#include "attend/tasks/translation/breakdown/negation.h"
#include "attend/tasks/translation/trust/flags.h"
#include "attend/text/words.h"
#include "attend/translation_breakdown.h"

namespace attend {
namespace {

// The numbers up to `last`, and above that of the bin before.
struct Bin {
  std::string_view name;
  std::int64_t last;
};
constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();
constexpr std::array kLengths{Bin{"0-10", 10},  Bin{"11-20", 20}, Bin{"21-30", 30},
                              Bin{"31-40", 40}, Bin{"41-60", 60}, Bin{"61+", kNoEnd}};
constexpr std::array kFrequencies{Bin{"0", 0}, Bin{"1-9", 9}, Bin{"10-99", 99}, Bin{"100-999", 999},
                                  Bin{"1000+", kNoEnd}};

std::size_t bin_of(std::span<const Bin> bins, std::int64_t number) {
  return static_cast<std::size_t>(
      std::find_if(bins.begin(), bins.end(), [&](const Bin& bin) { return number <= bin.last; }) -
      bins.begin());
}

using Bag = std::map<std::string, std::int64_t>;

Bag bag_of(std::span<const TextWord> words) {
  Bag bag;
  for (const TextWord& word : words) ++bag[word.text];
  return bag;
}

std::int64_t count_in(const Bag& bag, const std::string& word) {
  const auto found = bag.find(word);
  return found == bag.end() ? 0 : found->second;
}

// The texts of one line.
struct Line {
  std::string_view source, hypothesis, reference;
};

class LineScores {
 public:
  LineScores(std::span<const std::string> hypotheses, const References& references,
             const EvaluationOptions& options)
      : metrics_(reported_metrics(references, options)) {
    for (const ReportedMetric& metric : metrics_) counts_.push_back(metric.count(hypotheses));
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const ReportedMetric& metric : metrics_) names.push_back(metric.name);
    return names;
  }
  // The scores of the lines of every bin; a line may be in none.
  std::vector<LineGroup> groups(std::span<const Bin> bins,
                                const std::vector<std::size_t>& bin_of_line) const {
    std::vector<LineGroup> groups;
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
      LineGroup group{std::string(bins[bin].name), 0, {}};
      group.lines = std::count(bin_of_line.begin(), bin_of_line.end(), bin);
      for (std::size_t m = 0; m < metrics_.size(); ++m)
        group.scores.push_back(metrics_[m].score(sum_of(counts_[m], bin, bin_of_line)));
      if (group.lines > 0) groups.push_back(std::move(group));
    }
    return groups;
  }

 private:
  static std::vector<std::int64_t> sum_of(const SegmentCounts& counts, std::size_t bin,
                                          const std::vector<std::size_t>& bin_of_line) {
    std::vector<std::int64_t> sum(static_cast<std::size_t>(counts.width));
    for (std::size_t i = 0; i < bin_of_line.size(); ++i) {
      if (bin_of_line[i] != bin) continue;
      const auto row = counts.row(static_cast<std::int64_t>(i));
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += row[k];
    }
    return sum;
  }

  std::vector<ReportedMetric> metrics_;
  std::vector<SegmentCounts> counts_;
};

std::vector<WordGroup> named_groups(std::span<const std::string_view> names,
                                    std::span<const HitCounts> counts) {
  std::vector<WordGroup> groups;
  for (std::size_t i = 0; i < counts.size(); ++i)
    groups.push_back({std::string(names[i]), counts[i]});
  return groups;
}

void split_by_rare_words(std::span<const Line> lines, const LineScores& scores,
                         const WordFrequencies& training, TranslationBreakdown& breakdown) {
  std::vector<std::size_t> rarest(lines.size(), kFrequencies.size());
  std::array<HitCounts, kFrequencies.size()> counts;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    look_for_interruption();
    const Bag reference = bag_of(lower_words_of_text(lines[i].reference)),
              hypothesis = bag_of(lower_words_of_text(lines[i].hypothesis));
    for (const auto& [word, count] : reference) {
      const std::size_t bin = bin_of(kFrequencies, training.of(word));
      rarest[i] = std::min(rarest[i], bin);
      counts[bin].gold += count;
      counts[bin].hits += std::min(count, count_in(hypothesis, word));
    }
    for (const auto& [word, count] : hypothesis)
      counts[bin_of(kFrequencies, training.of(word))].predicted += count;
  }
  breakdown.rarest_words = scores.groups(kFrequencies, rarest);
  std::array<std::string_view, kFrequencies.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kFrequencies[i].name;
  breakdown.word_frequencies = named_groups(names, counts);
}

// The kinds of words that are copied.
constexpr std::array<std::string_view, 3> kCopied{"numbers", "names", "other words"};

std::size_t copied_kind(std::string_view word) {
  for (std::size_t at = 0; at < word.size();)
    if (unicode::is_digit(next_code_point(word, at))) return 0;
  return is_capitalized(word) ? 1 : 2;
}

std::vector<WordGroup> copied_words(std::span<const Line> lines) {
  std::array<HitCounts, kCopied.size()> counts;
  for (const Line& line : lines) {
    const Bag source = bag_of(words_of_text(line.source)),
              reference = bag_of(words_of_text(line.reference)),
              hypothesis = bag_of(words_of_text(line.hypothesis));
    for (const auto& [word, count] : source) {
      const std::int64_t gold = std::min(count, count_in(reference, word)),
                         given = std::min(count, count_in(hypothesis, word));
      counts[copied_kind(word)] =
          counts[copied_kind(word)] + HitCounts{gold, given, std::min(gold, given)};
    }
  }
  return named_groups(kCopied, counts);
}

void look_for_negation(std::span<const Line> lines, const LanguagePair& languages,
                       TranslationBreakdown& breakdown) {
  const auto of_source = NegationWords::of(languages.source),
             of_target = NegationWords::of(languages.target);
  breakdown.negation_known = of_source && of_target;
  if (!breakdown.negation_known) return;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool source = of_source->negate(lower_words_of_text(lines[i].source)),
               reference = of_target->negate(lower_words_of_text(lines[i].reference)),
               hypothesis = of_target->negate(lower_words_of_text(lines[i].hypothesis));
    if (source != reference) continue;  // said in another way
    ++(source ? breakdown.negated : breakdown.not_negated);
    if (hypothesis == source) continue;
    LineList& wrong = source ? breakdown.lost_negation : breakdown.added_negation;
    wrong.lines.push_back(static_cast<std::int64_t>(i));
  }
}

std::vector<LineList> flagged_lines(std::span<const Line> lines, const LanguagePair& languages) {
  const TextFlags flags(languages);
  std::vector<LineList> found;
  for (const char* name :
       {"empty", "length", "copy", "language", "repetition", "numbers", "verbatim"})
    if (flags.know_target() || name != std::string_view("language")) found.push_back({name, {}});
  std::vector<std::vector<TranslationFlag>> own(lines.size()), expected(lines.size());
  parallel_for(std::ssize(lines), 8, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      look_for_interruption();
      own[i] = flags.of(lines[i].source, lines[i].hypothesis);
      if (!own[i].empty()) expected[i] = flags.of(lines[i].source, lines[i].reference);
    }
  });
  const auto has = [](const std::vector<TranslationFlag>& some, const std::string& name) {
    return std::any_of(some.begin(), some.end(),
                       [&](const TranslationFlag& flag) { return flag.name == name; });
  };
  for (LineList& flag : found)
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (has(own[i], flag.name) && !has(expected[i], flag.name))
        flag.lines.push_back(static_cast<std::int64_t>(i));
  return found;
}

void check_sources(std::span<const std::string> sources, std::size_t lines) {
  if (sources.size() != lines)
    throw DataError(
        fmt::format("hypotheses and sources must have the same number of lines, got {} and {}",
                    lines, sources.size()));
  for (std::size_t i = 0; i < lines; ++i)
    if (const auto at = find_invalid_utf8(sources[i]); at != std::string_view::npos)
      throw DataError(fmt::format(
          "sources, line {}: expected UTF-8, found an invalid sequence at byte {}", i + 1, at));
}

}  // namespace

void WordFrequencies::add(std::string_view line) {
  for (TextWord& word : lower_words_of_text(line)) ++counts_[std::move(word.text)];
}

std::int64_t WordFrequencies::of(const std::string& word) const {
  const auto found = counts_.find(word);
  return found == counts_.end() ? 0 : found->second;
}

TranslationBreakdown break_down(std::span<const std::string> sources,
                                std::span<const std::string> hypotheses,
                                const References& references, const BreakdownOptions& options) {
  check_sources(sources, hypotheses.size());
  const LineScores scores(hypotheses, references, options.metrics);
  std::vector<Line> lines;
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    lines.push_back({sources[i], hypotheses[i], references.front()[i]});
    lengths.push_back(bin_of(kLengths, std::ssize(words_of_text(sources[i]))));
  }
  TranslationBreakdown breakdown;
  breakdown.metrics = scores.names();
  breakdown.source_lengths = scores.groups(kLengths, lengths);
  if (options.training_words)
    split_by_rare_words(lines, scores, *options.training_words, breakdown);
  breakdown.copied = copied_words(lines);
  look_for_negation(lines, options.languages, breakdown);
  breakdown.flags = flagged_lines(lines, options.languages);
  return breakdown;
}

std::vector<LineChrf> worst_lines(std::span<const std::string> hypotheses,
                                  const References& references, int count,
                                  const ChrfOptions& options) {
  if (count < 0) throw ConfigError(fmt::format("expected 0 or more lines, got {}", count));
  const SegmentCounts counts = chrf_counts(hypotheses, references, options);
  std::vector<LineChrf> lines;
  for (std::int64_t i = 0; i < counts.segments(); ++i)
    lines.push_back({i, chrf_from_counts(counts.row(i), options)});
  std::stable_sort(lines.begin(), lines.end(),
                   [](const LineChrf& a, const LineChrf& b) { return a.chrf < b.chrf; });
  lines.resize(std::min(lines.size(), static_cast<std::size_t>(count)));
  return lines;
}

}  // namespace attend
