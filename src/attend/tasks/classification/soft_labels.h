// What teachers say of texts (taught_texts.h), as the targets of a classifier.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "attend/data/labeled_text.h"
#include "attend/tasks/training/taught_texts.h"

namespace attend {

class SoftLabels {
 public:
  // Throws like TaughtTexts; DataError unless they are what classifiers for this problem say.
  SoftLabels(const std::filesystem::path& folder, ProblemType problem);

  const std::vector<std::string>& labels() const { return taught_.kind().names; }

  struct Weights {
    float taught = 0;     // of the teachers, w, beside the label of a text
    float smoothing = 0;  // of that label
  };
  // Makes the targets of all texts distributions, or numbers: (1 - w) times that of their label
  // plus w times the teachers' where these know the text, else that of the label alone. Adds the
  // other texts that the teachers know, with what they say alone. `text` has the labels() among
  // its classes. Returns the number of texts that were added.
  std::size_t add_to(LabeledText& text, const Weights& weights) const;

 private:
  // The targets of a text among `classes`.
  std::vector<float> targets_of(std::size_t taught, const std::vector<std::string>& classes) const;

  TaughtTexts taught_;
  ProblemType problem_;
};

}  // namespace attend
