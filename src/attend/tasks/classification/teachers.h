// Classifiers that teach another one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "attend/tasks/classification/engine.h"
#include "attend/tasks/training/initial_model.h"
#include "attend/tasks/training/taught_texts.h"

namespace attend {

class ClassificationTeachers {
 public:
  // At least one. Throws DataError unless all are classifiers with the same labels, in any order,
  // that read the same kind of text.
  explicit ClassificationTeachers(const Teachers& teachers);

  ProblemType problem() const { return engines_.front().model().problem_type(); }
  bool read_pairs() const { return engines_.front().model().pairs; }
  // Named like the problem; the names are the labels of the first.
  TaughtKind kind() const;

  // The means of what they answer for each text: the probabilities of the labels, or the number,
  // row after row. Throws like ClassificationEngine::classify().
  std::vector<float> answers(std::span<const std::string> texts,
                             const ClassificationOptions& options = {}) const;

 private:
  std::vector<ClassificationEngine> engines_;
  std::vector<std::vector<std::size_t>> places_;  // of the first's labels among those of each
};

}  // namespace attend
