// Texts as vectors: what a trained model makes of every token, given the others.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options.h"
#include "attend/embedder.h"
#include "attend/tasks/saved_model.h"

namespace attend {

inline std::span<const std::string_view> enum_names(EmbeddingPooling) {
  static constexpr std::array<std::string_view, 4> kNames{"none", "mean", "max", "first"};
  return kNames;
}

// Of an option that names a layer.
inline constexpr NumberRange kEncoderLayers = between(-1025, 1024);
inline constexpr std::string_view kEncoderLayerHelp =
    "encoder layer: 1 is the first, -1 the last, 0 the input of the first";

template <class Visitor>
void fields(EmbeddingOptions& o, Visitor&& visit) {
  visit("layer", o.layer, kEncoderLayers, kEncoderLayerHelp);
  visit("pooling", o.pooling,
        "one vector per text: mean, max or first of the token vectors; none: one vector per token");
  visit("batch-size", o.batch_size, between(1, 65536), "texts encoded together");
}

struct TextEmbedding {
  std::vector<std::string> tokens;
  std::vector<Tokenizer::Word> words;  // runs of tokens
  Tensor vectors;  // [tokens, D]; [1, D] when pooled (zeros for a text without tokens)
};

// Any number of threads may call the const members of one object at the same time; they get the
// answers that they would get alone.
class EmbeddingEngine {
 public:
  // The encoder of a translation or a classification model, or a language model, where a token
  // knows what stands before it. Throws IoError or DataError.
  static EmbeddingEngine load(const std::filesystem::path& path);
  explicit EmbeddingEngine(const SavedModel& model);

  int layers() const { return encoder_.layers; }
  // 0 .. layers() for EmbeddingOptions::layer. Throws ConfigError for a layer that the model does
  // not have.
  int layer_number(int layer) const;
  // Of the table of input embeddings, and of every layer of a Transformer; a layer of a recurrent
  // encoder is as wide as both its states.
  int width() const { return encoder_.width; }

  // In the order of `texts`; what a text becomes does not depend on the others. The special tokens
  // at its ends, which the encoder sees, have no vectors. Texts are read whole, beyond the
  // max-length of a classifier too. Throws ConfigError for a layer that the model does not have,
  // DataError as check_length() does, and when a number is not finite.
  std::vector<TextEmbedding> embed(std::span<const std::string> texts,
                                   const EmbeddingOptions& options) const;

  // Throws DataError, its message beginning with `where`, for a text that is longer than the
  // positions the model has learned.
  void check_length(const std::string& text, const std::string& where) const;

  // The same from the table of input embeddings: a word has the same vector wherever it stands.
  std::vector<TextEmbedding> embed_without_context(std::span<const std::string> texts,
                                                   EmbeddingPooling pooling) const;

 private:
  void check_tokens(std::size_t tokens, const std::string& where) const;
  Tensor checked_pooled(const Tensor& vectors, EmbeddingPooling pooling) const;

  TextEncoder encoder_;
  std::int64_t longest_;  // tokens of a text with its special tokens; 0: any number
  std::string source_;    // the file, for messages
};

// The mean of the vectors [T, D] of some tokens -> [D].
std::vector<float> mean_vector(const Tensor& vectors, std::int64_t begin, std::int64_t end);

}  // namespace attend
