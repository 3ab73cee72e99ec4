#include "attend/tasks/embedding/engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "attend/backend/backend.h"
#include "attend/checkpoint/finite.h"
#include "attend/core/option_fields.h"
#include "attend/core/parallel.h"
#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/tasks/learned_positions.h"
#include "attend/tasks/registry.h"

namespace attend {

namespace {

// A batch of more tokens is not faster, only larger.
constexpr std::int64_t kMostBatchTokens = 1024;
// A thread tokenizes so many at least.
constexpr std::int64_t kTextsOfARange = 16;

// [T, D] -> [1, D]; zeros without tokens.
Tensor pooled(const Tensor& vectors, Pooling pooling) {
  const Tensor result = Tensor::zeros({1, vectors.cols()});
  const auto tokens = static_cast<std::int32_t>(vectors.rows());
  if (tokens > 0) backend().pool(pooling, vectors, {0, tokens}, result, {});
  return result;
}

Tensor pooled(const Tensor& vectors, EmbeddingPooling pooling) {
  switch (pooling) {
    case EmbeddingPooling::none:
      return vectors;
    case EmbeddingPooling::mean:
    case EmbeddingPooling::standard:
      return pooled(vectors, Pooling::mean);
    case EmbeddingPooling::first:
      return pooled(vectors, Pooling::first);
    case EmbeddingPooling::max:
      return pooled(vectors, Pooling::max);
  }
  return vectors;
}

TextEmbedding without_vectors(const Tokenizer& tokenizer, const std::vector<std::int32_t>& ids) {
  TextEmbedding embedding;
  for (const std::int32_t id : ids) embedding.tokens.push_back(tokenizer.piece(id));
  embedding.words = tokenizer.words(ids);
  return embedding;
}

}  // namespace

EmbeddingEngine EmbeddingEngine::load(const std::filesystem::path& path) {
  return EmbeddingEngine(*load_model(path));
}

EmbeddingEngine::EmbeddingEngine(const SavedModel& model)
    : encoder_(model.text_encoder()), longest_(model.longest_input()), source_(model.source) {}

void EmbeddingEngine::check_tokens(std::size_t tokens, const std::string& where) const {
  require_room(where, static_cast<std::int64_t>(tokens), encoder_.special.bos >= 0 ? 2 : 1,
               longest_);
}

Tensor EmbeddingEngine::checked_pooled(const Tensor& vectors, EmbeddingPooling pooling) const {
  require_finite(vectors.to_vector(), "vectors of the tokens", source_);
  const Tensor result = pooled(vectors, pooling).to_host();  // a sum may overflow
  require_finite(result.span(), "the vector of a text", source_);
  return result;
}

int EmbeddingEngine::layer_number(int layer) const {
  const int number = layer < 0 ? layers() + 1 + layer : layer;
  if (number < 0 || number > layers())
    throw ConfigError(
        fmt::format("layer: expected -{} .. {}, got {}", layers() + 1, layers(), layer));
  return number;
}

void EmbeddingEngine::check_length(const std::string& text, const std::string& where) const {
  if (longest_ > 0 && !encoder_.pooling)
    check_tokens(encoder_.tokenizer.encode(text).size(), where);
}

std::string EmbeddingEngine::prompt_text(const std::string& name) const {
  const TextPrompts none, &prompts = encoder_.pooling ? encoder_.pooling->prompts : none;
  const auto found = prompts.texts.find(name.empty() ? prompts.usual : name);
  if (found != prompts.texts.end()) return found->second;
  if (name.empty()) return "";
  if (prompts.texts.empty())
    throw ConfigError(fmt::format("prompt: the model has no prompts, got {}", quote(name)));
  std::vector<std::string_view> names;
  for (const auto& [known, text] : prompts.texts) names.push_back(known);
  throw ConfigError(fmt::format("prompt: expected one of the model's, {}; got {}",
                                printable(fmt::format("{}", fmt::join(names, ", "))), quote(name)));
}

EmbeddingEngine::TextTokens EmbeddingEngine::tokens_of(const std::string& text,
                                                       const std::string& where) const {
  std::vector<std::int32_t> ids = encoder_.tokenizer.encode(text);
  if (!encoder_.pooling) {
    check_tokens(ids.size(), where);
    return {std::move(ids)};
  }
  std::int64_t omitted = std::ssize(ids);
  ids = truncated_ids(std::move(ids), encoder_.special, encoder_.pooling->length);
  omitted -= std::ssize(ids);
  return {std::move(ids), omitted};
}

std::int64_t EmbeddingEngine::count_tokens(const std::string& text, const EmbeddingOptions& options,
                                           const std::string& where) const {
  check_options(options);
  layer_number(options.layer);
  return std::ssize(tokens_of(prompt_text(options.prompt) + text, where).ids);
}

std::vector<TextEmbedding> EmbeddingEngine::embed(std::span<const std::string> texts,
                                                  const EmbeddingOptions& options) const {
  check_options(options);
  layer_number(options.layer);
  const std::string prompt = prompt_text(options.prompt);
  std::vector<TextTokens> tokens(texts.size());
  parallel_for(std::ssize(texts), kTextsOfARange, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      tokens[i] = tokens_of(prompt + texts[i], fmt::format("text {}", i + 1));
  });
  const NoGradient guard;
  std::vector<TextEmbedding> embeddings;
  embeddings.reserve(texts.size());
  const auto batch_size = static_cast<std::size_t>(options.batch_size);
  RaggedBuilder sequences;
  std::size_t done = 0;
  const auto flush = [&] {
    if (embeddings.size() == done) return;
    add_vectors(sequences.build(), options, std::span(embeddings).subspan(done));
    done = embeddings.size();
  };
  for (const auto& [ids, omitted] : tokens) {
    if (embeddings.size() - done == batch_size ||
        sequences.tokens() + std::ssize(ids) > kMostBatchTokens)
      flush();
    embeddings.push_back(without_vectors(encoder_.tokenizer, ids));
    embeddings.back().omitted = omitted;
    if (encoder_.special.bos >= 0) sequences.append(encoder_.special.bos);
    sequences.append(ids);
    sequences.append(encoder_.special.eos);
    sequences.end_sequence();
  }
  flush();
  return embeddings;
}

