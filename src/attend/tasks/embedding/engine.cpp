#include "attend/tasks/embedding/engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "attend/backend/backend.h"
#include "attend/checkpoint/finite.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/quote.h"
#include "attend/core/threads/parallel.h"
#include "attend/error.h"
#include "attend/tasks/learned_positions.h"
#include "attend/tasks/model_file/registry.h"

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
  if (tokens > 0) backend()->pool(pooling, vectors, {0, tokens}, result, {});
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

void add_special_tokens(const TextEncoder& encoder, std::vector<std::string>& tokens) {
  if (encoder.special.bos >= 0)
    tokens.insert(tokens.begin(), encoder.tokenizer.piece(encoder.special.bos));
  tokens.push_back(encoder.tokenizer.piece(encoder.special.eos));
}

}  // namespace

EmbeddingEngine EmbeddingEngine::load(const std::filesystem::path& path) {
  return EmbeddingEngine(*load_model(path));
}

EmbeddingEngine::EmbeddingEngine(const SavedModel& model)
    : encoder_(model.text_encoder()),
      kinds_(model.text_kinds),
      longest_(model.longest_input()),
      source_(model.source) {}

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

int EmbeddingEngine::vector_width(const EmbeddingOptions& options) const {
  layer_number(options.layer);
  if (encoder_.pooling && options.pooling == EmbeddingPooling::standard)
    return encoder_.pooling->width;
  EmbeddingOptions pooled = options;  // a layer of another network may be wider than its embeddings
  if (pooled.pooling == EmbeddingPooling::none) pooled.pooling = EmbeddingPooling::mean;
  return static_cast<int>(embed(std::array<std::string, 1>{}, pooled).front().vectors.cols());
}

std::string EmbeddingEngine::prompt_text(const EmbeddingOptions& options) const {
  if (options.prompt_text) return *options.prompt_text;
  const std::string& name = options.prompt;
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

std::int64_t EmbeddingEngine::tokens_to_skip(const EmbeddingOptions& options) const {
  const std::string prompt = prompt_text(options);
  if (prompt.empty() || !encoder_.pooling || encoder_.pooling->pools_prompt) return 0;
  return std::ssize(tokens_of(prompt, options, "the prompt").ids) +
         (encoder_.special.bos >= 0 ? 1 : 0);
}

EmbeddingEngine::TextTokens EmbeddingEngine::tokens_of(const std::string& text,
                                                       const EmbeddingOptions& options,
                                                       const std::string& where) const {
  const SpecialText special =
      encoder_.pooling ? encoder_.pooling->special_text : encoder_.special_text;
  std::vector<std::int32_t> ids = encoder_.tokenizer.encode(
      text, options.split_special_tokens ? SpecialText::as_text : special);
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
  const std::string own = preparer(options.preparation)(text);
  return std::ssize(tokens_of(prompt_text(options) + own, options, where).ids);
}

std::vector<TextEmbedding> EmbeddingEngine::embed(std::span<const std::string> texts,
                                                  const EmbeddingOptions& options) const {
  check_options(options);
  layer_number(options.layer);
  const std::string prompt = prompt_text(options);
  const TextPreparer prepare = preparer(options.preparation);
  std::vector<TextTokens> tokens(texts.size());
  parallel_for(std::ssize(texts), kTextsOfARange, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      tokens[i] = tokens_of(prompt + prepare(texts[i]), options, fmt::format("text {}", i + 1));
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
    if (options.special_tokens && encoder_.pooling)
      add_special_tokens(encoder_, embeddings.back().tokens);
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
    const Tensor vectors = text_vectors_of(states, batch, tokens_to_skip(options)).to_host();
    require_finite(vectors.span(), "the vector of a text", source_);
    for (std::int64_t i = 0; i < batch.sequences(); ++i)
      embeddings[static_cast<std::size_t>(i)].vectors = vectors.slice_rows(i, i + 1);
    return;
  }
  const bool all =
      options.special_tokens && encoder_.pooling && options.pooling == EmbeddingPooling::none;
  const std::int64_t before = encoder_.special.bos >= 0 && !all ? 1 : 0, after = all ? 0 : 1;
  for (std::int64_t i = 0; i < batch.sequences(); ++i)
    embeddings[static_cast<std::size_t>(i)].vectors =
        checked_pooled(states.slice_rows(batch.begin_of(i) + before, batch.begin_of(i + 1) - after),
                       options.pooling);
}

Tensor EmbeddingEngine::text_vectors_of(const Tensor& tokens, const Ragged& batch,
                                        std::int64_t skipped) const {
  if (skipped == 0) return encoder_.pooling->run(tokens, batch.offsets);
  std::vector<std::int32_t> rows, offsets{0};
  for (std::int64_t i = 0; i < batch.sequences(); ++i) {
    for (std::int64_t row = batch.begin_of(i) + skipped; row < batch.begin_of(i + 1); ++row)
      rows.push_back(static_cast<std::int32_t>(row));
    if (std::ssize(rows) == offsets.back())
      throw DataError("prompt: it leaves no room for a token of the text; use a shorter one");
    offsets.push_back(static_cast<std::int32_t>(rows.size()));
  }
  const Tensor kept = Tensor::empty({std::ssize(rows), tokens.cols()}, tokens.dtype());
  backend()->gather_rows(tokens, rows, kept);
  return encoder_.pooling->run(kept, offsets);
}

std::vector<TextEmbedding> EmbeddingEngine::embed_without_context(
    std::span<const std::string> texts, EmbeddingPooling pooling,
    const TextPreparation& preparation) const {
  const Tensor table = encoder_.embeddings();
  const TextPreparer prepare = preparer(preparation);
  std::vector<TextEmbedding> embeddings;
  for (const std::string& text : texts) {
    const std::vector<std::int32_t> ids = encoder_.tokenizer.encode(prepare(text));
    embeddings.push_back(without_vectors(encoder_.tokenizer, ids));
    const Tensor vectors = Tensor::empty({static_cast<std::int64_t>(ids.size()), table.cols()});
    backend()->gather_rows(table, ids, vectors);
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

float similarity(Similarity kind, std::span<const float> a, std::span<const float> b) {
  if (kind == Similarity::cosine) return cosine_similarity(a, b);
  if (a.size() != b.size())
    throw ConfigError(
        fmt::format("similarity: expected vectors of the same size, got {} and {} numbers",
                    a.size(), b.size()));
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) {
    const double x = a[d], y = b[d];
    sum += kind == Similarity::dot         ? x * y
           : kind == Similarity::euclidean ? (x - y) * (x - y)
                                           : std::abs(x - y);
  }
  if (kind == Similarity::dot) return static_cast<float>(sum);
  return static_cast<float>(kind == Similarity::euclidean ? -std::sqrt(sum) : -sum);
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
