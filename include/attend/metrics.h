// Metrics: accuracy and F1 of classifiers, correlations of numbers, F1 of entities, perplexity of
// language models; with those of translations (attend/translation_metrics.h). No model is needed:
// they compare texts, labels, numbers and probabilities.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attend/text_preparation.h"
#include "attend/translation_metrics.h"

#pragma GCC visibility push(default)
namespace attend {

// Scores of one class.
struct ClassScores {
  double precision = 0, recall = 0,
         f1 = 0;             // 0 .. 1; 0 if undefined (nothing predicted, or no examples)
  std::int64_t support = 0;  // examples of the class
};

struct ShareInterval {
  double low = 0, high = 0;
};

// Counts of gold and predicted classes, from which accuracy, precision, recall and F1 follow.
class ConfusionMatrix {
 public:
  // One name per class. Throws ConfigError if empty.
  explicit ConfusionMatrix(std::vector<std::string> class_names);

  // Counts examples of class `gold` classified as `predicted`. Throws DataError unless both are 0
  // .. classes-1, ConfigError for fewer than no examples.
  void add(std::int64_t gold, std::int64_t predicted, std::int64_t examples = 1);
  // Throws ConfigError unless both have the same size.
  void add(std::span<const std::int64_t> gold, std::span<const std::int64_t> predicted);

  std::int64_t classes() const { return static_cast<std::int64_t>(names_.size()); }
  const std::vector<std::string>& class_names() const { return names_; }
  std::int64_t count(std::int64_t gold, std::int64_t predicted) const;
  std::int64_t total() const;

  double accuracy() const;  // 0 without examples
  // 95 % confidence interval of the accuracy (Wilson score interval). 0 .. 1 without examples.
  ShareInterval accuracy_interval() const;
  // The most frequent gold class (the first of equal ones), and the accuracy of always predicting
  // it.
  std::int64_t majority() const;
  double majority_share() const;
  // Whether the interval includes the accuracy of always predicting the majority class.
  bool may_be_majority() const { return accuracy_interval().low <= majority_share(); }

  ClassScores of_class(std::int64_t index) const;
  double macro_f1() const;     // mean over the classes that occur as gold or predicted
  double weighted_f1() const;  // mean over the classes, weighted by support

  // A table to print: precision, recall, F1 and support per class, the confusion matrix (rows:
  // gold), and the accuracy beside that of the majority class, with a remark if it is no better.
  std::string table() const;

 private:
  bool occurs(std::int64_t index) const;
  std::string accuracy_text() const;

  std::vector<std::string> names_;
  std::vector<std::int64_t> counts_;  // [classes, classes], rows: gold
};

// Counts of gold and predicted items, from which precision, recall and F1 follow.
struct HitCounts {
  std::int64_t gold = 0, predicted = 0, hits = 0;

  ClassScores scores() const;
  HitCounts operator+(const HitCounts& other) const {
    return {gold + other.gold, predicted + other.predicted, hits + other.hits};
  }
};

// A row of a table of scores.
struct NamedScores {
  std::string name;
  ClassScores scores;
};

// The mean of precision, recall and F1, and the sum of the supports.
ClassScores mean_scores(std::span<const NamedScores> rows);
// A table to print, with a line per row.
std::string score_table(std::string_view title, std::span<const NamedScores> rows);

// Texts with any number of labels each.
class LabelCounts {
 public:
  // Throws ConfigError if empty.
  explicit LabelCounts(std::vector<std::string> labels);

  // Counts a text. Element i says whether the text has label i. Throws ConfigError unless both
  // vectors have an element per label.
  void add(const std::vector<bool>& gold, const std::vector<bool>& predicted);

  std::int64_t total() const { return total_; }
  std::vector<NamedScores> labels() const;
  ClassScores micro() const;   // over all decisions
  ClassScores macro() const;   // the mean over all labels
  double exact_share() const;  // share of texts with all labels right; 0 without texts
  std::string table() const;   // to print

 private:
  std::vector<std::string> names_;
  std::vector<HitCounts> counts_;
  std::int64_t total_ = 0, exact_ = 0;
};

// Pearson: the correlation of the numbers. Spearman: the correlation of their ranks; equal numbers
// share their mean rank. 0 if one side is constant. Both throw ConfigError unless a and b have the
// same size.
double pearson_correlation(std::span<const double> a, std::span<const double> b);
double spearman_correlation(std::span<const double> a, std::span<const double> b);

// Retrieval metrics: how well searches find the texts that are relevant to the queries.
class RetrievalScores {
 public:
  static constexpr int kDepth = 10;  // the answers that count for recall and nDCG

  // Counts a query with `relevant` relevant texts. `ranks`, counted from 1 and ascending, has the
  // rank of the first relevant text, and those of all others up to kDepth. Throws ConfigError if
  // `ranks` is empty.
  void add(std::span<const std::int64_t> ranks, std::int64_t relevant);

  std::int64_t queries() const { return queries_; }
  // The share of the relevant texts that are among the first k answers, k from 1 to kDepth. Throws
  // ConfigError for another k. All scores are means over the queries; 0 without queries.
  double recall_at(int k) const;
  double mrr() const;         // 1 / the rank of the first relevant text
  double ndcg() const;        // normalized discounted cumulative gain of the first kDepth answers
  std::string table() const;  // to print

