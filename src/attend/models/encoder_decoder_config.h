// The configuration that all encoder-decoders share, with its defaults.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "attend/core/options/options.h"

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

struct EncoderDecoderConfig {
  int src_vocab_size = 0;  // set from the tokenizer
  int tgt_vocab_size = 0;
  TiedEmbeddings tie_embeddings = TiedEmbeddings::all;
  bool output_bias = false;
};

template <class Visitor>
void encoder_decoder_fields(EncoderDecoderConfig& c, Visitor&& visit) {
  visit(
      "tie-embeddings", c.tie_embeddings,
      "shared embedding tables: none, target (with the output projection), all, or inputs (source "
      "and target alone)");
  visit("output-bias", c.output_bias, "add a bias for each token to the logits");
}

// Throws ConfigError naming the problem.
void validate_vocabularies(const EncoderDecoderConfig& config);

}  // namespace attend
