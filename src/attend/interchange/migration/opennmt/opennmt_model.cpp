// OpenNMT-py's options of the model.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "attend/interchange/migration/opennmt/opennmt_rules.h"

namespace attend {

namespace {

constexpr std::string_view kOpenRecurrent = "has no effect on a Transformer";
constexpr std::string_view kNoCopies = "there is no copy attention";

// `text`: the option that it should equal.
void opennmt_as(Migration& m, const ForeignOption& option, std::string_view text) {
  if (m.text(option.name) == m.text(text)) return m.same(option.name, "as the layers");
  m.without_equal(option.name, "encoder, decoder and embeddings have one width");
}

void opennmt_layers(Migration& m, const ForeignOption& option, std::string_view) {
  m.translate({option.name}, "n-encoder-layers", option.values);
  m.translate({option.name}, "n-decoder-layers", option.values);
}

// `text`: our option. layers says both at once.
void opennmt_own_layers(Migration& m, const ForeignOption& option, std::string_view text) {
  if (m.find("layers") != nullptr) return m.same(option.name, "layers decides");
  becomes(m, option, text);
}

void opennmt_ties(Migration& m, const ForeignOption&, std::string_view) {
  const bool inputs = m.is_on("share_embeddings"), target = m.is_on("share_decoder_embeddings");
  m.translate({"share_embeddings", "share_decoder_embeddings"}, "tie-embeddings",
              {inputs && target ? "all"
               : inputs         ? "inputs"
               : target         ? "target"
                                : "none"});
}

void opennmt_positions(Migration& m, const ForeignOption&, std::string_view) {
  const bool added = m.is_on("position_encoding");
  const bool halves =
      m.text("position_encoding_type", "SinusoidalInterleaved") == "SinusoidalConcat";
  m.translate({"position_encoding", "position_encoding_type"}, "positions",
              {m.whole("max_relative_positions", 0) == -1 ? "rotary"
               : !added                                   ? "none"
               : halves                                   ? "sinusoidal_t2t"
                                                          : "sinusoidal"});
  // The embeddings are scaled where positions are added.
  if (!added) m.translate({"position_encoding"}, "embedding-scale", {"1"});
}

void opennmt_relative(Migration& m, const ForeignOption& option, std::string_view) {
  if (is_off(option)) return m.same(option.name, "off");
  if (m.text(option.name) == "-1") return m.expand(option.name);
  m.without_equal(option.name, "positions = \"relative\" and \"alibi\" compute something else");
}

void opennmt_activation(Migration& m, const ForeignOption& option, std::string_view) {
  const std::string name = m.text(option.name);
  if (name == "relu" || name == "gelu") return becomes(m, option, "activation");
  if (name != "silu" && name != "gated-gelu")
    return m.without_equal(option.name, "set activation to one that attend has");
  m.translate({option.name}, "activation", {name == "silu" ? "swish" : "gelu"});
  m.translate({option.name}, "gated-ffn", {"true"});
}

void opennmt_norm(Migration& m, const ForeignOption& option, std::string_view) {
  if (m.text(option.name) == "standard") return m.same(option.name, "layer normalization");
  m.translate({option.name}, "norm", option.values);
}

void opennmt_attention_biases(Migration& m, const ForeignOption& option, std::string_view) {
  m.translate({option.name}, "attention-biases", {m.is_on(option.name) ? "all" : "none"},
              option.given() ? "" : "older versions have them");
}

void opennmt_ffn_biases(Migration& m, const ForeignOption& option, std::string_view) {
  m.translate({option.name}, "ffn-bias", {m.is_on(option.name) ? "true" : "false"},
              option.given() ? "" : "older versions have them");
}

// A value for each of several parts of a training; `text`: our option.
void opennmt_dropout(Migration& m, const ForeignOption& option, std::string_view text) {
  if (option.values.size() != 1)
    return m.without_equal(option.name, "one value holds for the whole training");
  becomes(m, option, text);
  // OpenNMT-py drops what the activation gives, too.
  if (text == "dropout") becomes(m, option, "activation-dropout");
}

constexpr MigrationRule kOpenModelRules[] = {
    {"encoder_type", is_same_if, "transformer|the recipe trains a Transformer"},
    {"decoder_type", is_same_if, "transformer|the recipe trains a Transformer"},
    {"model_type", is_same_if, "text|the source is text"},
    {"model_task", is_same_if,
     "seq2seq|the recipe trains a translator; attend train lm is another"},
    {"hidden_size", becomes, "d-model"},
    {"word_vec_size", opennmt_as, "hidden_size"},
    {"src_word_vec_size", opennmt_as, "hidden_size"},
    {"tgt_word_vec_size", opennmt_as, "hidden_size"},
    {"enc_hid_size", opennmt_as, "hidden_size"},
    {"dec_hid_size", opennmt_as, "hidden_size"},
    {"enc_rnn_size", opennmt_as, "hidden_size"},
    {"dec_rnn_size", opennmt_as, "hidden_size"},
    {"layers", opennmt_layers},
    {"enc_layers", opennmt_own_layers, "n-encoder-layers"},
    {"dec_layers", opennmt_own_layers, "n-decoder-layers"},
    {"heads", becomes, "n-heads"},
    {"transformer_ff", becomes, "d-ff"},
    {"pos_ffn_activation_fn", opennmt_activation},
    {"layer_norm", opennmt_norm},
    {"norm_eps", becomes, "norm-epsilon"},
    {"add_qkvbias", opennmt_attention_biases, "", Takes::maybe},
    {"add_ffnbias", opennmt_ffn_biases, "", Takes::maybe},
    {"share_embeddings", opennmt_ties, "", Takes::maybe},
    {"share_decoder_embeddings", opennmt_ties, "", Takes::maybe},
    {"position_encoding", opennmt_positions, "", Takes::maybe},
    {"position_encoding_type", opennmt_positions},
    {"max_relative_positions", opennmt_relative},
    {"relative_positions_buckets", has_no_equal_if_on,
     "positions = \"relative\" computes something else"},
    {"rotary_theta", becomes, "rotary-theta"},
    {"rotary_interleave", has_no_equal_if_on, "rotary positions rotate halves", Takes::maybe},
    {"rotary_dim", has_no_equal_if_on, "rotary positions rotate whole heads"},
    {"dropout", opennmt_dropout, "dropout", Takes::list},
    {"attention_dropout", opennmt_dropout, "attention-dropout", Takes::list},
    {"dropout_steps", has_no_equal_if_on, "one value holds for the whole training", Takes::list},
    {"self_attn_type", is_same, "does not change results"},
    {"num_kv", becomes, "n-key-heads"},
    {"multiquery", has_no_equal_if_on, "n-key-heads = 1 gives all heads the same keys",
     Takes::maybe},
    {"sliding_window", has_no_equal_if_on, "attention sees the whole text"},
    {"num_experts", has_no_equal_if_on, "there are no mixtures of experts"},
    {"num_experts_per_tok", is_same, "only for num_experts"},
    {"parallel_residual", has_no_equal_if_on, "sublayers follow each other", Takes::maybe},
    {"shared_layer_norm", is_same, "only for parallel_residual", Takes::maybe},
    {"aan_useffn", is_same, kOpenRecurrent, Takes::maybe},
    {"rnn_type", is_same, kOpenRecurrent},
    {"input_feed", is_same, kOpenRecurrent},
    {"bridge", is_same, kOpenRecurrent, Takes::maybe},
    {"context_gate", is_same, kOpenRecurrent},
    {"cnn_kernel_width", is_same, kOpenRecurrent},
    {"global_attention", is_same, kOpenRecurrent},
    {"global_attention_function", is_same_if, "softmax|attention is a softmax"},
    {"generator_function", is_same_if, "softmax|the output is a softmax"},
    {"copy_attn", has_no_equal_if_on, kNoCopies, Takes::maybe},
    {"copy_attn_type", has_no_equal_if_on, kNoCopies},
    {"copy_attn_force", has_no_equal_if_on, kNoCopies, Takes::maybe},
    {"reuse_copy_attn", has_no_equal_if_on, kNoCopies, Takes::maybe},
    {"copy_loss_by_seqlength", has_no_equal_if_on, kNoCopies, Takes::maybe},
    {"coverage_attn", has_no_equal_if_on, "attention has no coverage", Takes::maybe},
    {"lambda_coverage", has_no_equal_if_on, "attention has no coverage"},
    {"lambda_align", has_no_equal_if_on,
     "guided-alignment learns alignments from the text, without a file"},
    {"alignment_layer", is_same, "only for lambda_align"},
    {"alignment_heads", is_same, "only for lambda_align"},
    {"full_context_alignment", is_same, "only for lambda_align", Takes::maybe},
    {"param_init", is_same, "attend chooses the initial weights"},
    {"param_init_glorot", is_same, "attend chooses the initial weights", Takes::maybe},
    {"feat_merge", is_same, "words have no features"},
    {"feat_vec_size", is_same, "words have no features"},
    {"feat_vec_exponent", is_same, "words have no features"},
    {"n_src_feats", has_no_equal_if_on, "words have no features"},
};

}  // namespace

std::span<const MigrationRule> opennmt_model_rules() { return kOpenModelRules; }

}  // namespace attend
