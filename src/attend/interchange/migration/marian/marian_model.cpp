// Marian's options of the model. What it does without an option is in add_marian_habits().
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "attend/error.h"
#include "attend/interchange/families/marian/marian_norms.h"
#include "attend/interchange/migration/marian/marian_rules.h"

namespace attend {

namespace {

constexpr std::string_view kForRecurrent = "has no effect on a Transformer";
constexpr std::string_view kOtherModel = "belongs to another kind of model";

void marian_type(Migration& m, const ForeignOption& option, std::string_view) {
  const std::string type = m.text(option.name);
  if (type == "transformer") return m.same("type", "the model of attend train translation");
  m.without_equal("type", type.find("lm") != type.npos
                              ? "attend train lm trains language models; this is the recipe of a "
                                "translator"
                              : "the recipe trains a Transformer; arch = \"rnn\" is a recurrent "
                                "network, but another one");
}

// `text`: the option of the encoder. 0: as there.
constexpr std::string_view kWidthOfFfn = "transformer-dim-ffn";

void marian_as_in_encoder(Migration& m, const ForeignOption& option, std::string_view text) {
  if (is_off(option) || m.text(option.name) == m.text(text, "2"))
    return m.same(option.name, "as in the encoder");
  if (text == kWidthOfFfn) return m.translate({option.name}, "decoder-d-ff", option.values);
  m.without_equal(option.name, "encoder and decoder have feed-forward networks of one depth");
}

// Also for dec-cell, which matters to a recurrent decoder alone.
void marian_autoreg(Migration& m, const ForeignOption& option, std::string_view) {
  constexpr const char *kAutoreg = "transformer-decoder-autoreg", *kCell = "dec-cell";
  const bool is_recurrent = m.text(kAutoreg) == "rnn";
  if (is_recurrent && m.text(kCell) == "ssru" && !m.is_on("layer-normalization") &&
      !m.is_on("transformer-rnn-projection"))
    return m.translate({kAutoreg, kCell}, "decoder-autoreg", {"ssru"});
  if (option.name == kCell) return m.same(kCell, kForRecurrent);
  if (m.text(kAutoreg, "self-attention") == "self-attention")
    return m.same(kAutoreg, "the decoder has self-attention");
  m.without_equal(kAutoreg,
                  "a decoder has self-attention, or plain simple recurrent units (dec-cell: ssru)");
}

void marian_ties(Migration& m, const ForeignOption&, std::string_view) {
  const bool all = m.is_on("tied-embeddings-all"), src = m.is_on("tied-embeddings-src"),
             tgt = m.is_on("tied-embeddings");
  const std::string tied = all || (src && tgt) ? "all" : src ? "inputs" : tgt ? "target" : "none";
  m.translate({"tied-embeddings-all", "tied-embeddings-src", "tied-embeddings"}, "tie-embeddings",
              {tied});
}

constexpr const char* kOperations[] = {"transformer-preprocess", "transformer-postprocess",
                                       "transformer-postprocess-top",
                                       "transformer-postprocess-emb"};

bool drops(const Migration& m, const char* operations) {
  return m.text(operations).find('d') != std::string::npos;
}

// The version is that of the newest Marian: recipes are for new models.
void marian_norms(Migration& m, const ForeignOption&, std::string_view) {
  nlohmann::json options{{"version", "v1.12.0"}};
  for (const char* name : kOperations) options[name] = m.text(name);
  ForeignConfig config(options, "Marian");
  TransformerConfig shape;
  try {
    read_marian_norms(config, shape);
  } catch (const DataError& error) {
    for (const char* name : kOperations)
      m.without_equal(name, std::string_view(error.what()).substr(std::string("Marian: ").size()));
    return;
  }
  m.translate({kOperations[0], kOperations[1]}, "norm-first",
              {shape.norm_first ? "true" : "false"});
  if (shape.norm.kind == NormKind::rms)
    m.translate({kOperations[0], kOperations[1]}, "norm", {"rms"});
  if (shape.norm_output == OutputNorm::standard) {
    m.same(kOperations[2], shape.norm_first ? "with norm-first, the output is normalized"
                                            : "the output is not normalized again");
  } else {
    m.translate({kOperations[2]}, "norm-output",
                {shape.norm_output == OutputNorm::on ? "on" : "off"});
  }
  if (shape.norm_embedding) {
    m.translate({kOperations[3]}, "norm-embedding", {"true"});
  } else {
    m.same(kOperations[3], "the embeddings are not normalized");
  }
}

// Where the operation d is decides what transformer-dropout applies to.
void marian_dropout(Migration& m, const ForeignOption& option, std::string_view) {
  const bool sublayers = drops(m, kOperations[1]), embeddings = drops(m, kOperations[3]);
  if (!sublayers && !embeddings)
    return m.translate({option.name}, "dropout", {"0"}, "no operation d uses it");
  const bool elsewhere = drops(m, kOperations[0]) || drops(m, kOperations[2]);
  m.translate({option.name}, "dropout", option.values,
              sublayers && embeddings && !elsewhere
                  ? ""
                  : "here on the embeddings and the outputs of sublayers, and nowhere else");
}

void marian_output_bias(Migration& m, const ForeignOption& option, std::string_view) {
  m.translate({option.name}, "output-bias", {m.is_on(option.name) ? "false" : "true"});
}

void marian_positions(Migration& m, const ForeignOption& option, std::string_view) {
  if (!m.is_on(option.name)) return m.same(option.name, "off");
  m.translate({option.name}, "positions", {"none"});
}

constexpr MigrationRule kModelRules[] = {
    {"type", marian_type},
    {"dim-emb", becomes, "d-model"},
    {"enc-depth", becomes, "n-encoder-layers"},
    {"dec-depth", becomes, "n-decoder-layers"},
    {"transformer-heads", becomes, "n-heads"},
    {kWidthOfFfn, becomes, "d-ff"},
    {"transformer-decoder-dim-ffn", marian_as_in_encoder, kWidthOfFfn},
    {"transformer-ffn-depth", is_same_if, "2|feed-forward networks have two layers"},
    {"transformer-decoder-ffn-depth", marian_as_in_encoder, "transformer-ffn-depth"},
    {"transformer-ffn-activation", becomes, "activation"},
    {"transformer-preprocess", marian_norms},
    {"transformer-postprocess", marian_norms},
    {"transformer-postprocess-top", marian_norms},
    {"transformer-postprocess-emb", marian_norms},
    {"transformer-dropout", marian_dropout},
    {"transformer-dropout-attention", becomes, "attention-dropout"},
    {"transformer-dropout-ffn", becomes, "activation-dropout"},
    {"tied-embeddings", marian_ties, "", Takes::maybe},
    {"tied-embeddings-src", marian_ties, "", Takes::maybe},
    {"tied-embeddings-all", marian_ties, "", Takes::maybe},
    {"output-omit-bias", marian_output_bias, "", Takes::maybe},
    {"transformer-decoder-autoreg", marian_autoreg},
    {"transformer-tied-layers", has_no_equal_if_on, "every layer has its own weights", Takes::list},
    {"transformer-attention-mask", is_same_if,
     "default|positions = \"alibi\" has fixed slopes, without Marian's shift"},
    {"transformer-alibi-shift", has_no_equal_if_on, "positions = \"alibi\" has no shift",
     Takes::maybe},
    {"transformer-alibi-trainable", has_no_equal_if_on, "the slopes are not trained", Takes::maybe},
    {"alibi", has_no_equal_if_on, "positions = \"alibi\" has fixed slopes, without Marian's shift",
     Takes::maybe},
    {"separator-symbol", is_same, "only for alibi"},
    {"transformer-disable-position-embeddings", marian_positions, "", Takes::maybe},
    {"transformer-train-position-embeddings", has_no_equal_if_on,
     "positions = \"learned\" has a table for each language, Marian one for both", Takes::maybe},
    {"transformer-no-projection", has_no_equal_if_on, "attention has an output projection",
     Takes::maybe},
    {"transformer-no-bias", has_no_equal_if_on,
     "ffn-bias = false and attention-biases = \"none\" leave out some of the biases", Takes::maybe},
    {"transformer-no-affine", has_no_equal_if_on, "normalization has gains", Takes::maybe},
    {"transformer-pool", has_no_equal_if_on, "the decoder attends to the encoder", Takes::maybe},
    {"transformer-depth-scaling", has_no_equal_if_on,
     "the initial weights do not depend on the depth", Takes::maybe},
    {"transformer-guided-alignment-layer", is_same, "only for guided-alignment"},
    {"transformer-rnn-projection", is_same, kForRecurrent, Takes::maybe},
    {"transformer-dim-aan", is_same, "only for average attention"},
    {"transformer-aan-depth", is_same, "only for average attention"},
    {"transformer-aan-activation", is_same, "only for average attention"},
    {"transformer-aan-nogate", is_same, "only for average attention", Takes::maybe},
    {"right-left", has_no_equal_if_on, "models write from left to right", Takes::maybe},
    {"input-types", has_no_equal_if_on, "there are a source and a target, of words", Takes::list},
    {"input-reorder", has_no_equal_if_on, "there are a source and a target", Takes::list},
    {"input-join-fields", has_no_equal_if_on, "there are a source and a target", Takes::maybe},
    {"dropout-src", has_no_equal_if_on, "no whole words are dropped"},
    {"dropout-trg", has_no_equal_if_on, "no whole words are dropped"},
    {"dropout-rnn", is_same, kForRecurrent},
    {"dim-rnn", is_same, kForRecurrent},
    {"enc-type", is_same, kForRecurrent},
    {"enc-cell", is_same, kForRecurrent},
    {"enc-cell-depth", is_same, kForRecurrent},
    {"dec-cell", marian_autoreg},
    {"dec-cell-base-depth", is_same, kForRecurrent},
    {"dec-cell-high-depth", is_same, kForRecurrent},
    {"skip", is_same, kForRecurrent, Takes::maybe},
    {"layer-normalization", is_same, kForRecurrent, Takes::maybe},
    {"best-deep", has_no_equal_if_on, "a recurrent network", Takes::maybe},
    {"factors-combine", is_same, "only for factors"},
    {"factors-dim-emb", is_same, "only for factors"},
    {"factor-weight", is_same, "only for factors"},
    {"lemma-dependency", has_no_equal_if_on, "words have no factors"},
    {"lemma-dim-emb", has_no_equal_if_on, "words have no factors"},
    {"char-stride", is_same, kOtherModel},
    {"char-highway", is_same, kOtherModel},
    {"char-conv-filters-num", is_same, kOtherModel, Takes::list},
    {"char-conv-filters-widths", is_same, kOtherModel, Takes::list},
    {"bert-mask-symbol", is_same, kOtherModel},
    {"bert-sep-symbol", is_same, kOtherModel},
    {"bert-class-symbol", is_same, kOtherModel},
    {"bert-masking-fraction", is_same, kOtherModel},
    {"bert-train-type-embeddings", is_same, kOtherModel, Takes::maybe},
    {"bert-type-vocab-size", is_same, kOtherModel},
    {"comet-final-sigmoid", is_same, kOtherModel, Takes::maybe},
    {"comet-stop-grad", is_same, kOtherModel, Takes::maybe},
    {"comet-mix", is_same, kOtherModel, Takes::maybe},
    {"comet-mix-norm", is_same, kOtherModel, Takes::maybe},
    {"comet-pool", is_same, kOtherModel},
    {"comet-mix-transformation", is_same, kOtherModel},
    {"comet-dropout", is_same, kOtherModel},
    {"comet-mixup", is_same, kOtherModel},
    {"comet-mixup-reg", is_same, kOtherModel, Takes::maybe},
    {"comet-augment-bad", is_same, kOtherModel},
    {"comet-pooler-ffn", is_same, kOtherModel, Takes::list},
    {"comet-prepend-zero", is_same, kOtherModel, Takes::maybe},
    {"comet-use-separator", is_same, kOtherModel, Takes::maybe},
    {"ulr", has_no_equal_if_on, "embeddings are trained from the text", Takes::maybe},
    {"ulr-query-vectors", is_same, "only for ulr"},
    {"ulr-keys-vectors", is_same, "only for ulr"},
    {"ulr-trainable-transformation", is_same, "only for ulr", Takes::maybe},
    {"ulr-dim-emb", is_same, "only for ulr"},
    {"ulr-dropout", is_same, "only for ulr"},
    {"ulr-softmax-temperature", is_same, "only for ulr"},
};

}  // namespace

std::span<const MigrationRule> marian_model_rules() { return kModelRules; }

}  // namespace attend
