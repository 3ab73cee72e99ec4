// Encodes text for a training of a language model that reads it from disk: `attend prepare lm`.
#pragma once

#include <string>
#include <vector>

#include "attend/data/documents.h"
#include "attend/tasks/preparation/preparation.h"
#include "attend/tasks/training/initial_model.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct LanguageFiles {
  std::string data;
  std::vector<std::string> train;
  std::string language;
  DocumentOptions units;
};

template <class Visitor>
void fields(LanguageFiles& o, Visitor&& visit) {
  visit("data", o.data, "folder that file names are relative to");
  visit("train", o.train,
        "training text, plain, gzip or zstd; several files are read one after another");
  visit("language", o.language,
        "language of the text, stored in the model; default: the extension of the training files, "
        "as in train.en");
  fields(o.units, visit);
}

struct LanguagePreparation {
  LanguageFiles data;
  TokenizerOptions vocabulary;
  PreparedFolderOptions preparation;
};

template <class Visitor>
void groups(LanguagePreparation& o, Visitor&& visit) {
  visit("data", o.data);
  visit("vocabulary", o.vocabulary);
  visit("preparation", o.preparation);
}

// As of LanguageTraining.
void settle_defaults(LanguagePreparation& options, const IsSet& is_set);

// Writes the folder. Memory: the sample that the vocabulary is learned from, and some thousand
// lines or a document, whatever the size of the text. `advance` counts the lines of both readings.
// Throws ConfigError, IoError and DataError as prepare_training() does for the text.
PreparationResult prepare_text(const LanguagePreparation& options, const Advance& advance = {});

}  // namespace attend
