// Which files of a directory make a model of Marian, and how its outputs are searched.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "attend/interchange/model_directory.h"
#include "attend/tasks/translation/model.h"

namespace attend {

struct MarianOptions {
  std::string weights;
  std::vector<std::string> vocabularies;  // of the source and of the target
  std::string shortlist = {};             // empty: none
  ModelDecoding decoding = {};
  bool writes_unknown = false;
  LanguagePair languages = {};  // empty: the files do not say
};

// decoder.yml or one *.decoder.yml of Marian, one config.*.yml of translateLocally, or the files of
// Firefox: model.deen.*.bin, vocab.deen.spm, or srcvocab and trgvocab, and perhaps
// lex.*.deen.*.bin. nullopt: none of these. Throws DataError.
std::optional<MarianOptions> find_marian_options(const ModelDirectory& directory);

// The directory, with the files that gzip packed as if they were not and their names without
// ".gz". Throws IoError, and DataError for a damaged file.
ModelDirectory without_gzip(const ModelDirectory& directory);

}  // namespace attend
