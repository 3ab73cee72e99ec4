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
  ClassScores of_class(std::int64_t index) const;
  double macro_f1() const;     // mean over the classes that occur, as gold or predicted
  double weighted_f1() const;  // mean over the classes, weighted by their support

  // A table for people: precision, recall, F1 and support of each class, accuracy, and the confusion matrix (rows: gold).
  std::string table() const;

 private:
  bool occurs(std::int64_t index) const;

  std::vector<std::string> names_;
  std::vector<std::int64_t> counts_;  // [classes, classes], row: gold
};

}  // namespace attend
