// How an encoder-decoder of CTranslate2 reads texts: its vocabularies and config.json, and what
// splits texts into pieces, which CTranslate2 leaves to its users.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "attend/interchange/model_directory.h"
#include "attend/models/architecture.h"
#include "attend/tasks/translation/model.h"

namespace attend {

// config.json, or what it says when it is not there.
struct Ctranslate2Config {
  std::string unk = "<unk>", bos = "<s>", eos = "</s>";
  std::optional<std::string> start = "<s>";  // nullopt: the user tells
  bool source_bos = false, source_eos = false;
  float epsilon = 0.0f;  // of all normalizations; 0: the default
};
// Throws DataError for a setting that is not supported.
Ctranslate2Config read_ctranslate2_config(const ModelDirectory& directory);
// The pieces in NAME.json or NAME.txt; nullopt: there is no such file.
std::optional<std::vector<std::string>> read_ctranslate2_vocabulary(const ModelDirectory& directory,
                                                                    const std::string& name);

// The pieces of both sides by their ids.
struct Ctranslate2Vocabularies {
  std::vector<std::string> source, target;
  bool joint = false;
};
Ctranslate2Vocabularies read_ctranslate2_vocabularies(const ModelDirectory& directory);

// Where the files of a model are: its directory, and that of what splits texts.
struct Ctranslate2Places {
  const ModelDirectory& model;
  const ModelDirectory& tokenizer;
};

// What the variables say of texts.
struct Ctranslate2TextShape {
  bool starts_from_zero = false;  // the decoder begins with zeros in place of an embedding
  bool is_relative = false;       // T5
};

// A model without a network: tokenizers, special tokens, languages and the options of decoding.
// With `starts_from_zero`, the target has one piece more, which the decoder begins with. Throws
// DataError, which says what is missing if nothing splits texts.
TranslationModel read_ctranslate2_texts(const Ctranslate2Places& places,
                                        const Ctranslate2Config& config,
                                        const Ctranslate2TextShape& shape,
                                        std::vector<std::string>& remarks);

}  // namespace attend
