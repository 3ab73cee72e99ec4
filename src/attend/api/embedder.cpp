#include "attend/embedder.h"

#include <utility>

#include "attend/api/views.h"
#include "attend/core/threads/entered_runtime.h"

namespace attend {

namespace {

std::vector<Embedding> public_embeddings(std::vector<TextEmbedding> embeddings) {
  std::vector<Embedding> result;
  result.reserve(embeddings.size());
  for (TextEmbedding& embedding : embeddings)
    result.push_back(public_embedding(std::move(embedding)));
  return result;
}

}  // namespace

Embedder Embedder::load(const std::filesystem::path& path, std::shared_ptr<Runtime> runtime) {
  return Embedder(std::make_shared<const Impl>(*LoadedModel::load(path, std::move(runtime))));
}

int Embedder::layers() const { return impl_->engine.layers(); }

int Embedder::width() const { return impl_->engine.width(); }

int Embedder::vector_width(const EmbeddingOptions& options) const {
  const EnteredRuntime entered(impl_->runtime);
  return impl_->engine.vector_width(options);
}

Similarity Embedder::similarity() const { return impl_->engine.similarity(); }

std::vector<Embedding> Embedder::embed(std::span<const std::string> texts,
                                       const EmbeddingOptions& options) const {
  const EnteredRuntime entered(impl_->runtime);
  return public_embeddings(impl_->engine.embed(texts, options));
}

std::vector<Embedding> Embedder::embed_without_context(std::span<const std::string> texts,
                                                       EmbeddingPooling pooling,
                                                       const TextPreparation& preparation) const {
  const EnteredRuntime entered(impl_->runtime);
  return public_embeddings(impl_->engine.embed_without_context(texts, pooling, preparation));
}

}  // namespace attend
