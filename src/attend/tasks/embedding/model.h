// A saved model that turns texts into vectors: see saved_model.h, and
//
//   metadata   attend.task     "embedding"
//              attend.config   the EmbedderConfig, as JSON
//              attend.text     the TextLengthOptions, as JSON: how texts are truncated
//              attend.prompts  what is put before a text, by name, as a JSON object; only if any
//              attend.prompt   the name of the one that is used unless another is asked for; only
//                              if there is one
//              attend.pools_prompt  "false" if the tokens of a prompt are left out of the pooling
//              attend.similarity    how vectors are compared, unless by their cosine
//   tensors    tokenizer
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/models/text_embedder.h"
#include "attend/tasks/model_file/encoder_model.h"
#include "attend/text/tokenizer.h"

namespace attend {

inline std::span<const std::string_view> enum_names(Similarity) {
  static constexpr std::array<std::string_view, 4> kNames{"cosine", "dot", "euclidean",
                                                          "manhattan"};
  return kNames;
}
// nullopt for another name.
std::optional<Similarity> similarity_of(std::string_view name);

struct EmbeddingModel final : EncoderModel<TextEmbedder> {
  static constexpr std::string_view kTask = "embedding";

  TextLengthOptions length;
  TextPrompts prompts;
  bool pools_prompt = true;  // whether the tokens of a prompt count in the vector
  Similarity similarity = Similarity::cosine;

  EmbeddingModel(std::shared_ptr<TextEmbedder> network, Tokenizer tokenizer,
                 TextLengthOptions length);

  // All that the vocabulary has.
  SpecialTokens special() const override { return tokenizer.special_tokens(); }
  TextLengthOptions text_length() const override { return length; }
  // The ids that the model reads of a text.
  std::vector<std::int32_t> ids(std::string_view text) const {
    return classifier_ids(tokenizer.encode(text, special_text), special(), length);
  }

  std::string_view task() const override { return kTask; }
  Metadata configuration() const override;
  TextEncoder text_encoder() const override;
  GoldenFormat golden_format() const override {
    return {{{"text", &tokenizer}}, "vector", "embedded texts"};
  }
  // Returns what text_vectors() returns.
  Tensor outputs(const Ragged& texts) const override;
};

// Throws DataError for a damaged file or another kind of model.
EmbeddingModel embedding_model(const Checkpoint& checkpoint);

// The vectors of ragged ids [B texts] -> [B, D]. No gradients. Throws DataError if a number is not
// finite.
Tensor text_vectors(const EmbeddingModel& model, const Ragged& texts);

}  // namespace attend
