// What checkpoints of OpenNMT-py share, whatever the task of their model: settings, the shape of a
// stack, texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attend/interchange/families/checkpoints/checkpoint_model.h"
#include "attend/interchange/families/checkpoints/subwords.h"
#include "attend/interchange/families/tied_embeddings.h"
#include "attend/models/stack/stack_config.h"

namespace attend {

inline constexpr std::string_view kOpennmtSourceWords =
                                      "encoder.embeddings.make_embedding.emb_luts.0.weight",
                                  kOpennmtTargetWords =
                                      "decoder.embeddings.make_embedding.emb_luts.0.weight";
// The names of parts of layers.
inline constexpr const char *kOpennmtEncoderLayer = "encoder.transformer.{}.{}",
                            *kOpennmtDecoderLayer = "decoder.transformer_layers.{}.{}";

CheckpointModel read_opennmt_translator(const OpenedCheckpoint& checkpoint, ForeignConfig opt);
CheckpointModel read_opennmt_language(const OpenedCheckpoint& checkpoint, ForeignConfig opt);

// The tensors of a model, and the names of its projection to the vocabulary, which are others in
// version 2.
struct OpennmtWeights {
  TensorTable table;
  std::string_view projection, bias;
};
OpennmtWeights open_opennmt_weights(const OpenedCheckpoint& checkpoint);

// The number of layers. Throws DataError for none.
int opennmt_layers(const TensorTable& weights, const char* layer);
// The shape of a stack by the first of its layers, `words` the table of its embeddings, without the
// number of layers. Throws DataError for parts that are not supported.
void read_opennmt_stack(ForeignConfig& opt, TensorTable& weights, const char* layer,
                        std::string_view words, StackConfig& shape);

// The names of all weights but the embeddings. `shape` is that of all stacks.
void add_opennmt_names(ForeignConfig& opt, const StackConfig& shape, NameMap& names);
// Throws DataError unless two tensors are equal, or the first is missing.
void require_one_table(TensorTable& weights, std::string_view copy, std::string_view table);
// Throws DataError unless the tensor is missing or has the sinusoids of the shape, one row for each
// position.
void require_sinusoids(TensorTable& weights, std::string_view name, const StackConfig& shape);

// The tables of an encoder-decoder, in the words of its program.
struct OpennmtTables {
  std::string_view source, target, projection;
};
// Which of them are one, by "share_embeddings" and "share_decoder_embeddings". Throws DataError
// where the file has others.
ForeignEmbeddings read_shared_tables(ForeignConfig& opt, TensorTable& weights,
                                     const OpennmtTables& tables);

// What a text is: the entries of a side, and the file that splits words into these.
Tokenizer opennmt_tokenizer(const OpenedCheckpoint& checkpoint, ForeignConfig& opt,
                            const std::string& side, std::vector<std::string>& remarks);
// What a decoder begins with: <s> or </s>; nullopt: nothing. Throws DataError.
std::optional<std::int32_t> opennmt_start(const OpenedCheckpoint& checkpoint,
                                          const SpecialTokens& special);

}  // namespace attend
