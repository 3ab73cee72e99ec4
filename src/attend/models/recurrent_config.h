// The configuration of a recurrent encoder-decoder, with its defaults.
#pragma once

#include "attend/core/options/options.h"
#include "attend/models/encoder_decoder_config.h"
#include "attend/models/stack_config.h"

namespace attend {

// The widths specific to this architecture.
struct RecurrentWidths {
  int d_hidden = 0;
  int d_attention = 0;
};

template <class Visitor>
void fields(RecurrentWidths& w, Visitor&& visit) {
  visit("d-hidden", w.d_hidden, between(0, kWidths.most),
        "rnn: hidden size of a recurrent state; 0: d-model");
  visit("d-attention", w.d_attention, between(0, kWidths.most),
        "rnn: hidden size of the network that scores source positions; 0: d-hidden");
}

struct RecurrentConfig : RecurrentWidths, EncoderDecoderConfig {
  int d_model = 512;
  float dropout = 0.1f;
  AttentionVariant attention;

  int hidden_width() const { return d_hidden > 0 ? d_hidden : d_model; }
  int attention_width() const { return d_attention > 0 ? d_attention : hidden_width(); }
};

template <class Visitor>
void fields(RecurrentConfig& c, Visitor&& visit) {
  visit("d-model", c.d_model, kWidths, "width of the embeddings");
  fields(static_cast<RecurrentWidths&>(c), visit);
  visit("dropout", c.dropout, dropout_shares(),
        "dropout on embeddings and on the input of the output projection");
  fields(c.attention, visit);
  encoder_decoder_fields(c, visit);
}

// Throws ConfigError naming the invalid option.
void validate(const RecurrentConfig& config);

}  // namespace attend
