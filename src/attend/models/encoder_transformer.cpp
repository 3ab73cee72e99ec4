#include "attend/models/encoder_transformer.h"

#include <cmath>

#include "attend/core/options/number_range.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/error.h"
#include "attend/ops/elementwise.h"

namespace attend {

namespace {

// Embeddings are multiplied by sqrt(D) before the encoder, unless the configuration says otherwise.
Init embedding_init(const EncoderConfig& config) {
  return {Init::Kind::normal,
          config.embedding_deviation / std::sqrt(static_cast<float>(config.d_model))};
}

}  // namespace

void validate(const EncoderConfig& c) {
  check_options(c);
  validate_stack(c);
  if (c.uncounted_token >= 0 && c.positions != PositionKind::learned)
    throw OptionError<ConfigError>("{}: needs {} learned", as_key("uncounted-token"),
                                   as_key("positions"));
  require_in_range("vocab-size", c.vocab_size, kVocabularySizes);
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

EncoderTransformer::EncoderTransformer(ParameterSet& parameters, const EncoderConfig& config)
    : causal_(config.causal),
      buckets_(config.bigram_buckets),
      scale_(config.scale_of_embeddings()),
      dropout_(config.dropout),
      embedding_(parameters.add_table("embedding.weight",
                                      {config.vocab_size, config.width_of_embeddings()},
                                      embedding_init(config))),
      bigram_embedding_(config.bigram_buckets == 0
                            ? Parameter()
                            : parameters.add_table("bigram_embedding.weight",
                                                   {config.bigram_buckets, config.d_model}, {})),
      input_(parameters, {"encoder", ""}, config,
             {config.token_types, config.uncounted_token, config.embedding_width}),
      stack_(parameters, "encoder", config,
             {.layers = config.n_encoder_layers, .causal = config.causal}) {}

Variable EncoderTransformer::forward(const Ragged& texts, Pass& pass, const Ids& types) const {
  Variable x = input_.whole(embedding_, texts, pass, types);
  if (bigram_embedding_)
    x = add(x, embedding(*bigram_embedding_, bigram_buckets(texts, buckets_), scale_, {},
                         pass.dropout(dropout_)));
  SequenceContext context(texts, causal_);
  return stack_.forward(x, context, pass);
}

}  // namespace attend
