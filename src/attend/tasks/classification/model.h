// A text classifier as users keep it: architecture, parameters, tokenizer and classes in one file.
//
//   metadata   attend.task    "classification"
//              attend.config  the ClassifierConfig, as JSON
//              attend.text    the TextLengthOptions, as JSON: how much of a text it looks at
//              attend.labels  the names of the classes, a JSON array in the order of the logits
//   tensors    the parameters under their module paths; tokenizer (u8)
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/data/classification.h"
#include "attend/models/text_classifier.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct ClassificationModel {
  std::shared_ptr<TextClassifier> classifier;
  Tokenizer tokenizer;
  std::vector<std::string> labels;
  TextLengthOptions length;
  std::string source = {};  // the file it was read from, for messages

  // The special tokens that it wants around a text; no bos unless it looks at the first token.
  SpecialTokens special() const;
  // What it sees of a text.
  std::vector<std::int32_t> ids(std::string_view text) const { return classifier_ids(tokenizer.encode(text), special(), length); }
};

// Writes what describes a classification model beside its parameters.
void describe_classification_model(Checkpoint& checkpoint, const ClassificationModel& model);

// Throws IoError, or DataError for a file that is damaged or holds something else.
ClassificationModel load_classification_model(const std::filesystem::path& path);
ClassificationModel classification_model(const Checkpoint& checkpoint);

// log p(class | text) of ragged ids [B texts] -> [B, C]. No gradients. Throws DataError when one is not finite.
Tensor class_log_probabilities(const ClassificationModel& model, const Ragged& texts);

}  // namespace attend
