// Vectors of texts: those of an embedding model, or the hidden states of any other model.
//
//   const auto embedder = attend::Embedder::load("model.safetensors");
//   for (const attend::Embedding& e : embedder.embed(texts)) use(e.row(0));
//
// Text is UTF-8. Const members may be called from any number of threads at once; each call gets
// the answer it would get alone. Copies share the model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attend/runtime.h"
#include "attend/text_preparation.h"

#pragma GCC visibility push(default)
namespace attend {

// How the token vectors of a text become one vector; none: one vector per token. standard: as the
// embedding model was trained, special tokens included; for other models, the mean.
enum class EmbeddingPooling { none, mean, max, first, standard };

// How alike two vectors are; higher is more alike. euclidean and manhattan: the distance, with a
// minus.
enum class Similarity { cosine, dot, euclidean, manhattan };

struct EmbeddingOptions {
  int layer = -1;  // 1 .. layers(): the output of a layer; 0: the input of the first; negative:
                   // from the end, -1 the last
  EmbeddingPooling pooling = EmbeddingPooling::standard;
  int batch_size = 64;      // texts per batch
  std::string prompt = {};  // name of the model's prompt to put before each text; empty: the
                            // default prompt of the model, if it has one
  std::optional<std::string> prompt_text = {};  // put before each text in place of any prompt
  bool special_tokens = false;  // pooling none of an embedding model: with special tokens
  // Imported models read the string of a special token in a text, such as "[SEP]", as this token;
  // true: as letters, as other models always do.
  bool split_special_tokens = false;
  TextPreparation preparation = {};  // of the texts, without the prompt
};

struct Embedding {
  std::vector<std::string> tokens;  // the tokens of the text
  std::int64_t rows = 0;            // 1 if pooled, else one row per token
  std::int64_t width = 0;
  std::vector<float> values;  // [rows, width], row-major; zeros for a pooled text without tokens
  std::int64_t omitted = 0;   // number of tokens that an embedding model has truncated

  std::span<const float> row(std::int64_t index) const {
    return std::span(values).subspan(static_cast<std::size_t>(index * width),
                                     static_cast<std::size_t>(width));
  }
};

class Embedder {
 public:
  // Loads any model: an embedding model, the encoder of a translator, classifier or tagger, or a
  // language model, whose tokens see only earlier tokens. Without a runtime it uses the default
  // one. Throws IoError, or DataError for a file that is damaged or not a model.
  static Embedder load(const std::filesystem::path& path,
                       std::shared_ptr<Runtime> runtime = nullptr);

  int layers() const;
  // Returns the width of the embeddings and of the vectors of every Transformer layer. Pooled
  // vectors may be wider or narrower (Embedding::width).
  int width() const;

  // Returns the width of the pooled vectors of embed() with these options.
  int vector_width(const EmbeddingOptions& options = {}) const;
  // What the vectors of an embedding model are made to be compared with; cosine for other models.
  Similarity similarity() const;

  // Returns one result per text, in order. Results do not depend on the other texts. An embedding
  // model truncates long texts. Throws ConfigError for a layer or a prompt the model does not have,
  // DataError for a text longer than the learned positions of another model.
  std::vector<Embedding> embed(std::span<const std::string> texts,
                               const EmbeddingOptions& options = {}) const;

  // Like embed(), with the static embeddings: a token has the same vector in every context. Always
  // of width() numbers; EmbeddingPooling::standard is the mean.
  std::vector<Embedding> embed_without_context(std::span<const std::string> texts,
                                               EmbeddingPooling pooling,
                                               const TextPreparation& preparation = {}) const;

 private:
  friend class BaseModel;
  friend class Engine;
  struct Impl;
  explicit Embedder(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

// How alike two vectors are. Throws ConfigError unless they have equally many numbers.
float similarity(Similarity kind, std::span<const float> a, std::span<const float> b);

// Cosine of the angle between two vectors; 0 if one of them is zero. Throws ConfigError unless they
// have equally many numbers.
float cosine_similarity(std::span<const float> a, std::span<const float> b);

}  // namespace attend
#pragma GCC visibility pop
