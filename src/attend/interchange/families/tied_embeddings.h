// Which tensors of a file hold the embeddings and the output projection of a model.
//
// config.json says whether they are one table (tie_word_embeddings), but the weights have the last
// word, as in transformers: a tensor that the file holds, and that differs from the one it should
// be tied to, is used.
#pragma once

#include <string_view>
#include <vector>

#include "attend/interchange/model_directory.h"
#include "attend/interchange/weights/name_map.h"
#include "attend/interchange/weights/tensor_table.h"
#include "attend/models/architecture.h"

namespace attend {

// Whether two tensors, which are used then, have the same elements; false where one is missing.
bool same_tables(TensorTable& weights, std::string_view a, std::string_view b);

// The tensors of an encoder-decoder, in the words of its family.
struct EmbeddingTensors {
  std::string_view shared, encoder, decoder, output;

  std::vector<std::string_view> all() const { return {shared, encoder, decoder, output}; }
};

struct ForeignEmbeddings {
  TiedEmbeddings tied = TiedEmbeddings::all;
  std::vector<NameRule> names;  // where our tables come from
};

// Where our tables are, if they are tied in this way. `decoder` has those of both sides if they are
// one.
ForeignEmbeddings named_embeddings(TiedEmbeddings tied, std::string_view encoder,
                                   std::string_view decoder, std::string_view output);

// Reads the tables to compare them. `tied` is what the settings say of the output projection: if it
// is untied, the file must hold it. A model that is being written has no weights yet: it is what
// `written` says.
ForeignEmbeddings find_embeddings(const ModelDirectory& directory, const EmbeddingTensors& tensors,
                                  bool tied, TiedEmbeddings written);

// The same where a file has the tables of both sides and of the output under these names. `joint`:
// whether both sides have one vocabulary; otherwise they share no table.
ForeignEmbeddings find_embeddings(TensorTable& weights, const EmbeddingTensors& tensors,
                                  bool joint);

// Whether a language model, whose settings say that its output projection is tied to its
// embeddings, has another one in its file. Some files leave out what the names of its family begin
// with.
bool has_own_output(const ModelDirectory& directory, const NameMap& names);

}  // namespace attend
