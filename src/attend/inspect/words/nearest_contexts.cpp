#include "attend/inspect/words/nearest_contexts.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/options/number_range.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/inspect/words/word_vector.h"

namespace attend {

namespace {

constexpr std::size_t kWindow = 1024;  // lines in memory

}  // namespace

std::vector<WordContext> nearest_contexts(const EmbeddingEngine& embedder, const std::string& text,
                                          const std::string& word, LineReader& corpus, int layer,
                                          int count) {
  require_in_range("count", count, kContextCounts);
  const std::string wanted = bare_word(word);
  EmbeddingOptions options;
  options.layer = layer;
  options.pooling = EmbeddingPooling::none;
  const std::vector<float> query =
      word_vector(embedder.embed(std::span(&text, 1), options).front(), wanted);
  if (query.empty())
    throw DataError(
        fmt::format("the text {} does not contain the word {}", quote(text), quote(word)));

  std::vector<WordContext> nearest;
  const auto keep_nearest = [&] {
    std::stable_sort(
        nearest.begin(), nearest.end(),
        [](const WordContext& a, const WordContext& b) { return a.similarity > b.similarity; });
    if (nearest.size() > static_cast<std::size_t>(count))
      nearest.resize(static_cast<std::size_t>(count));
  };
  std::vector<std::string> lines;
  std::vector<std::int64_t> numbers;
  const auto look_at_window = [&] {
    const std::vector<TextEmbedding> embeddings = embedder.embed(lines, options);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::vector<float> vector = word_vector(embeddings[i], wanted);
      if (!vector.empty())
        nearest.push_back({lines[i], numbers[i], cosine_similarity(query, vector)});
    }
    keep_nearest();
    lines.clear();
    numbers.clear();
  };
  for (std::string line; corpus.next(line);) {
    if (bare_word(line).find(wanted) == std::string::npos) continue;  // most lines need no model
    embedder.check_length(line, corpus.where());
    lines.push_back(line);
    numbers.push_back(corpus.line_number());
    if (lines.size() == kWindow) look_at_window();
  }
  look_at_window();
  return nearest;
}

}  // namespace attend
