#include "attend/interchange/families/marian/native_marian_names.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

namespace attend {

namespace {

constexpr ForeignLayout kTransposedMap = ForeignLayout::transposed, kRow = ForeignLayout::one_row;

constexpr std::array kMarianMaps{
    NameRule{"#.layers.*.self_attn.q_proj.weight", "#_l*_self_Wq", kTransposedMap},
    NameRule{"#.layers.*.self_attn.q_proj.bias", "#_l*_self_bq", kRow},
    NameRule{"#.layers.*.self_attn.k_proj.weight", "#_l*_self_Wk", kTransposedMap},
    NameRule{"#.layers.*.self_attn.k_proj.bias", "#_l*_self_bk", kRow},
    NameRule{"#.layers.*.self_attn.v_proj.weight", "#_l*_self_Wv", kTransposedMap},
    NameRule{"#.layers.*.self_attn.v_proj.bias", "#_l*_self_bv", kRow},
    NameRule{"#.layers.*.self_attn.out_proj.weight", "#_l*_self_Wo", kTransposedMap},
    NameRule{"#.layers.*.self_attn.out_proj.bias", "#_l*_self_bo", kRow},
    NameRule{"decoder.layers.*.recurrence.value.weight", "decoder_l*_rnn_W", kTransposedMap},
    NameRule{"decoder.layers.*.recurrence.gate.weight", "decoder_l*_rnn_Wf", kTransposedMap},
    NameRule{"decoder.layers.*.recurrence.gate.bias", "decoder_l*_rnn_bf", kRow},
    NameRule{"#.layers.*.cross_attn.q_proj.weight", "#_l*_context_Wq", kTransposedMap},
    NameRule{"#.layers.*.cross_attn.q_proj.bias", "#_l*_context_bq", kRow},
    NameRule{"#.layers.*.cross_attn.k_proj.weight", "#_l*_context_Wk", kTransposedMap},
    NameRule{"#.layers.*.cross_attn.k_proj.bias", "#_l*_context_bk", kRow},
    NameRule{"#.layers.*.cross_attn.v_proj.weight", "#_l*_context_Wv", kTransposedMap},
    NameRule{"#.layers.*.cross_attn.v_proj.bias", "#_l*_context_bv", kRow},
    NameRule{"#.layers.*.cross_attn.out_proj.weight", "#_l*_context_Wo", kTransposedMap},
    NameRule{"#.layers.*.cross_attn.out_proj.bias", "#_l*_context_bo", kRow},
    NameRule{"#.layers.*.feed_forward.linear1.weight", "#_l*_ffn_W1", kTransposedMap},
    NameRule{"#.layers.*.feed_forward.linear1.bias", "#_l*_ffn_b1", kRow},
    NameRule{"#.layers.*.feed_forward.linear2.weight", "#_l*_ffn_W2", kTransposedMap},
    NameRule{"#.layers.*.feed_forward.linear2.bias", "#_l*_ffn_b2", kRow},
};

// A normalization, and what its name begins with.
struct MarianNorm {
  std::string_view ours, theirs;
};
constexpr MarianNorm kRecurrenceNorm{"decoder.layers.*.norm1", "decoder_l*_rnn_ffn"};
constexpr std::array kSelfNorms{
    MarianNorm{"encoder.layers.*.norm1", "encoder_l*_self_Wo"},
    MarianNorm{"decoder.layers.*.norm1", "decoder_l*_self_Wo"},
};
constexpr std::array kSublayerNorms{
    MarianNorm{"encoder.layers.*.norm2", "encoder_l*_ffn_ffn"},
    MarianNorm{"decoder.layers.*.norm2", "decoder_l*_context_Wo"},
    MarianNorm{"decoder.layers.*.norm3", "decoder_l*_ffn_ffn"},
};
constexpr MarianNorm kOutputNorm{"#.norm", "#_top"};
constexpr std::array kEmbeddingNorms{
    MarianNorm{"src_norm", "encoder_emb"},
    MarianNorm{"tgt_norm", "decoder_emb"},
};

// Tables have a row per token. The decoder begins with zeros for an embedding: one more row.
constexpr std::array kMarianTablesAll{
    NameRule{"embedding.weight", "Wemb", ForeignLayout::but_one},
};
constexpr std::array kMarianTables{
    NameRule{"src_embedding.weight", "encoder_Wemb"},
    NameRule{"tgt_embedding.weight", "decoder_Wemb", ForeignLayout::but_one},
};
// A model may have an output projection of its own: newer versions keep it transposed.
constexpr NameRule kMarianProjection{"output_proj.weight", "decoder_ff_logit_out_Wt",
                                     ForeignLayout::but_one};
constexpr NameRule kOlderMarianProjection{"output_proj.weight", "decoder_ff_logit_out_W",
                                          ForeignLayout::but_one_transposed};
constexpr NameRule kMarianOutputBias{"output_proj.bias", "decoder_ff_logit_out_b",
                                     ForeignLayout::but_one_row};

// Names of the kind of normalization, and of its place: what is before a sublayer ends with "_pre".
void add_norm(NameMap& names, const MarianNorm& norm, NormKind kind, bool before) {
  const std::string_view infix = kind == NormKind::rms ? "rms" : "ln", end = before ? "_pre" : "";
  for (const auto& [part, name] : {std::pair{"weight", "scale"}, std::pair{"bias", "bias"}}) {
    const std::string ours = fmt::format("{}.{}", norm.ours, part),
                      theirs = fmt::format("{}_{}_{}{}", norm.theirs, infix, name, end);
    names.add(std::array{NameRule{ours, theirs, kRow}});
  }
}

}  // namespace

NameMap native_marian_names(const TransformerConfig& shape, const TensorTable& weights) {
  NameMap names(kMarianMaps, /*first_layer=*/1);
  const NormKind kind = shape.norm.kind;
  const bool is_recurrent = shape.decoder_autoreg == DecoderAutoreg::ssru;
  add_norm(names, kSelfNorms[0], kind, shape.norm_first);
  add_norm(names, is_recurrent ? kRecurrenceNorm : kSelfNorms[1], kind, shape.norm_first);
  for (const MarianNorm& norm : kSublayerNorms) add_norm(names, norm, kind, shape.norm_first);
  add_norm(names, kOutputNorm, kind, false);
  for (const MarianNorm& norm : kEmbeddingNorms) add_norm(names, norm, kind, true);
  if (shape.tie_embeddings == TiedEmbeddings::all) {
    names.add(kMarianTablesAll);
  } else {
    names.add(kMarianTables);
  }
  const bool is_newer = weights.contains(kMarianProjection.theirs);
  names.add(std::array{kMarianOutputBias, is_newer ? kMarianProjection : kOlderMarianProjection});
  return names;
}

}  // namespace attend
