#include "attend/interchange/families/marian/native_marian.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/families/families.h"
#include "attend/interchange/families/marian/marian_norms.h"
#include "attend/interchange/families/marian/marian_options.h"
#include "attend/interchange/families/marian/marian_vocabulary.h"
#include "attend/interchange/families/marian/native_marian_names.h"
#include "attend/interchange/formats/marian_shortlist.h"
#include "attend/interchange/weights/foreign_weights.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/translation/model.h"

namespace attend {

namespace {

constexpr const char* kNormsOfDecoding =
    "scores are those that Marian trains with; its own decoder leaves the keys and values of "
    "earlier target tokens without normalization";

// Settings of parts that a Transformer does not have, and of training.
void ignore_marian_settings(ForeignConfig& config) {
  config.ignore({"bert-train-type-embeddings",
                 "bert-type-vocab-size",
                 "dec-cell",
                 "dec-cell-base-depth",
                 "dec-cell-high-depth",
                 "dim-rnn",
                 "enc-cell",
                 "enc-cell-depth",
                 "enc-type",
                 "skip",
                 "layer-normalization",
                 "transformer-rnn-projection",
                 "transformer-aan-activation",
                 "transformer-aan-depth",
                 "transformer-aan-nogate",
                 "transformer-dim-aan",
                 "transformer-guided-alignment-layer",
                 "transformer-depth-scaling",
                 "transformer-alibi-shift",
                 "transformer-alibi-trainable",
                 "ulr-dim-emb",
                 "ulr-trainable-transformation",
                 "factors-combine",
                 "factors-dim-emb",
                 "lemma-dependency",
                 "lemma-dim-emb",
                 "separator-symbol",
                 "char-conv-filters-num",
                 "char-conv-filters-widths",
                 "char-highway",
                 "char-stride",
                 "version"});
}

void require_marian_settings(ForeignConfig& config) {
  config.require("type", "transformer");
  config.require("transformer-ffn-depth", 2);
  config.require("transformer-attention-mask", "default");
  for (const char* list : {"input-types", "transformer-tied-layers"})
    config.require(list, nlohmann::json::array());
  for (const char* other :
       {"output-omit-bias", "right-left", "ulr", "transformer-no-affine", "transformer-no-bias",
        "transformer-no-projection", "transformer-pool", "transformer-disable-position-embeddings",
        "transformer-train-position-embeddings"})
    config.require(other, false);
}

// A recurrent decoder is one of simple recurrent units.
DecoderAutoreg read_marian_autoreg(ForeignConfig& config) {
  constexpr std::array kKinds{DecoderAutoreg::self_attention, DecoderAutoreg::ssru};
  const DecoderAutoreg kind =
      kKinds[config.choice("transformer-decoder-autoreg", {"self-attention", "rnn"})];
  if (kind == DecoderAutoreg::ssru) {
    config.require("dec-cell", "ssru");
    for (const char* other : {"layer-normalization", "transformer-rnn-projection"})
      config.require(other, false);
  }
  return kind;
}

TransformerConfig read_marian_shape(ForeignConfig& config) {
  require_marian_settings(config);
  ignore_marian_settings(config);
  TransformerConfig shape;
  shape.d_model = read_int(config, "dim-emb", kWidths);
  shape.n_encoder_layers = read_int(config, "enc-depth", kLayerCounts);
  shape.n_decoder_layers = read_int(config, "dec-depth", kLayerCounts);
  shape.n_heads = read_int(config, "transformer-heads", kHeadCounts);
  shape.d_ff = read_int(config, "transformer-dim-ffn", between(1, 1e6));
  StackConfig decoder = shape;
  // 0: as in the encoder.
  if (const int own =
          static_cast<int>(config.integer_or("transformer-decoder-dim-ffn", 0, between(0, 1e6)));
      own > 0)
    decoder.d_ff = own;
  shape.set_decoder(decoder);
  const std::array<nlohmann::json, 2> depths{0, 2};
  config.require_one_of("transformer-decoder-ffn-depth", depths);
  constexpr Activation kActivations[] = {Activation::swish, Activation::relu, Activation::gelu};
  shape.activation =
      kActivations[config.choice("transformer-ffn-activation", {"swish", "relu", "gelu"})];
  read_marian_norms(config, shape);
  shape.decoder_autoreg = read_marian_autoreg(config);
  shape.positions = PositionKind::sinusoidal_t2t;
  shape.output_bias = true;
  const bool all = config.boolean_or("tied-embeddings-all", false),
             src = config.boolean_or("tied-embeddings-src", false),
             tgt = config.boolean_or("tied-embeddings", false);
  if (src && !all && !tgt)
    config.refuse("tied-embeddings-src", "it is supported only with tied-embeddings");
  shape.tie_embeddings = all || (src && tgt) ? TiedEmbeddings::all
                         : tgt               ? TiedEmbeddings::target
                                             : TiedEmbeddings::none;
  const std::vector<std::int64_t> sizes = config.integers("dim-vocabs", kVocabularySizes);
  if (sizes.size() != 2) config.refuse("dim-vocabs", "expected two vocabularies");
  shape.src_vocab_size = static_cast<int>(sizes[0]);
  shape.tgt_vocab_size = static_cast<int>(sizes[1]);
  return shape;
}

}  // namespace

std::optional<NativeMarian> open_native_marian(const ModelDirectory& packed) {
  const ModelDirectory directory = without_gzip(packed);
  const std::optional<MarianOptions> found = find_marian_options(directory);
  if (!found) return std::nullopt;
  const MarianOptions& options = *found;
  TensorTable weights = open_foreign_weights(directory.open(options.weights));
  ForeignConfig config =
      ForeignConfig::from_yaml(weights.read_text("special:model.yml"),
                               directory.path() + "/" + options.weights + ", special:model.yml");
  TransformerConfig shape = read_marian_shape(config);
  config.require_all_known();
  const bool joint = shape.tie_embeddings == TiedEmbeddings::all;
  Tokenizer src = read_marian_vocabulary(
                directory, {options.vocabularies[0], "source.spm", shape.src_vocab_size, joint}),
            tgt = read_marian_vocabulary(
                directory, {options.vocabularies[1], "target.spm", shape.tgt_vocab_size, true});
  shape.src_vocab_size = src.vocab_size();
  shape.tgt_vocab_size = tgt.vocab_size();
  auto network = std::shared_ptr<EncoderDecoder>(make_encoder_decoder(shape));
  TranslationModel model(std::move(network), std::move(src), std::move(tgt), options.decoding);
  if (!options.shortlist.empty())
    model.shortlist = std::make_shared<const Shortlist>(read_marian_shortlist(
        directory.text(options.shortlist),
        {model.src_tokenizer.vocab_size(), model.tgt_tokenizer.vocab_size(), joint},
        directory.path() + "/" + options.shortlist));
  ForeignModel foreign{nullptr, native_marian_names(shape, weights)};
  foreign.ignorable.push_back("*_QuantMultA");  // of activations in 8 bits
  if (shape.norm_first && shape.norm_keys) foreign.remarks.emplace_back(kNormsOfDecoding);
  remark_fillers(model.tgt_tokenizer, foreign.remarks);
  model.suppressed = fillers_of(model.tgt_tokenizer);
  model.suppressed.push_back(model.special().bos);
  if (!options.writes_unknown) model.suppressed.push_back(model.special().unk);
  foreign.model = std::make_shared<TranslationModel>(std::move(model));
  return NativeMarian{std::move(foreign), std::move(weights), options.languages};
}

}  // namespace attend
