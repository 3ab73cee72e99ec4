// Accuracy, precision, recall and F1 of a classifier, all from its confusion matrix.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace attend {

struct ClassScores {
  double precision = 0, recall = 0, f1 = 0;  // 0 .. 1; 0 where nothing was predicted, or nothing was there
  std::int64_t support = 0;                  // examples of the class
};

struct ShareInterval {
  double low = 0, high = 0;
};

class ConfusionMatrix {
 public:
  // One name per class. Throws ConfigError without any.
  explicit ConfusionMatrix(std::vector<std::string> class_names);

  // Counts an example of class `gold` that was classified as `predicted`. Throws DataError unless both are 0 .. classes-1.
  void add(std::int64_t gold, std::int64_t predicted);
  // Throws ConfigError unless there are as many predictions as gold classes.
  void add(std::span<const std::int64_t> gold, std::span<const std::int64_t> predicted);

  std::int64_t classes() const { return static_cast<std::int64_t>(names_.size()); }
  const std::vector<std::string>& class_names() const { return names_; }
  std::int64_t count(std::int64_t gold, std::int64_t predicted) const;
  std::int64_t total() const;

  double accuracy() const;  // 0 without examples
  // 95 % confidence interval of the accuracy (Wilson's score interval): how far another sample of as many texts might have moved it. 0 .. 1
  // without examples.
  ShareInterval accuracy_interval() const;
  // The most frequent gold class, of equal ones the first, and the accuracy of always answering it.
  std::int64_t majority() const;
  double majority_share() const;
  // Whether the accuracy may be that of always answering the majority class: the interval reaches down to its share.
  bool may_be_majority() const { return accuracy_interval().low <= majority_share(); }

  ClassScores of_class(std::int64_t index) const;
  double macro_f1() const;     // mean over the classes that occur, as gold or predicted
  double weighted_f1() const;  // mean over the classes, weighted by their support

  // A table for people: precision, recall, F1 and support of each class, the confusion matrix (rows: gold), and the accuracy beside that of
  // the majority class, with a word when it is no better.
  std::string table() const;

 private:
  bool occurs(std::int64_t index) const;
  std::string accuracy_text() const;

  std::vector<std::string> names_;
  std::vector<std::int64_t> counts_;  // [classes, classes], row: gold
};

}  // namespace attend
