#include "attend/metrics/bleu.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <unordered_map>

#include "attend/core/options/option_fields.h"
#include "attend/core/strings/unicode.h"
#include "attend/core/threads/interruption.h"
#include "attend/core/threads/parallel.h"
#include "attend/core/version.h"
#include "attend/error.h"
#include "attend/metrics/ngrams.h"

namespace attend {
namespace {

double smoothing_value(const BleuOptions& options) {
  if (options.smoothing_value >= 0) return options.smoothing_value;
  return options.smoothing == BleuSmoothing::floor ? 0.1 : 1;
}

// Counts segment by segment and reuses its tables.
class BleuCounter {
 public:
  explicit BleuCounter(const BleuOptions& options)
      : options_(options), matcher_(options.max_order) {}

  void add_reference(std::string_view line) {
    read(line);
    matcher_.add_reference(symbols_);
    reference_lengths_.push_back(static_cast<std::int64_t>(symbols_.size()));
  }

  // Fills one row of bleu_counts and clears the segment.
  void count(std::string_view hypothesis, std::span<std::int64_t> row) {
    read(hypothesis);
    const auto length = static_cast<std::int64_t>(symbols_.size());
    const auto orders = static_cast<std::size_t>(options_.max_order);
    row[0] = length;
    row[1] = closest_reference(length);
    matcher_.count_matches(symbols_, row.subspan(2, orders));
    for (int n = 1; n <= options_.max_order; ++n)
      row[1 + orders + static_cast<std::size_t>(n)] = ngrams_in(length, n);
    matcher_.clear();
    vocabulary_.clear();
    reference_lengths_.clear();
  }

 private:
  // symbols_ = the tokens of the line, numbered within the segment.
  void read(std::string_view line) {
    const std::string tokens = options_.lowercase
                                   ? bleu_tokenize(unicode::lowercase(line), options_.tokenization)
                                   : bleu_tokenize(line, options_.tokenization);
    symbols_.clear();
    for (std::size_t begin = 0; begin < tokens.size();) {
      const std::size_t end = std::min(tokens.find(' ', begin), tokens.size());
      symbols_.push_back(vocabulary_
                             .try_emplace(tokens.substr(begin, end - begin),
                                          static_cast<std::uint32_t>(vocabulary_.size()))
                             .first->second);
      begin = end + 1;
    }
  }

  std::int64_t closest_reference(std::int64_t length) const {
    return *std::min_element(reference_lengths_.begin(), reference_lengths_.end(),
                             [length](std::int64_t a, std::int64_t b) {
                               const std::int64_t far_a = std::abs(a - length),
                                                  far_b = std::abs(b - length);
                               return far_a != far_b ? far_a < far_b : a < b;
                             });
  }

  const BleuOptions& options_;
  NgramMatcher matcher_;
  std::unordered_map<std::string, std::uint32_t> vocabulary_;
  std::vector<std::uint32_t> symbols_;
  std::vector<std::int64_t> reference_lengths_;
};

SegmentCounts empty_counts(std::size_t segments, const BleuOptions& options) {
  SegmentCounts counts;
  counts.width = 2 + 2 * options.max_order;
  counts.values.resize(segments * static_cast<std::size_t>(counts.width));
  return counts;
}

}  // namespace

std::span<const std::string_view> enum_names(BleuSmoothing) {
  static constexpr std::array<std::string_view, 4> kNames{"exp", "floor", "add-k", "none"};
  return kNames;
}

double BleuScore::ratio() const {
  return reference_length == 0
             ? 0
             : static_cast<double>(hypothesis_length) / static_cast<double>(reference_length);
}

SegmentCounts bleu_counts(std::span<const std::string> hypotheses, const References& references,
                          const BleuOptions& options) {
  check_options(options);
  check_segments(hypotheses, references, options.allow_subwords);
  SegmentCounts counts = empty_counts(hypotheses.size(), options);
  parallel_for(static_cast<std::int64_t>(hypotheses.size()), kSegmentsPerTask,
               [&](std::int64_t begin, std::int64_t end) {
                 BleuCounter counter(options);
                 for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end);
                      ++i) {
                   look_for_interruption();
                   for (const auto& reference : references) counter.add_reference(reference[i]);
                   const auto width = static_cast<std::size_t>(counts.width);
                   counter.count(hypotheses[i], std::span(counts.values).subspan(i * width, width));
                 }
               });
  return counts;
}