 private:
  double mean(double sum) const;

  std::int64_t queries_ = 0;
  std::array<double, kDepth> recall_{};  // sums
  double reciprocal_ranks_ = 0, gains_ = 0;
};

// Predicted numbers compared with the gold ones.
class NumberErrors {
 public:
  void add(double gold, double predicted);

  std::int64_t total() const { return static_cast<std::int64_t>(gold_.size()); }
  double mean_squared_error() const;
  double variance() const;  // of the gold numbers: the error of always predicting their mean
  double pearson() const { return pearson_correlation(gold_, predicted_); }
  double spearman() const { return spearman_correlation(gold_, predicted_); }
  std::string table() const;  // to print

 private:
  std::vector<double> gold_, predicted_;
};

// How true the probabilities of predictions are: of those with a probability of 0.8, 80 % should be
// right. A reliability diagram (Niculescu-Mizil & Caruana 2005) and the expected calibration error
// (Guo et al. 2017, "On Calibration of Modern Neural Networks").
class Reliability {
 public:
  // The predictions whose probability is above `low`, or 0, and at most `high`.
  struct Bin {
    double low = 0, high = 0;
    std::int64_t predictions = 0;
    double probability = 0, accuracy = 0;  // means; 0 without predictions
  };

  // Bins of equal width. Throws ConfigError unless there is at least one.
  explicit Reliability(int bins = 10);

  // Throws DataError unless the probability is 0 .. 1.
  void add(double probability, bool right);

  std::int64_t total() const;
  std::vector<Bin> bins() const;
  // The distance of probability and accuracy: the mean over the predictions of that of their bins,
  // and the largest of a bin. 0 without predictions.
  double expected_error() const;
  double largest_error() const;
  std::string table() const;  // to print

 private:
  std::vector<Bin> sums_;  // probability and accuracy are sums
};

// An entity of tagged tokens: tokens begin .. end - 1.
struct Entity {
  std::string type;
  std::size_t begin = 0, end = 0;

  auto operator<=>(const Entity&) const = default;
};

// The entities of tags such as B-PER, I-PER and O (also IOB1 and IOBES), found as leniently as in
// seqeval: an I- tag after O or after another type begins an entity.
std::vector<Entity> entities_of(std::span<const std::string> tags);

// Counts of entities. An entity is right if its type and both ends are right.
class EntityCounts {
 public:
  // Counts a text. Throws ConfigError unless both have the same size.
  void add(std::span<const std::string> gold, std::span<const std::string> predicted);

  std::int64_t tokens() const { return tokens_; }
  std::vector<NamedScores> types() const;  // sorted by name
  ClassScores micro() const;               // over all entities
  ClassScores macro() const;               // the mean over all types
  double token_accuracy() const;           // 0 without tokens
  std::string table() const;               // to print

 private:
  std::map<std::string, HitCounts> types_;
  std::int64_t tokens_ = 0, right_ = 0;
};

// Perplexity of a language model, from the summed negative log-likelihood.
struct Perplexity {
  double nll = 0;               // summed over all predicted tokens, in nats
  std::int64_t tokens = 0;      // predicted tokens, sequence ends included
  std::int64_t words = 0;       // words of the text; 0 if unknown
  std::int64_t characters = 0;  // characters of the text, counting line ends; 0 if unknown

  // Adds another part of the same text.
  void add(double part_nll, std::int64_t part_tokens, std::int64_t part_words = 0,
           std::int64_t part_characters = 0);

  // exp(nll / tokens). Throws ConfigError without tokens.
  double per_token() const;
  // exp(nll / words): comparable between models with different vocabularies. Throws ConfigError
  // without words.
  double per_word() const;
  // nll / tokens / ln 2.
  double bits_per_token() const;
  // nll / characters / ln 2: comparable between all models of a text. Throws ConfigError without
  // characters.
  double bits_per_character() const;
};

struct ScoringOptions {
  int max_tokens = 1024;  // longer texts are a LineError
  TextPreparation preparation = {};
  bool trust = false;  // fill SequenceScore::trust, of translations
};

// What speaks against a translation: "numbers", "1984 is missing". docs/trust.md lists the names.
struct TranslationFlag {
  std::string name;
  std::string reason;

  bool operator==(const TranslationFlag&) const = default;
};

// How far to trust a translation.
struct TranslationTrust {
  // The chrF, from 0 to 1, that translations of this model with such scores had on the text of
  // attend calibrate, on average; nullopt: the model is not calibrated for them
  std::optional<float> confidence = std::nullopt;
  std::vector<TranslationFlag> flags = {};

  bool operator==(const TranslationTrust&) const = default;
};

// The log-probability that a model gives to a text.
struct SequenceScore {
  float log_probability = 0;        // natural logarithm, of all tokens and the end
  std::vector<float> token_scores;  // log-probability of each token, and of the end
  // Code points of a line that a language model scored, plus one for its end; otherwise 0
  std::int64_t characters = 0;
  std::optional<TranslationTrust> trust = std::nullopt;  // of a translation, if asked for
};

}  // namespace attend
#pragma GCC visibility pop
