// Small Transformers of every kind, and batches for them.
#pragma once

#include <string>
#include <vector>

#include "attend/core/random/random.h"
#include "attend/models/transformer.h"

namespace attend {

inline TransformerConfig small_config() {
  TransformerConfig config;
  config.d_model = 32;
  config.n_heads = 4;
  config.d_ff = 48;
  config.n_encoder_layers = 2;
  config.n_decoder_layers = 2;
  config.src_vocab_size = config.tgt_vocab_size = 23;
  config.max_positions = 64;
  return config;
}

struct Variant {
  std::string name;
  TransformerConfig config;
};

// Every switch of the configuration at least once.
inline std::vector<Variant> variants() {
  std::vector<Variant> all(32, {"", small_config()});
  all[0].name = "PostNorm";
  all[1].name = "PreNorm";
  all[1].config.norm_first = true;
  all[2].name = "Gelu";
  all[2].config.activation = Activation::gelu;
  all[3].name = "LearnedPositions";
  all[3].config.positions = PositionKind::learned;
  all[4].name = "NoPositionsUntied";
  all[4].config.positions = PositionKind::none;
  all[4].config.tie_embeddings = TiedEmbeddings::none;
  all[4].config.src_vocab_size = 29;
  all[5].name = "NarrowKeysWideValues";
  all[5].config.d_key = 5;
  all[5].config.d_value = 11;
  all[5].config.n_heads = 3;
  all[5].config.tie_embeddings = TiedEmbeddings::target;
  all[6].name = "AsMarian";
  all[6].config.activation = Activation::swish;
  all[6].config.positions = PositionKind::sinusoidal_halves;
  all[6].config.output_bias = true;
  all[7].name = "AsMbart";
  all[7].config.norm_first = true;
  all[7].config.norm_embedding = true;
  all[7].config.embedding_scale = 1.0f;
  all[7].config.norm.epsilon = 1e-6f;
  all[8].name = "SharedKeysGatedRms";
  all[8].config.n_key_heads = 2;
  all[8].config.positions = PositionKind::rotary;
  all[8].config.gated_ffn = true;
  all[8].config.ffn_bias = false;
  all[8].config.attention_biases = AttentionBiases::none;
  all[8].config.norm.kind = NormKind::rms;
  all[9].name = "AsT5";
  all[9].config.norm_first = true;
  all[9].config.norm.kind = NormKind::rms;
  all[9].config.positions = PositionKind::relative;
  all[9].config.relative = {8, 12};
  all[9].config.d_key = all[9].config.d_value = 5;
  all[9].config.attention.inverse_temperature = 1.0f;
  all[9].config.attention_biases = AttentionBiases::none;
  all[9].config.gated_ffn = true;
  all[9].config.ffn_bias = false;
  all[9].config.embedding_scale = 1.0f;
  all[9].config.output_scale = 0.25f;
  all[9].config.tie_embeddings = TiedEmbeddings::inputs;
  all[10].name = "SlopesByDistance";
  all[10].config.positions = PositionKind::alibi;
  all[11].name = "AsMarianBefore111";
  all[11].config.norm_first = true;
  all[11].config.norm_keys = false;
  all[11].config.positions = PositionKind::rotary;
  all[12].name = "PostNormOfTheOutput";
  all[12].config.norm_output = OutputNorm::on;
  all[13].name = "AsUmt5";
  all[13].config.norm_first = true;
  all[13].config.norm_output = OutputNorm::off;
  all[13].config.positions = PositionKind::relative;
  all[13].config.relative = {8, 12, false};
  all[14].name = "AsQwen3";
  all[14].config.norm_first = true;
  all[14].config.norm.kind = NormKind::rms;
  all[14].config.positions = PositionKind::rotary;
  all[14].config.d_key = all[14].config.d_value = 6;
  all[14].config.n_key_heads = 2;
  all[14].config.attention_biases = AttentionBiases::none;
  all[14].config.qk_norm = true;
  all[15].name = "AsFirefox";
  all[15].config.decoder_autoreg = DecoderAutoreg::ssru;
  all[16].name = "RecurrentWithRelativePositions";
  all[16].config.decoder_autoreg = DecoderAutoreg::ssru;
  all[16].config.norm_first = true;
  all[16].config.positions = PositionKind::relative;
  all[16].config.relative = {8, 12};
  all[17].name = "AsGemma2";
  all[17].config.norm_first = all[17].config.norm_branch = true;
  all[17].config.norm.kind = NormKind::rms;
  all[17].config.positions = PositionKind::rotary;
  all[17].config.attention_cap = 1.5f;
  all[17].config.attention_window = 3;
  all[17].config.attention_layers = "local,global";
  all[17].config.local_rotary_theta = 100.0;
  all[18].name = "NormOfTheBranchAlone";
  all[18].config.norm_branch = true;
  all[18].config.attention_window = 2;
  all[19].name = "UnrotatedLayers";
  all[19].config.norm_first = all[19].config.norm_branch = true;
  all[19].config.positions = PositionKind::rotary;
  all[19].config.attention_layers = "global,unrotated";
  all[20].name = "AsMpnet";
  all[20].config.positions = PositionKind::learned;
  all[20].config.distance_biases = DistanceBiases::relative;
  all[20].config.relative = {8, 12};
  all[21].name = "SharedLayers";
  all[21].config.layer_groups = 1;
  all[22].name = "NormsWithoutBiases";
  all[22].config.norm.bias = false;
  all[23].name = "NormsFirstWithoutBiases";
  all[23].config.norm.bias = false;
  all[23].config.norm_first = all[23].config.qk_norm = true;
  all[24].name = "AsGptNeoX";
  all[24].config.norm_first = true;
  all[24].config.sublayers = Sublayers::parallel;
  all[24].config.positions = PositionKind::rotary;
  all[24].config.rotary.width = 4;
  all[25].name = "AsCohere";
  all[25].config.norm_first = true;
  all[25].config.norm.bias = false;
  all[25].config.sublayers = Sublayers::parallel_shared;
  all[26].name = "AsOlmo2";
  all[26].config.norm_branch = all[26].config.qk_norm = true;
  all[26].config.norm.kind = NormKind::rms;
  all[26].config.qk_norm_span = QkNormSpan::all;
  all[26].config.n_key_heads = 2;
  all[26].config.residual_scale = 0.5f;
  all[27].name = "ScaledInPostNorm";
  all[27].config.residual_scale = 0.5f;
  all[28].name = "MixtureOfExperts";
  all[28].config.gated_ffn = true;
  all[28].config.experts = 3;
  all[28].config.shared_expert_width = 16;
  all[28].config.expert_layers = "experts,dense";
  all[29].name = "DecoderWithOtherHeadsAndWidth";
  all[29].config.decoder_n_heads = 2;
  all[29].config.decoder_d_ff = 20;
  all[30].name = "AsT5Gemma";
  all[30].config = all[17].config;
  all[30].config.local_rotary_theta = 0.0;
  all[30].config.tie_embeddings = TiedEmbeddings::target;
  all[30].config.n_key_heads = 2;
  all[30].config.d_key = all[30].config.d_value = 6;
  all[30].config.decoder_d_model = 24;
  all[30].config.decoder_n_heads = 3;
  all[30].config.decoder_n_key_heads = 1;
  all[30].config.decoder_d_ff = 20;
  all[30].config.decoder_attention_window = 2;
  all[30].config.logit_cap = 0.8f;
  all[31].name = "AsLongT5";
  all[31].config = all[9].config;
  all[31].config.attention_window = 3;
  all[31].config.decoder_attention_layers = "global";
  return all;
}

// `lengths.size()` sequences of random ids below `vocabulary`.
inline Ragged random_tokens(const std::vector<int>& lengths, int vocabulary,
                            std::uint64_t seed = 1) {
  Random random({seed, stream_of("tokens")});
  std::vector<std::int32_t> ids, offsets{0};
  for (const int length : lengths) {
    for (int i = 0; i < length; ++i)
      ids.push_back(
          static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(vocabulary))));
    offsets.push_back(static_cast<std::int32_t>(ids.size()));
  }
  return Ragged::copy(ids, offsets);
}

// Sequence b of a batch as a batch of its own.
inline Ragged alone(const Ragged& all, std::size_t b) {
  return all.slice(static_cast<std::int64_t>(b), static_cast<std::int64_t>(b) + 1);
}

inline Tensor rows_of(const Tensor& x, const Ragged& tokens, std::size_t b) {
  return x.slice_rows((*tokens.offsets)[b], (*tokens.offsets)[b + 1]);
}

}  // namespace attend
