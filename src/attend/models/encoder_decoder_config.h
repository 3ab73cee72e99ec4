// What the configurations of all encoder-decoders have in common. Every default is written here and nowhere else.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "attend/core/options.h"
#include "attend/nn/attention_function.h"

namespace attend {

// Which embedding tables are one: none, the target's input and the output projection, or both of them and the source's (Vaswani et al.
// 2017, section 3.4).
enum class TiedEmbeddings { none, target, all };
inline std::span<const std::string_view> enum_names(TiedEmbeddings) {
  static constexpr std::array<std::string_view, 3> names{"none", "target", "all"};
  return names;
}

// Far beyond what a machine can hold, and small enough that a product of three of them cannot overflow.
inline constexpr NumberRange kWidths = between(1, 65536);
inline constexpr NumberRange kLayerCounts = between(1, 1024);

struct EncoderDecoderConfig {
  int d_model = 512;
  int src_vocab_size = 0;  // set from the tokenizer
  int tgt_vocab_size = 0;
  float dropout = 0.1f;  // on embeddings, and where the architecture says
  AttentionVariant attention;
  TiedEmbeddings tie_embeddings = TiedEmbeddings::all;
};

// What is no option of its own: the vocabularies. Throws ConfigError naming what is wrong.
void validate(const EncoderDecoderConfig& config);

}  // namespace attend