void EmbeddingEngine::add_vectors(const Ragged& batch, const EmbeddingOptions& options,
                                  std::span<TextEmbedding> embeddings) const {
  const int layer = layer_number(options.layer);
  std::vector<Tensor> hidden;  // the input, then the output of every layer
  Pass pass = Pass::inference();
  if (layer < layers()) pass.hidden = &hidden;
  Tensor states = encoder_.run(batch, pass).value();
  if (layer < layers()) states = hidden[static_cast<std::size_t>(layer)];
  if (encoder_.pooling && options.pooling == EmbeddingPooling::standard) {
    const Tensor vectors = encoder_.pooling->run(states, batch.offsets).to_host();
    require_finite(vectors.span(), "the vector of a text", source_);
    for (std::int64_t i = 0; i < batch.sequences(); ++i)
      embeddings[static_cast<std::size_t>(i)].vectors = vectors.slice_rows(i, i + 1);
    return;
  }
  const std::int64_t before = encoder_.special.bos >= 0 ? 1 : 0;
  for (std::int64_t i = 0; i < batch.sequences(); ++i)
    embeddings[static_cast<std::size_t>(i)].vectors = checked_pooled(
        states.slice_rows(batch.begin_of(i) + before, batch.begin_of(i + 1) - 1), options.pooling);
}

std::vector<TextEmbedding> EmbeddingEngine::embed_without_context(
    std::span<const std::string> texts, EmbeddingPooling pooling) const {
  const Tensor table = encoder_.embeddings();
  std::vector<TextEmbedding> embeddings;
  for (const std::string& text : texts) {
    const std::vector<std::int32_t> ids = encoder_.tokenizer.encode(text);
    embeddings.push_back(without_vectors(encoder_.tokenizer, ids));
    const Tensor vectors = Tensor::empty({static_cast<std::int64_t>(ids.size()), width()});
    backend().gather_rows(table, ids, vectors);
    embeddings.back().vectors = checked_pooled(vectors, pooling);
  }
  return embeddings;
}

Embedding public_embedding(TextEmbedding embedding) {
  return {std::move(embedding.tokens), embedding.vectors.dim(0), embedding.vectors.cols(),
          embedding.vectors.to_vector(), embedding.omitted};
}

std::vector<float> mean_vector(const Tensor& vectors, std::int64_t begin, std::int64_t end) {
  return pooled(vectors.slice_rows(begin, end).clone(), Pooling::mean).to_vector();
}

float cosine_similarity(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size())
    throw ConfigError(
        fmt::format("cosine_similarity: expected vectors of the same size, got {} and {} numbers",
                    a.size(), b.size()));
  double product = 0, a_squares = 0, b_squares = 0;
  for (std::size_t d = 0; d < a.size(); ++d) {
    product += double{a[d]} * b[d];
    a_squares += double{a[d]} * a[d];
    b_squares += double{b[d]} * b[d];
  }
  return a_squares == 0 || b_squares == 0
             ? 0.0f
             : static_cast<float>(product / std::sqrt(a_squares * b_squares));
}

}  // namespace attend
