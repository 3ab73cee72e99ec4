// Another vocabulary for the model that a training starts from (--init-vocabulary): what the model
// knows of a token stays with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/tensor/tensor.h"
#include "attend/text/tokenizer.h"

namespace attend {

// What the tokens of a vocabulary begin as.
struct VocabularyMap {
  // For each token the tokens of the old vocabulary whose mean it begins as; none: that of all.
  std::vector<std::vector<std::int32_t>> parts;
  std::int64_t kept = 0;  // tokens that the old vocabulary has, too

  // "5,231 of 8,000 pieces keep their vectors (65.4%), 2,760 begin as the mean of their parts".
  std::string summary() const;
};

// Special tokens correspond by what they mean, other pieces by their text and by whether they begin
// a word, also between types of tokenizers. The text of a piece that is new is cut into parts by
// the old tokenizer.
VocabularyMap map_vocabulary(const Tokenizer& before, const Tokenizer& now);

// Rows by token, [V] or [V, D], for the new vocabulary.
Tensor map_rows(const Tensor& rows, const VocabularyMap& map);

// The tokenizer of a model file or a run folder with a single vocabulary, or a SentencePiece
// .model file. Throws IoError or DataError.
Tokenizer load_vocabulary(const std::filesystem::path& path);

// The model with other vocabularies: one, or those of the source and the target of a model that has
// two. Adds a line for each to `notes`. Throws ConfigError for another number of vocabularies, for
// one without a special token that the model needs, and for a model that names tokens of its own
// (several languages, a conversation) or has n-grams of them.
Checkpoint with_vocabularies(const Checkpoint& model, std::span<const Tokenizer> vocabularies,
                             std::vector<std::string>& notes);

}  // namespace attend
