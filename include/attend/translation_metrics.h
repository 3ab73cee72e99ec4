// Metrics of translations: BLEU, chrF and TER of given translations, and comparisons of systems.
//
//   attend::corpus_bleu(translations, {references}).score
//
// BLEU (Papineni et al. 2002), chrF (Popovic 2015; chrF++ 2017) and TER (Snover et al. 2006) are
// equal to sacreBLEU's (Post 2018), with the same signatures except for the version. Text is UTF-8,
// one segment per line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attend/text_preparation.h"

#pragma GCC visibility push(default)
namespace attend {

// references[r][i] is the r-th reference translation of line i.
using References = std::vector<std::vector<std::string>>;

// Functions on translations throw ConfigError if there are no lines or no references. They throw
// DataError if a reference has a different number of lines than the hypotheses, and, naming the
// line, for text that is not UTF-8 or (unless allow_subwords) still contains subword markers: "@@"
// at the end of a word, or U+2581. Scores of such text are not scores of the translation.

// The tokenization of BLEU. Scores are comparable only with equal tokenization.
enum class BleuTokenization {
  k13a,  // NIST mteval-v13a, for languages written with spaces: the default of published scores
  none,  // the text is already tokenized: split at white space only
  intl,  // mteval-v14: splits at Unicode punctuation and symbols, except between digits
  characters,  // every character is a token
};

// Smoothing of n-gram orders without a match (Chen & Cherry 2014).
enum class BleuSmoothing {
  exp,    // 1 / (2^k * total) for the k-th such order
  floor,  // value / total
  add_k,  // adds value to the matches and totals of all orders above 1
  none,
};

struct BleuOptions {
  BleuTokenization tokenization = BleuTokenization::k13a;
  bool lowercase = false;
  BleuSmoothing smoothing = BleuSmoothing::exp;
  double smoothing_value = -1;  // negative: 0.1 for floor, 1 for add-k
  int max_order = 4;
  bool effective_order = false;  // leave out orders that the hypotheses are too short for
  bool allow_subwords = false;   // also score text with subword markers
};

// Bootstrap resampling (Koehn 2004): how much a score depends on the choice of test segments.
struct BootstrapOptions {
  int samples = 1000;
  std::uint64_t seed = 12345;
};

// How a comparison finds out how likely such a difference is between equally good systems.
enum class SignificanceTest {
  bootstrap,      // paired bootstrap (Koehn 2004, Riezler & Maxwell 2005)
  randomization,  // approximate randomization (Riezler & Maxwell 2005): exchange random segments
};

// What signatures say of how scores were resampled.
struct Resampling {
  int bootstrap = 0;      // resamples; 0: none
  int randomization = 0;  // trials; 0: none
  std::uint64_t seed = BootstrapOptions{}.seed;
};

struct BleuScore {
  double score = 0;                // 0 .. 100
  std::vector<double> precisions;  // 0 .. 100, [max_order]
  double brevity_penalty = 0;      // 0 .. 1
  std::int64_t hypothesis_length = 0, reference_length = 0;
  std::vector<std::int64_t> counts,
      totals;  // clipped matches and hypothesis n-grams, [max_order]

