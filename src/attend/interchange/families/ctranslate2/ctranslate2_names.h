// CTranslate2's names for our parameters.
#pragma once

#include <vector>

#include "attend/interchange/families/tied_embeddings.h"
#include "attend/interchange/weights/name_map.h"
#include "attend/models/architecture.h"

namespace attend {

// The tables of an encoder-decoder. Files before revision 6 have one name less for the encoder's.
EmbeddingTensors ctranslate2_embeddings(const TensorTable& variables);

// `from_zero`: the decoder begins with zeros in place of an embedding, for which our tables have
// one row more.
NameMap ctranslate2_names(const TransformerConfig& shape, const ForeignEmbeddings& embeddings,
                          bool from_zero);

// The same of a language model, whose queries, keys and values split_ctranslate2_heads() makes
// tensors of their own.
NameMap ctranslate2_language_names();

// The rules of an encoder.
std::vector<NameRule> ctranslate2_encoder_rules();

// Adds the maps of queries, keys and values in each layer of the decoder, which are one in the
// file: there may be fewer heads of keys and values. Throws DataError for other sizes.
void split_ctranslate2_heads(TensorTable& variables, const StackConfig& shape, int layers);

// The other direction: joins the maps of queries, keys and values in each layer.
void join_ctranslate2_heads(std::vector<NamedTensor>& weights);

}  // namespace attend
