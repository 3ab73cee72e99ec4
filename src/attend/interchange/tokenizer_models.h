// The models that a tokenizer.json may hold, each with the parts that go with it. Private to
// interchange/.
#pragma once

#include "attend/interchange/tokenizer_vocabulary.h"

namespace attend::detail {

// Each reads the model, the normalizer, the pre-tokenizer and the decoder of the file. Throws
// DataError. `model`: the file's member of this name.
Tokenizer read_foreign_wordpiece(JsonObject& file, JsonObject& model, ForeignVocabulary& vocabulary,
                                 const ForeignTemplate& marks);
Tokenizer read_foreign_byte_bpe(JsonObject& file, JsonObject& model, ForeignVocabulary& vocabulary,
                                const ForeignTemplate& marks);
Tokenizer read_foreign_unigram(JsonObject& file, JsonObject& model, ForeignVocabulary& vocabulary,
                               const ForeignTemplate& marks);
Tokenizer read_foreign_bpe(JsonObject& file, JsonObject& model, ForeignVocabulary& vocabulary,
                           const ForeignTemplate& marks);

// The pairs of "merges": ["a b"] or [["a", "b"]].
std::vector<std::pair<std::string, std::string>> read_foreign_merges(JsonObject& model);

// The form of a normalizer that is nothing else.
std::optional<UnicodeForm> foreign_unicode_form(const TypedPart& part);

}  // namespace attend::detail
