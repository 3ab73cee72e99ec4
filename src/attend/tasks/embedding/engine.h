// Texts as vectors: the hidden states of a trained model.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/embedder.h"
#include "attend/tasks/model_file/saved_model.h"
#include "attend/tasks/text_preparer.h"
#include "attend/text/preparation.h"

namespace attend {

inline std::span<const std::string_view> enum_names(EmbeddingPooling) {
  static constexpr std::array<std::string_view, 5> kNames{"none", "mean", "max", "first",
                                                          "standard"};
  return kNames;
}

// For options that name a layer.
inline constexpr NumberRange kEncoderLayers = between(-1025, 1024);
inline constexpr std::string_view kEncoderLayerHelp =
    "encoder layer: 1 is the first, -1 the last, 0 the input of the first";

template <class Visitor>
void fields(EmbeddingOptions& o, Visitor&& visit) {
  visit("layer", o.layer, kEncoderLayers, kEncoderLayerHelp);
  visit("pooling", o.pooling,
        "one vector per text: mean, max or first of the tokens; standard: as an embedding model "
        "was trained, else mean; none: one vector per token");
  visit("batch-size", o.batch_size, between(1, 65536), "texts encoded together");
  visit("prompt", o.prompt,
        "name of the prompt to put before every text, such as query, for an embedding model; "
        "default: the default prompt of the model, if any");
  visit("split-special-tokens", o.split_special_tokens, kSplitSpecialTokensHelp);
  fields(o.preparation, visit);
}

struct TextEmbedding {
  std::vector<std::string> tokens;
  std::vector<Tokenizer::Word> words;  // groups of tokens
  Tensor vectors;            // [tokens, D]; [1, D] if pooled (zeros for a text without tokens)
  std::int64_t omitted = 0;  // further tokens of the text, beyond the length of the model
};

// Const members may be called from any number of threads at once; each call gets the answer it
// would get alone.
class EmbeddingEngine {
 public:
  // A model for embedding, the encoder of a translator or classifier, or a language model, whose
  // tokens see only earlier ones. Throws IoError or DataError.
  static EmbeddingEngine load(const std::filesystem::path& path);
  explicit EmbeddingEngine(const SavedModel& model);

  int layers() const { return encoder_.layers; }
  // Resolves EmbeddingOptions::layer to 0 .. layers(). Throws ConfigError for a layer the model
  // does not have.
  int layer_number(int layer) const;
  // Width of the input embeddings and of every Transformer layer; a layer of a recurrent encoder is
  // as wide as both of its states.
  int width() const { return encoder_.width; }

  // Returns the width of the pooled vectors of embed(). Throws like it.
  int vector_width(const EmbeddingOptions& options) const;
  Similarity similarity() const {
    return encoder_.pooling ? encoder_.pooling->similarity : Similarity::cosine;
  }

  // Returns one result per text, in order, independent of the other texts. Special tokens are
  // encoded but have no vectors unless asked for; the standard pooling of an embedding model
  // includes them. Such a model truncates texts; others read them whole, even beyond the max-length
  // of a classifier. Throws ConfigError for a layer or prompt the model does not have, DataError
  // like check_length(), and if a value is not finite.
  std::vector<TextEmbedding> embed(std::span<const std::string> texts,
                                   const EmbeddingOptions& options) const;

  // The tokens that embed() reads of a text, without special ones. Throws like it; `where` begins
  // messages about the text.
  std::int64_t count_tokens(const std::string& text, const EmbeddingOptions& options,
                            const std::string& where) const;

  // Throws DataError, with a message that begins with `where`, for a text longer than the model's
  // learned positions, unless the model truncates texts. The text is prepared.
  void check_length(const std::string& text, const std::string& where) const;

  // Prepares texts as embed() does. Throws ConfigError.
  TextPreparer preparer(const TextPreparation& preparation) const {
    return TextPreparer::of_input(kinds_, preparation);
  }

  // The same from the input embeddings: a word has the same vector in every context.
  std::vector<TextEmbedding> embed_without_context(std::span<const std::string> texts,
                                                   EmbeddingPooling pooling,
                                                   const TextPreparation& preparation = {}) const;

 private:
  void check_tokens(std::size_t tokens, const std::string& where) const;
  // What is put before each text. Throws ConfigError unless the model has this prompt.
  std::string prompt_text(const EmbeddingOptions& options) const;
  // The tokens that the prompt adds before those of a text, with bos; 0: all tokens are pooled.
  std::int64_t tokens_to_skip(const EmbeddingOptions& options) const;
  // The tokens of a text, truncated by an embedding model, which omits the others. Throws like
  // check_length().
  struct TextTokens {
    std::vector<std::int32_t> ids;
    std::int64_t omitted = 0;  // further ones
  };
  // The vectors [B, W] of an embedding model, without the first `skipped` tokens of each text.
  Tensor text_vectors_of(const Tensor& tokens, const Ragged& batch, std::int64_t skipped) const;
  TextTokens tokens_of(const std::string& text, const EmbeddingOptions& options,
                       const std::string& where) const;
  // Computes the vectors of a batch.
  void add_vectors(const Ragged& batch, const EmbeddingOptions& options,
                   std::span<TextEmbedding> embeddings) const;
  Tensor checked_pooled(const Tensor& vectors, EmbeddingPooling pooling) const;

  TextEncoder encoder_;
  TextKinds kinds_;
  std::int64_t longest_;  // tokens of a text including special tokens; 0: unlimited
  std::string source_;    // the file, for messages
};

// As users see it.
Embedding public_embedding(TextEmbedding embedding);

// The mean of the vectors [T, D] of some tokens -> [D].
std::vector<float> mean_vector(const Tensor& vectors, std::int64_t begin, std::int64_t end);

}  // namespace attend
