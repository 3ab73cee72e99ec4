// Encodes sentence pairs for a training that reads them from disk: `attend prepare translation`.
#pragma once

#include "attend/tasks/preparation/preparation.h"
#include "attend/tasks/translation/pair_text.h"

namespace attend {

struct TranslationPreparation {
  PairTextOptions data;
  PairVocabularyOptions vocabulary;
  PreparedFolderOptions preparation;
};

template <class Visitor>
void groups(TranslationPreparation& o, Visitor&& visit) {
  visit("data", o.data);
  visit("vocabulary", o.vocabulary);
  visit("preparation", o.preparation);
}

// Writes the folder. Memory: the sample that vocabularies are learned from, and some thousand
// lines, whatever the size of the text. Pairs are kept, truncated or skipped as training does that
// reads the text itself. `advance` counts the pairs of both readings. Throws ConfigError, IoError
// and DataError as prepare_training() does for the text.
PreparationResult prepare_text(const TranslationPreparation& options, const Advance& advance = {});

}  // namespace attend
