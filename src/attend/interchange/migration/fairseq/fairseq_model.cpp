// fairseq's options of the model.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "attend/interchange/migration/fairseq/fairseq_rules.h"

namespace attend {

namespace {

void fairseq_arch(Migration& m, const ForeignOption& option, std::string_view) {
  if (!option.given())
    return m.without_equal(option.name, "the script names no architecture: these are its sizes");
  if (!fairseq_architecture(m.text(option.name)).empty()) return m.expand(option.name);
  m.without_equal(option.name, "the recipe trains a Transformer; set its sizes");
}

// `text`: what comes after encoder- and decoder-, and our option, which the decoder may have of its
// own.
void fairseq_both(Migration& m, const ForeignOption&, std::string_view text) {
  const std::size_t bar = text.find('|');
  const std::string_view ours = text.substr(bar + 1);
  const std::string encoder = fmt::format("encoder-{}", text.substr(0, bar)),
                    decoder = fmt::format("decoder-{}", text.substr(0, bar));
  if (trains_language_model(m)) {
    m.without_equal(encoder, "a language model has no encoder");
    if (m.find(decoder) != nullptr) m.translate({decoder}, ours, {m.text(decoder)});
    return;
  }
  const std::string value = m.text(encoder, m.text(decoder));
  if (m.text(decoder, value) == value) return m.translate({encoder, decoder}, ours, {value});
  m.translate({encoder}, ours, {value});
  m.translate({decoder}, fmt::format("decoder-{}", ours), {m.text(decoder)});
}

// The same for flags; one of two alone has no equal.
void fairseq_both_flags(Migration& m, const ForeignOption&, std::string_view text) {
  const std::size_t bar = text.find('|');
  const std::string_view ours = text.substr(bar + 1);
  const std::string encoder = fmt::format("encoder-{}", text.substr(0, bar)),
                    decoder = fmt::format("decoder-{}", text.substr(0, bar));
  const bool lm = trains_language_model(m);
  const bool on = m.is_on(decoder) && (lm || m.is_on(encoder));
  const std::string value = ours != "positions" ? (on ? "true" : "false")
                            : on                ? "learned"
                                                : "sinusoidal_t2t";
  if (lm || m.is_on(decoder) == m.is_on(encoder)) {
    m.translate({encoder, decoder}, ours, {value});
    if (ours == "positions" && on)
      m.add("max-positions", m.text("max-source-positions", m.text("tokens-per-sample", "1024")),
            "as many as the longest text");
    return;
  }
  m.add(ours, value, "encoder and decoder are alike");
  for (const std::string& name : {encoder, decoder})
    m.without_equal(name, "encoder and decoder are alike");
}

void fairseq_decoder_layers(Migration& m, const ForeignOption& option, std::string_view) {
  becomes(m, option, trains_language_model(m) ? "n-layers" : "n-decoder-layers");
}

void fairseq_encoder_layers(Migration& m, const ForeignOption& option, std::string_view) {
  if (trains_language_model(m))
    return m.without_equal(option.name, "a language model has no encoder");
  becomes(m, option, "n-encoder-layers");
}

// `text`: the option that it should equal.
void fairseq_as(Migration& m, const ForeignOption& option, std::string_view text) {
  if (m.text(option.name) == m.text(text)) return m.same(option.name, "as the layers");
  m.without_equal(option.name, "embeddings are as wide as the layers");
}

void fairseq_ties(Migration& m, const ForeignOption&, std::string_view) {
  const bool all = m.is_on("share-all-embeddings"),
             target = m.is_on("share-decoder-input-output-embed"),
             inputs = m.is_on("merge-src-tgt-embed");
  if (trains_language_model(m)) {
    m.translate({"share-decoder-input-output-embed", "share-all-embeddings"}, "tied",
                {all || target ? "true" : "false"});
    return m.without_equal("merge-src-tgt-embed", "a language model has one language");
  }
  const std::string tied = all || (target && inputs) ? "all"
                           : inputs                  ? "inputs"
                           : target                  ? "target"
                                                     : "none";
  m.translate({"share-all-embeddings", "share-decoder-input-output-embed", "merge-src-tgt-embed"},
              "tie-embeddings", {tied});
}

void fairseq_activation(Migration& m, const ForeignOption& option, std::string_view) {
  static constexpr std::pair<std::string_view, std::string_view> kOurs[] = {
      {"relu", "relu"},           {"gelu", "gelu"},
      {"gelu_fast", "gelu_tanh"}, {"gelu_accurate", "gelu_tanh"},
      {"tanh", "tanh"},           {"linear", "none"},
      {"swish", "swish"}};
  const std::string theirs = m.text(option.name);
  const auto found = std::find_if(std::begin(kOurs), std::end(kOurs),
                                  [&](const auto& one) { return one.first == theirs; });
  if (found == std::end(kOurs))
    return m.without_equal(option.name, "set activation to one that attend has");
  m.translate({option.name}, "activation", {std::string(found->second)});
}

// `text`: our option and its value if the flag is given.
void fairseq_flag(Migration& m, const ForeignOption& option, std::string_view text) {
  const std::size_t bar = text.find('|');
  if (!m.is_on(option.name)) return m.same(option.name, "off");
  m.translate({option.name}, text.substr(0, bar), {std::string(text.substr(bar + 1))});
}

constexpr std::string_view kPlain = "embeddings and output layer are whole matrices";
constexpr std::string_view kWholeLayers = "all layers are trained in every step";
constexpr std::string_view kNoNoise = "attend quantize makes a small model after training";

constexpr MigrationRule kFairseqModelRules[] = {
    {"arch", fairseq_arch},
    {"encoder-embed-dim", fairseq_both, "embed-dim|d-model"},
    {"decoder-embed-dim", fairseq_both, "embed-dim|d-model"},
    {"encoder-ffn-embed-dim", fairseq_both, "ffn-embed-dim|d-ff"},
    {"decoder-ffn-embed-dim", fairseq_both, "ffn-embed-dim|d-ff"},
    {"encoder-attention-heads", fairseq_both, "attention-heads|n-heads"},
    {"decoder-attention-heads", fairseq_both, "attention-heads|n-heads"},
    {"encoder-layers", fairseq_encoder_layers},
    {"decoder-layers", fairseq_decoder_layers},
    {"encoder-normalize-before", fairseq_both_flags, "normalize-before|norm-first", Takes::none},
    {"decoder-normalize-before", fairseq_both_flags, "normalize-before|norm-first", Takes::none},
    {"encoder-learned-pos", fairseq_both_flags, "learned-pos|positions", Takes::none},
    {"decoder-learned-pos", fairseq_both_flags, "learned-pos|positions", Takes::none},
    {"decoder-input-dim", fairseq_as, "decoder-embed-dim"},
    {"decoder-output-dim", fairseq_as, "decoder-embed-dim"},
    {"no-decoder-final-norm", fairseq_flag, "norm-output|off", Takes::none},
    {"dropout", becomes, "dropout"},
    {"attention-dropout", becomes, "attention-dropout"},
    {"activation-dropout", becomes, "activation-dropout"},
    {"relu-dropout", becomes, "activation-dropout"},
    {"activation-fn", fairseq_activation},
    {"share-all-embeddings", fairseq_ties, "", Takes::none},
    {"share-decoder-input-output-embed", fairseq_ties, "", Takes::none},
    {"merge-src-tgt-embed", fairseq_ties, "", Takes::none},
    {"no-scale-embedding", fairseq_flag, "embedding-scale|1", Takes::none},
    {"layernorm-embedding", fairseq_flag, "norm-embedding|true", Takes::none},
    {"no-token-positional-embeddings", fairseq_flag, "positions|none", Takes::none},
    {"checkpoint-activations", fairseq_flag, "recompute|true", Takes::none},
    {"offload-activations", is_same, "all memory is that of the CPU", Takes::none},
    {"min-params-to-wrap", is_same, "only for several GPUs"},
    {"encoder-layerdrop", has_no_equal_if_on, kWholeLayers},
    {"decoder-layerdrop", has_no_equal_if_on, kWholeLayers},
    {"encoder-layers-to-keep", has_no_equal, kWholeLayers},
    {"decoder-layers-to-keep", has_no_equal, kWholeLayers},
    {"encoder-embed-path", has_no_equal, "embeddings are trained from the text"},
    {"decoder-embed-path", has_no_equal, "embeddings are trained from the text"},
    {"adaptive-input", has_no_equal_if_on, kPlain, Takes::none},
    {"adaptive-input-factor", has_no_equal, kPlain},
    {"adaptive-input-cutoff", has_no_equal, kPlain},
    {"adaptive-softmax-cutoff", has_no_equal, kPlain},
    {"adaptive-softmax-dropout", has_no_equal, kPlain},
    {"adaptive-softmax-factor", has_no_equal, kPlain},
    {"tie-adaptive-weights", has_no_equal_if_on, kPlain, Takes::none},
    {"tie-adaptive-proj", has_no_equal_if_on, kPlain, Takes::none},
    {"character-embeddings", has_no_equal_if_on, "tokenizer = \"chars\" reads characters",
     Takes::none},
    {"no-cross-attention", has_no_equal_if_on, "the decoder attends to the encoder", Takes::none},
    {"cross-self-attention", has_no_equal_if_on,
     "the decoder attends to itself, then to the encoder", Takes::none},
    {"quant-noise-pq", has_no_equal_if_on, kNoNoise},
    {"quant-noise-pq-block-size", is_same, "only for quant-noise-pq"},
    {"quant-noise-scalar", has_no_equal_if_on, kNoNoise},
    {"base-layers", has_no_equal_if_on, "there are no mixtures of experts"},
    {"base-sublayers", is_same, "only for base-layers"},
    {"base-shuffle", is_same, "only for base-layers"},
    {"scale-fc", has_no_equal_if_on, "sublayers are those of a plain Transformer", Takes::none},
    {"scale-attn", has_no_equal_if_on, "sublayers are those of a plain Transformer", Takes::none},
    {"scale-heads", has_no_equal_if_on, "sublayers are those of a plain Transformer", Takes::none},
    {"scale-resids", has_no_equal_if_on, "sublayers are those of a plain Transformer", Takes::none},
};

struct FairseqArch {
  std::string_view name, parent;
  std::span<const PresetValue> presets;
};

constexpr PresetValue kArchBase[] = {
    {"encoder-embed-dim", "512"},
    {"encoder-ffn-embed-dim", "2048"},
    {"encoder-layers", "6"},
    {"encoder-attention-heads", "8"},
    {"decoder-layers", "6"},
    {"decoder-attention-heads", "8"},
    {"dropout", "0.1"},
    {"activation-fn", "relu"},
    {"share-all-embeddings", "false"},
    {"encoder-normalize-before", "false"},
};
constexpr PresetValue kArchTiny[] = {{"encoder-embed-dim", "64"}, {"encoder-ffn-embed-dim", "64"},
                                     {"encoder-layers", "2"},     {"encoder-attention-heads", "2"},
                                     {"decoder-layers", "2"},     {"decoder-attention-heads", "2"}};
constexpr PresetValue kArchIwslt[] = {
    {"encoder-embed-dim", "512"},      {"encoder-ffn-embed-dim", "1024"},
    {"encoder-attention-heads", "4"},  {"decoder-embed-dim", "512"},
    {"decoder-ffn-embed-dim", "1024"}, {"decoder-attention-heads", "4"}};
constexpr PresetValue kArchVaswaniBig[] = {{"encoder-embed-dim", "1024"},
                                           {"encoder-ffn-embed-dim", "4096"},
                                           {"encoder-attention-heads", "16"},
                                           {"decoder-embed-dim", "1024"},
                                           {"decoder-ffn-embed-dim", "4096"},
                                           {"decoder-attention-heads", "16"},
                                           {"dropout", "0.3"}};
constexpr PresetValue kArchFrench[] = {{"dropout", "0.1"}};
constexpr PresetValue kArchBig[] = {{"attention-dropout", "0.1"}};
constexpr PresetValue kArchBigT2t[] = {{"encoder-normalize-before", "true"},
                                       {"decoder-normalize-before", "true"},
                                       {"attention-dropout", "0.1"},
                                       {"activation-dropout", "0.1"}};
// In a language model of fairseq, normalization always comes first.
constexpr PresetValue kArchLm[] = {{"decoder-embed-dim", "512"},
                                   {"decoder-ffn-embed-dim", "2048"},
                                   {"decoder-layers", "6"},
                                   {"decoder-attention-heads", "8"},
                                   {"dropout", "0.1"},
                                   {"activation-fn", "relu"},
                                   {"share-decoder-input-output-embed", "false"},
                                   {"decoder-normalize-before", "true"}};
constexpr PresetValue kArchLmBig[] = {{"decoder-layers", "12"},
                                      {"decoder-embed-dim", "1024"},
                                      {"decoder-ffn-embed-dim", "4096"},
                                      {"decoder-attention-heads", "16"}};
constexpr PresetValue kArchLmGpt[] = {
    {"decoder-embed-dim", "768"}, {"decoder-ffn-embed-dim", "3072"},
    {"decoder-layers", "12"},     {"decoder-attention-heads", "12"},
    {"attention-dropout", "0.1"}, {"activation-fn", "gelu"}};

constexpr FairseqArch kArchs[] = {
    {"transformer", "", kArchBase},
    {"transformer_wmt_en_de", "", kArchBase},
    {"transformer_tiny", "transformer", kArchTiny},
    {"transformer_iwslt_de_en", "transformer", kArchIwslt},
    {"transformer_vaswani_wmt_en_de_big", "transformer", kArchVaswaniBig},
    {"transformer_vaswani_wmt_en_fr_big", "transformer_vaswani_wmt_en_de_big", kArchFrench},
    {"transformer_wmt_en_de_big", "transformer_vaswani_wmt_en_de_big", kArchBig},
    {"transformer_wmt_en_de_big_t2t", "transformer_vaswani_wmt_en_de_big", kArchBigT2t},
    {"transformer_lm", "", kArchLm},
    {"transformer_lm_big", "transformer_lm", kArchLmBig},
    {"transformer_lm_gpt", "transformer_lm", kArchLmGpt},
};

}  // namespace

std::vector<PresetValue> fairseq_architecture(std::string_view name) {
  std::vector<PresetValue> presets;
  while (!name.empty()) {
    const auto found = std::find_if(std::begin(kArchs), std::end(kArchs),
                                    [&](const FairseqArch& arch) { return arch.name == name; });
    if (found == std::end(kArchs)) return {};
    presets.insert(presets.end(), found->presets.begin(), found->presets.end());
    name = found->parent;
  }
  return presets;
}

std::span<const MigrationRule> fairseq_model_rules() { return kFairseqModelRules; }

}  // namespace attend
