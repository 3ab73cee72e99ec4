// The encoder-decoder architectures, and their configurations with the defaults.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "attend/core/options/options.h"
#include "attend/models/stack/stack_config.h"

namespace attend {

// Which embeddings are shared: none, the target's input embedding and the output projection, both
// of them and the source's (Vaswani et al. 2017, section 3.4), or the two input embeddings alone.
enum class TiedEmbeddings { none, target, all, inputs };
inline std::span<const std::string_view> enum_names(TiedEmbeddings) {
  static constexpr std::array<std::string_view, 4> names{"none", "target", "all", "inputs"};
  return names;
}

// Whether source and target read one table, which needs a joint vocabulary.
constexpr bool shares_inputs(TiedEmbeddings tied) {
  return tied == TiedEmbeddings::all || tied == TiedEmbeddings::inputs;
}

// The configuration that all encoder-decoders share.
struct EncoderDecoderConfig {
  int src_vocab_size = 0;  // set from the tokenizer
  int tgt_vocab_size = 0;
  TiedEmbeddings tie_embeddings = TiedEmbeddings::all;
  bool output_bias = false;
  float logit_cap = 0.0f;
};

template <class Visitor>
void encoder_decoder_fields(EncoderDecoderConfig& c, Visitor&& visit) {
  visit(
      "tie-embeddings", c.tie_embeddings,
      "shared embedding tables: none, target (with the output projection), all, or inputs (source "
      "and target alone)");
  visit("output-bias", c.output_bias, "add a bias for each token to the logits");
  visit("logit-cap", c.logit_cap, between(0, 1e6),
        "soft cap of the logits: a logit l becomes cap tanh(l / cap); 0: none");
}

// The Transformer.
// What lets the tokens of a decoder see earlier ones.
enum class DecoderAutoreg { self_attention, ssru };
inline std::span<const std::string_view> enum_names(DecoderAutoreg) {
  static constexpr std::array<std::string_view, 2> names{"self_attention", "ssru"};
  return names;
}

// What the stack of a decoder has in place of the options of its encoder; 0 and empty: the same.
struct DecoderShape {
  int decoder_d_model = 0;
  int decoder_n_heads = 0;
  int decoder_n_key_heads = 0;
  int decoder_d_ff = 0;
  int decoder_attention_window = 0;
  std::string decoder_attention_layers;
};

template <class Visitor>
void fields(DecoderShape& s, Visitor&& visit) {
  visit("decoder-d-model", s.decoder_d_model, between(0, kWidths.most),
        "hidden size of the decoder; 0: d-model. Another one needs tie-embeddings none or target");
  visit("decoder-n-heads", s.decoder_n_heads, between(0, kHeadCounts.most),
        "attention heads of the decoder, also of its attention to the source; 0: n-heads");
  visit("decoder-n-key-heads", s.decoder_n_key_heads, between(0, kHeadCounts.most),
        "heads of keys and values of the decoder; 0: n-key-heads");
  visit("decoder-d-ff", s.decoder_d_ff, between(0, 1e6),
        "hidden size of the feed-forward network of the decoder; 0: d-ff");
  visit("decoder-attention-window", s.decoder_attention_window, between(0, 1e9),
        "attention-window of the local layers of the decoder; 0: attention-window");
  visit("decoder-attention-layers", s.decoder_attention_layers,
        "kinds of layers of the decoder, such as global; empty: attention-layers");
}

struct TransformerConfig : StackConfig, EncoderDecoderConfig, DecoderShape {
  int n_encoder_layers = 6;
  int n_decoder_layers = 6;
  DecoderAutoreg decoder_autoreg = DecoderAutoreg::self_attention;
  float output_scale = 1.0f;

  // The stack of the decoder; that of the encoder is this.
  StackConfig decoder() const;
  // Gives the decoder those of a stack, which may differ from the encoder in nothing else.
  void set_decoder(const StackConfig& stack);
};

template <class Visitor>
void fields(TransformerConfig& c, Visitor&& visit) {
  stack_fields(c, visit, [&] {
    visit("n-encoder-layers", c.n_encoder_layers, kLayerCounts, "layers of the encoder");
    visit("n-decoder-layers", c.n_decoder_layers, kLayerCounts, "layers of the decoder");
    fields(static_cast<DecoderShape&>(c), visit);
  });
  encoder_decoder_fields(c, visit);
  visit(
      "decoder-autoreg", c.decoder_autoreg,
      "what lets target tokens see earlier ones: self_attention, or ssru, a simple recurrent unit");
  visit("output-scale", c.output_scale, between(1e-6, 1e6),
        "factor of the decoder's output before the output projection");
}

// The widths that only a recurrent encoder-decoder has.
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

enum class Architecture { transformer, rnn };
inline std::span<const std::string_view> enum_names(Architecture) {
  static constexpr std::array<std::string_view, 2> names{"transformer", "rnn"};
  return names;
}

// The configuration of one architecture, in the order of the enumerators.
using ArchitectureConfig = std::variant<TransformerConfig, RecurrentConfig>;

std::string_view name_of(const ArchitectureConfig& config);
EncoderDecoderConfig& common(ArchitectureConfig& config);
const EncoderDecoderConfig& common(const ArchitectureConfig& config);
// The width of the encoder, and that of the hidden states that are projected to logits.
int d_model_of(const ArchitectureConfig& config);
int decoder_d_model_of(const ArchitectureConfig& config);
// Throws ConfigError naming the invalid option.
void validate(const ArchitectureConfig& config);

// The options of a command that creates a model: the Transformer's, some of which all architectures
// share, and those of other architectures.
struct ModelOptions {
  Architecture arch = Architecture::transformer;
  TransformerConfig transformer;
  RecurrentWidths rnn;

  ArchitectureConfig chosen() const;
  // The options with this choice.
  static ModelOptions of(const ArchitectureConfig& config);
};

template <class Visitor>
void fields(ModelOptions& o, Visitor&& visit) {
  visit("arch", o.arch, "transformer, or rnn (recurrent networks with additive attention)");
  fields(o.transformer, visit);
  fields(o.rnn, visit);
}

}  // namespace attend
