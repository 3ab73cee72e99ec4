// The tagger of tokens: a Transformer encoder, one logit per tag for chosen tokens.
#pragma once

#include <cstdint>

#include "attend/models/encoder_head.h"
#include "attend/models/encoder_transformer.h"
#include "attend/nn/layers.h"

namespace attend {

struct TaggerConfig : EncoderConfig {
  bool bos = true;
  HeadOptions head;
  float output_dropout = 0.0f;
  int tags = 0;  // set from the data
};

template <class Visitor>
void fields(TaggerConfig& c, Visitor&& visit) {
  encoder_fields(c, visit);
  visit("bos", c.bos, "begin every text with a bos token, as BERT does");
  head_fields(c.head, visit);
  visit("output-dropout", c.output_dropout, dropout_shares(),
        "dropout on the input of the output layer");
}

// Throws ConfigError naming the invalid option.
void validate(const TaggerConfig& config);

class TokenTagger : public EncoderNetwork<TaggerConfig> {
 public:
  // For inference, or for training: as all networks.
  explicit TokenTagger(const TaggerConfig& config);
  TokenTagger(const TaggerConfig& config, std::uint64_t seed) : TokenTagger(config) {
    parameters_.allocate(seed);
  }

  // The tokens `rows` of all N -> logits [W, C].
  Variable forward(const Ragged& texts, const Ids& rows, Pass& pass) const;

 private:
  EncoderHead head_;
  Linear output_;
};

}  // namespace attend
