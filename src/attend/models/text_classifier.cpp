#include "attend/models/text_classifier.h"

#include <fmt/format.h>

#include <cmath>

#include "attend/core/number_range.h"
#include "attend/core/option_fields.h"
#include "attend/error.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/pooling.h"

namespace attend {

namespace {

const ClassifierConfig& validated(const ClassifierConfig& config) {
  validate(config);
  return config;
}

}  // namespace

void validate(const ClassifierConfig& c) {
  check_options(c);
  validate_stack(c);
  require_in_range("vocab-size", c.vocab_size, kVocabularySizes);
  require_in_range("classes", c.classes, between(2, kVocabularySizes.most));
}

Ids bigram_buckets(const Ragged& texts, int buckets) {
  std::vector<std::int32_t> result;
  result.reserve(texts.ids->size());
  for (std::size_t b = 0; b + 1 < texts.offsets->size(); ++b) {
    std::uint64_t before = 0;  // for a first token; ids count from 1 here
    for (std::int32_t n = (*texts.offsets)[b]; n < (*texts.offsets)[b + 1]; ++n) {
      const auto here = static_cast<std::uint64_t>(texts.ids[n]) + 1;
      const std::uint64_t hash = (before * 0x9E3779B97F4A7C15u ^ here) * 0xC2B2AE3D27D4EB4Fu;
      result.push_back(
          static_cast<std::int32_t>((hash >> 32) % static_cast<std::uint64_t>(buckets)));
      before = here;
    }
  }
  return result;
}

TextClassifier::TextClassifier(const ClassifierConfig& config)
    : config_(validated(config)),
      // Multiplied by sqrt(D) before the encoder.
      embedding_(parameters_.add_table(
          "embedding.weight", {config.vocab_size, config.d_model},
          {Init::Kind::normal,
           config.embedding_deviation / std::sqrt(static_cast<float>(config.d_model))})),
      bigram_embedding_(config.bigram_buckets == 0
                            ? Parameter()
                            : parameters_.add_table("bigram_embedding.weight",
                                                    {config.bigram_buckets, config.d_model}, {})),
      input_(parameters_, "", config),
      encoder_(parameters_, "encoder", config, {.layers = config.n_encoder_layers}),
      output_(parameters_, "output", config.d_model, config.classes) {}

TextClassifier::TextClassifier(const ClassifierConfig& config, std::uint64_t seed)
    : TextClassifier(config) {
  parameters_.allocate(seed);
}

TextClassifier::TextClassifier(const ClassifierConfig& config, Purpose) : TextClassifier(config) {}

Variable TextClassifier::encode(const Ragged& texts, Pass& pass) const {
  Variable x = input_.whole(embedding_, texts, pass);
  if (bigram_embedding_)
    x = add(x, embedding(*bigram_embedding_, bigram_buckets(texts, config_.bigram_buckets),
                         config_.scale_of_embeddings(), {}, pass.dropout(config_.dropout)));
  FullContext context(texts.self_pattern(false));
  return encoder_.forward(x, context, pass);
}

Variable TextClassifier::forward(const Ragged& texts, Pass& pass) const {
  const Variable text = pool(encode(texts, pass), texts.offsets, config_.pooling);
  return output_.forward(dropout(text, pass.dropout(config_.output_dropout)), pass);
}

}  // namespace attend
