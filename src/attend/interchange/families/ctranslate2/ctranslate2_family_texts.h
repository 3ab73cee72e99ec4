// Texts of a model of CTranslate2 that was one of transformers: the files of the original tokenizer
// are beside it, and the family of the original says what they mean.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attend/interchange/families/ctranslate2/ctranslate2_texts.h"

namespace attend::detail {

// "marian", "m2m_100", ...: what config.json of the original called "model_type"; nullopt where
// there are no files of such a tokenizer.
std::optional<std::string_view> ctranslate2_family(const ModelDirectory& directory,
                                                   const Ctranslate2TextShape& shape);

// `from_zero`: the decoder begins with zeros in place of an embedding, for which the vocabularies
// have no piece.
TranslationModel read_ctranslate2_family(std::string_view family, bool from_zero,
                                         const Ctranslate2Places& places,
                                         const Ctranslate2Config& config,
                                         const Ctranslate2Vocabularies& vocabularies,
                                         std::vector<std::string>& remarks);

// The files of a tokenizer of transformers in the directory, in memory.
TextFiles ctranslate2_tokenizer_files(const ModelDirectory& directory);

// Throws DataError unless the pieces of the tokenizer are those of the vocabulary, by their ids.
// Embeddings that belong to no piece have any name.
void require_ctranslate2_pieces(const Tokenizer& tokenizer, const std::vector<std::string>& pieces,
                                const ModelDirectory& directory);

// The defaults of CTranslate2.
ModelDecoding ctranslate2_decoding();

// In place of a network that is not known yet.
std::shared_ptr<EncoderDecoder> unused_network();

}  // namespace attend::detail
