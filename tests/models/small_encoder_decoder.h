// Small encoder-decoders of every architecture and every kind.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "attend/models/encoder_decoder.h"
#include "models/small_transformer.h"

namespace attend {

inline RecurrentConfig small_recurrent_config() {
  RecurrentConfig config;
  config.d_model = 32;
  config.d_hidden = 24;
  config.src_vocab_size = config.tgt_vocab_size = 23;
  return config;
}

struct EncoderDecoderVariant {
  std::string name;
  ArchitectureConfig config;
};

// A Transformer with another attention, and recurrent ones.
inline std::vector<EncoderDecoderVariant> attention_variants() {
  const auto transformer = [](const char* name,
                              const AttentionVariant& attention) -> EncoderDecoderVariant {
    TransformerConfig config = small_config();
    config.attention = attention;
    return {name, config};
  };
  const auto recurrent = [](const char* name,
                            const AttentionVariant& attention) -> EncoderDecoderVariant {
    RecurrentConfig config = small_recurrent_config();
    config.attention = attention;
    return {name, config};
  };
  using Scores = AttentionScores;
  using Choice = AttentionChoice;
  std::vector<EncoderDecoderVariant> all{
      transformer("SharpAttention", {Scores::dot, Choice::soft, 3.0f}),
      transformer("AdditiveScores", {Scores::additive, Choice::soft, 0.0f}),
      transformer("HardAttention", {Scores::dot, Choice::hard, 0.0f}),
      transformer("StraightThroughAdditive", {Scores::additive, Choice::straight_through, 2.0f}),
      transformer("HardAdditive", {Scores::additive, Choice::hard, 0.0f}),
      recurrent("Recurrent", {}),
      recurrent("RecurrentHard", {Scores::standard, Choice::hard, 0.0f}),
      recurrent("RecurrentStraightThrough", {Scores::additive, Choice::straight_through, 0.5f}),
  };
  RecurrentConfig dot = small_recurrent_config();
  dot.attention.scores = Scores::dot;
  dot.d_attention = 12;
  dot.d_hidden = 0;
  dot.tie_embeddings = TiedEmbeddings::none;
  dot.src_vocab_size = 29;
  all.push_back({"RecurrentDotUntied", dot});
  return all;
}

inline std::vector<EncoderDecoderVariant> encoder_decoder_variants() {
  std::vector<EncoderDecoderVariant> all;
  for (const Variant& variant : variants()) all.push_back({variant.name, variant.config});
  for (EncoderDecoderVariant& variant : attention_variants()) all.push_back(std::move(variant));
  return all;
}

}  // namespace attend