BleuScore bleu_from_counts(std::span<const std::int64_t> sum, const BleuOptions& options) {
  check_options(options);
  const auto orders = static_cast<std::size_t>(options.max_order);
  if (sum.size() != 2 + 2 * orders)
    throw ConfigError(fmt::format("expected {} BLEU counts, got {}", 2 + 2 * orders, sum.size()));
  BleuScore result;
  result.hypothesis_length = sum[0];
  result.reference_length = sum[1];
  result.counts.assign(sum.begin() + 2, sum.begin() + 2 + static_cast<std::ptrdiff_t>(orders));
  result.totals.assign(sum.begin() + 2 + static_cast<std::ptrdiff_t>(orders), sum.end());
  result.precisions.assign(orders, 0);
  const auto length = static_cast<double>(result.hypothesis_length),
             reference = static_cast<double>(result.reference_length);
  result.brevity_penalty = length >= reference ? 1
                           : length > 0        ? std::exp(1 - reference / length)
                                               : 0;
  if (std::all_of(result.counts.begin(), result.counts.end(),
                  [](std::int64_t n) { return n == 0; }))
    return result;

  const double value = smoothing_value(options);
  double halving = 1, sum_of_logs = 0;
  std::size_t used = 0;
  for (; used < orders; ++used) {
    const double added = options.smoothing == BleuSmoothing::add_k && used > 0 ? value : 0;
    const double total = static_cast<double>(result.totals[used]) + added;
    if (total == 0) break;
    double matches = static_cast<double>(result.counts[used]) + added;
    if (matches == 0 && options.smoothing == BleuSmoothing::exp) matches = halving /= 2;
    if (matches == 0 && options.smoothing == BleuSmoothing::floor) matches = value;
    result.precisions[used] = 100 * matches / total;
    sum_of_logs += std::log(result.precisions[used]);  // log 0 is -infinity, and exp() of that 0
  }
  if (used < orders && !options.effective_order) return result;
  result.score = result.brevity_penalty * std::exp(sum_of_logs / static_cast<double>(used));
  return result;
}

BleuScore corpus_bleu(std::span<const std::string> hypotheses, const References& references,
                      const BleuOptions& options) {
  return bleu_from_counts(bleu_counts(hypotheses, references, options).sum(), options);
}

BleuScore sentence_bleu(const std::string& hypothesis, std::span<const std::string> references,
                        BleuOptions options) {
  options.effective_order = true;
  References each;
  for (const std::string& reference : references) each.push_back({reference});
  return corpus_bleu(std::span(&hypothesis, 1), each, options);
}

std::string bleu_signature(const BleuOptions& options, std::size_t n_references,
                           const Resampling& resampling) {
  std::string smoothing(enum_names(options.smoothing)[static_cast<std::size_t>(options.smoothing)]);
  if (options.smoothing == BleuSmoothing::floor || options.smoothing == BleuSmoothing::add_k) {
    smoothing += fmt::format("[{:.2f}]", smoothing_value(options));
  }
  return fmt::format(
      "nrefs:{}{}|case:{}|eff:{}|tok:{}|smooth:{}|version:attend-{}", n_references,
      resampling_signature(resampling), options.lowercase ? "lc" : "mixed",
      options.effective_order ? "yes" : "no",
      enum_names(options.tokenization)[static_cast<std::size_t>(options.tokenization)], smoothing,
      kVersion);
}

std::string format_bleu(const BleuScore& score, const std::string& signature, int digits) {
  return fmt::format("BLEU|{} = {:.{}f} {}", signature, score.score, digits, bleu_details(score));
}

std::string bleu_details(const BleuScore& score) {
  std::string precisions;
  for (const double p : score.precisions)
    precisions += fmt::format("{}{:.1f}", precisions.empty() ? "" : "/", p);
  return fmt::format("{} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})", precisions,
                     score.brevity_penalty, score.ratio(), score.hypothesis_length,
                     score.reference_length);
}

}  // namespace attend
