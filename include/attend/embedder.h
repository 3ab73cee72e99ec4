// Texts as vectors: what a trained model, of whatever kind, makes of every token, given the others.
//
//   const auto embedder = attend::Embedder::load("model.safetensors");
//   for (const attend::Embedding& e : embedder.embed(texts)) use(e.row(0));
//
// Text is UTF-8. Any number of threads may call the const members of one object at the same time;
// each gets the answer that it would get alone. Copies share the model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attend/runtime.h"

#pragma GCC visibility push(default)
namespace attend {

// One vector for a text, of those of its tokens; or, with none, one for each token.
enum class EmbeddingPooling { none, mean, max, first };

struct EmbeddingOptions {
  int layer =
      -1;  // 1 .. layers(); 0: what enters the first; negative: counted from the end, -1 the last
  EmbeddingPooling pooling = EmbeddingPooling::mean;
  int batch_size = 64;  // texts that go through the model together
};

struct Embedding {
  std::vector<std::string> tokens;  // the pieces of the text
  std::int64_t rows = 0;            // 1 when pooled, else a row for each token
  std::int64_t width = 0;
  std::vector<float>
      values;  // [rows, width], row after row; zeros for a pooled text without tokens

  std::span<const float> row(std::int64_t index) const {
    return std::span(values).subspan(static_cast<std::size_t>(index * width),
                                     static_cast<std::size_t>(width));
  }
};

class Embedder {
 public:
  // The encoder of a translation or a classification model, or a language model, where a token
  // knows only what stands before it. Without a runtime: the default one. Throws IoError, or
  // DataError for a file that is damaged or no model.
  static Embedder load(const std::filesystem::path& path,
                       std::shared_ptr<Runtime> runtime = nullptr);

  int layers() const;
  int width() const;  // of the embeddings, and of every layer of a Transformer

  // In the order of `texts`; what a text becomes does not depend on the others. Throws ConfigError
  // for a layer that the model does not have, DataError for a text that is longer than the
  // positions that the model has learned.
  std::vector<Embedding> embed(std::span<const std::string> texts,
                               const EmbeddingOptions& options = {}) const;

  // The same from the table of input embeddings: a token has the same vector wherever it stands.
  std::vector<Embedding> embed_without_context(std::span<const std::string> texts,
                                               EmbeddingPooling pooling) const;

 private:
  struct Impl;
  explicit Embedder(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

// Cosine of the angle between two vectors of one length; 0 when one of them is zero.
float cosine_similarity(std::span<const float> a, std::span<const float> b);

}  // namespace attend
#pragma GCC visibility pop