  double ratio() const;  // hypothesis_length / reference_length, or 0 without references
};

// The score of the whole corpus.
BleuScore corpus_bleu(std::span<const std::string> hypotheses, const References& references,
                      const BleuOptions& options = {});

// The score of one segment, always with the effective order.
BleuScore sentence_bleu(const std::string& hypothesis, std::span<const std::string> references,
                        BleuOptions options = {});

// "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:attend-0.2.0"
std::string bleu_signature(const BleuOptions& options, std::size_t n_references,
                           const Resampling& resampling = {});

// The line that sacreBLEU prints, with `digits` decimals of the score:
// "BLEU|nrefs:1|...|version:attend-0.2.0 = 41.02 73.1/48.0/33.9/24.0 (BP = 1.000 ratio = 1.023
// hyp_len = 1024 ref_len = 1001)"
std::string format_bleu(const BleuScore& score, const std::string& signature, int digits = 2);

struct ChrfOptions {
  int char_order = 6;
  int word_order = 0;  // 2 for chrF++
  int beta = 2;        // weight of recall relative to precision
  bool lowercase = false;
  bool allow_subwords = false;  // also score text with subword markers
};

// The score of the whole corpus, 0 .. 100.
double corpus_chrf(std::span<const std::string> hypotheses, const References& references,
                   const ChrfOptions& options = {});
double sentence_chrf(const std::string& hypothesis, std::span<const std::string> references,
                     const ChrfOptions& options = {});

// "chrF2", "chrF2++": beta, and one plus per word order.
std::string chrf_name(const ChrfOptions& options);
// "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:attend-0.2.0"
std::string chrf_signature(const ChrfOptions& options, std::size_t n_references,
                           const Resampling& resampling = {});

struct TerOptions {
  bool normalized = false;      // part words from punctuation
  bool no_punct = false;        // leave punctuation out
  bool asian_support = false;   // part Chinese, Japanese and Korean characters, too
  bool case_sensitive = false;  // else both texts are lower-cased
  bool allow_subwords = false;  // also score text with subword markers
};

// The translation edit rate of the whole corpus: 0 is best; above 100 there are more edits than
// words.
double corpus_ter(std::span<const std::string> hypotheses, const References& references,
                  const TerOptions& options = {});
double sentence_ter(const std::string& hypothesis, std::span<const std::string> references,
                    const TerOptions& options = {});

// "nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:attend-0.2.0"
std::string ter_signature(const TerOptions& options, std::size_t n_references,
                          const Resampling& resampling = {});

// The resampled scores of one system: their mean and 95 % interval.
struct BootstrapEstimate {
  double score = 0;  // of the original segments
  double mean = 0;
  double low = 0, high = 0;

  double half_width() const { return (high - low) / 2; }
};

struct EvaluationOptions {
  BleuOptions bleu;  // its allow_subwords applies to the others, too
  ChrfOptions chrf;
  TerOptions ter;
  bool compute_bleu = true;
  bool compute_chrf = true;
  bool compute_ter = false;
  // Resample to get an interval for each score; always done when comparing by bootstrap
  bool confidence = false;
  BootstrapOptions bootstrap;  // its seed is that of the randomization, too
  SignificanceTest significance = SignificanceTest::bootstrap;
  int trials = 10'000;  // of the randomization
};

struct SystemReport {
  double score = 0;                            // 0 .. 100; TER may be larger
  std::string details;                         // BLEU's precisions and lengths
  std::optional<BootstrapEstimate> resampled;  // if resampling was requested
  // Beside a baseline: the probability of such a difference between equally good systems and, of
  // the bootstrap, the share of resamples in which the system is better. 0 .. 1
  std::optional<double> p_value, wins;
};

struct MetricReport {
  std::string name;  // "BLEU", "chrF2", "TER"
  std::string signature;
  std::optional<SystemReport> baseline;  // of comparisons
  std::vector<SystemReport> systems;     // in the given order; one without a baseline
  int more_digits = 0;  // decimals that its scores need beside those of others: COMET's are 0 .. 1
};

struct EvaluationReport {
  std::int64_t segments = 0;
  std::vector<MetricReport> metrics;
};

// BLEU, chrF and TER, with intervals if requested. Also throws ConfigError if no metric is
// requested.
EvaluationReport evaluate(std::span<const std::string> hypotheses, const References& references,
                          const EvaluationOptions& options = {});

// systems[s][i] is the translation of line i by system s.
using Systems = std::vector<std::vector<std::string>>;

// Compares each system with the baseline, on the same lines. p-values agree with sacreBLEU's up to
// the random draws, except that a system beside itself has 1; they are not corrected for the number
// of systems. Also throws ConfigError without systems, or if they have other numbers of lines.
EvaluationReport compare(std::span<const std::string> baseline, const Systems& systems,
                         const References& references, const EvaluationOptions& options = {});

// One line per metric, as sacreBLEU prints it, with `digits` decimals:
//   "BLEU|nrefs:1|... = 41.02 73.1/48.0/33.9/24.0 (BP = ...)"
// For comparisons, one line per system, each followed by one with the verdict.
std::string format_report(const EvaluationReport& report, int digits = 2);

}  // namespace attend
#pragma GCC visibility pop
