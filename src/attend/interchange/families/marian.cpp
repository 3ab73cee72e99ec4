// MarianMT of the transformers library: OPUS-MT and similar models (Tiedemann & Thottingal 2020).
#include <fmt/format.h>

#include <array>

#include "attend/core/json.h"
#include "attend/error.h"
#include "attend/interchange/families/families.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/translation/model.h"
#include "attend/text/sentencepiece_writing.h"

namespace attend {

namespace {

// Our names, and those of a model with one table of embeddings, two tables, or also an output
// projection of its own.
constexpr std::array kStacks{
    NameRule{"encoder.layers.*.self_attn.*", "model.encoder.layers.*.self_attn.*"},
    NameRule{"encoder.layers.*.norm1.*", "model.encoder.layers.*.self_attn_layer_norm.*"},
    NameRule{"encoder.layers.*.feed_forward.linear1.*", "model.encoder.layers.*.fc1.*"},
    NameRule{"encoder.layers.*.feed_forward.linear2.*", "model.encoder.layers.*.fc2.*"},
    NameRule{"encoder.layers.*.norm2.*", "model.encoder.layers.*.final_layer_norm.*"},
    NameRule{"decoder.layers.*.self_attn.*", "model.decoder.layers.*.self_attn.*"},
    NameRule{"decoder.layers.*.norm1.*", "model.decoder.layers.*.self_attn_layer_norm.*"},
    NameRule{"decoder.layers.*.cross_attn.*", "model.decoder.layers.*.encoder_attn.*"},
    NameRule{"decoder.layers.*.norm2.*", "model.decoder.layers.*.encoder_attn_layer_norm.*"},
    NameRule{"decoder.layers.*.feed_forward.linear1.*", "model.decoder.layers.*.fc1.*"},
    NameRule{"decoder.layers.*.feed_forward.linear2.*", "model.decoder.layers.*.fc2.*"},
    NameRule{"decoder.layers.*.norm3.*", "model.decoder.layers.*.final_layer_norm.*"},
    NameRule{"output_proj.bias", "final_logits_bias", ForeignLayout::one_row},
    NameRule{"output_proj.weight", "lm_head.weight"},
    NameRule{"embedding.weight", "model.shared.weight"},
    NameRule{"src_embedding.weight", "model.encoder.embed_tokens.weight"},
    NameRule{"tgt_embedding.weight", "model.decoder.embed_tokens.weight"},
};

TransformerConfig read_shape(ForeignConfig& config) {
  TransformerConfig shape;
  shape.d_model = read_int(config, "d_model", kWidths);
  shape.n_encoder_layers = read_int(config, "encoder_layers", kLayerCounts);
  shape.n_decoder_layers = read_int(config, "decoder_layers", kLayerCounts);
  shape.n_heads = read_int(config, "encoder_attention_heads", kHeadCounts);
  config.require("decoder_attention_heads", shape.n_heads);
  shape.d_ff = read_int(config, "encoder_ffn_dim", between(1, 1e6));
  config.require("decoder_ffn_dim", shape.d_ff);
  shape.activation = read_activation(config, "activation_function");
  shape.embedding_scale = config.boolean_or("scale_embedding", false) ? 0.0f : 1.0f;
  shape.positions = PositionKind::sinusoidal_halves;
  shape.dropout = read_dropout(config, "dropout", 0.1);
  shape.attention_dropout = read_dropout(config, "attention_dropout", 0.0);
  shape.activation_dropout = read_dropout(config, "activation_dropout", 0.0);
  shape.output_bias = true;
  for (const char* other : {"normalize_before", "normalize_embedding", "add_final_layer_norm",
                            "add_bias_logits", "extra_pos_embeddings"})
    config.require(other, false);
  config.require("static_position_embeddings", true);
  config.ignore({"max_position_embeddings"});  // sinusoids have no last position
  return shape;
}

// The pieces of vocab.json in the order of their ids.
std::vector<std::string> read_vocabulary(const ModelDirectory& directory, const char* name) {
  const std::string where = directory.path() + "/" + name;
  const nlohmann::json json = parse_sorted_json(directory.text(name), where);
  if (!json.is_object()) throw DataError(where + ": expected an object of pieces and ids");
  std::vector<std::string> pieces(json.size());
  std::vector<bool> seen(json.size(), false);
  for (const auto& [piece, id] : json.items()) {
    const auto size = static_cast<std::int64_t>(pieces.size());
    const std::int64_t number = id.is_number_integer() ? id.get<std::int64_t>() : -1;
    if (number < 0 || number >= size || seen[static_cast<std::size_t>(number)])
      throw DataError(fmt::format("{}: expected every id from 0 to {} once", where, size - 1));
    seen[static_cast<std::size_t>(number)] = true;
    pieces[static_cast<std::size_t>(number)] = piece;
  }
  return pieces;
}

const std::string& piece_of(const std::vector<std::string>& pieces, ForeignConfig& config,
                            const char* key) {
  return pieces[static_cast<std::size_t>(
      config.integer(key, between(0, static_cast<double>(pieces.size()) - 1)))];
}

}  // namespace

ForeignModel read_marian(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  TransformerConfig shape = read_shape(config);
  const bool shared = config.boolean_or("share_encoder_decoder_embeddings", true);
  const std::vector<std::string> src = read_vocabulary(directory, "vocab.json");
  const std::vector<std::string> tgt =
      shared ? src : read_vocabulary(directory, "target_vocab.json");
  const bool tied = config.boolean_or("tie_word_embeddings", true);
  shape.tie_embeddings = shared ? TiedEmbeddings::all
                         : tied ? TiedEmbeddings::target
                                : TiedEmbeddings::none;
  shape.src_vocab_size = read_int(config, "vocab_size", kVocabularySizes);
  shape.tgt_vocab_size = static_cast<int>(
      config.integer_or("decoder_vocab_size", shape.src_vocab_size, kVocabularySizes));

  // The decoder begins with the padding piece, which is never written.
  const std::string pad = piece_of(tgt, config, "pad_token_id"),
                    eos = piece_of(tgt, config, "eos_token_id"),
                    start = piece_of(tgt, config, "decoder_start_token_id");
  config.ignore({"bos_token_id", "forced_eos_token_id", "bad_words_ids"});
  const SpecialPieces special{start, eos, pad, "<unk>"};
  const auto tokenizer = [&](const char* file, const std::vector<std::string>& pieces) {
    return Tokenizer::from_bytes(
        reorder_sentencepiece(directory.text(file), {pieces, {}, special}));
  };
  auto network = std::shared_ptr<EncoderDecoder>(
      make_encoder_decoder(shape, EncoderDecoder::Purpose::inference));
  TranslationModel model(std::move(network), tokenizer("source.spm", src),
                         tokenizer("target.spm", tgt), read_decoding(directory, config));
  model.suppressed = {model.tgt_tokenizer.id(pad)};
  ForeignModel foreign{std::make_shared<TranslationModel>(std::move(model)), NameMap(kStacks)};
  foreign.ignorable = {"model.encoder.embed_positions.weight",
                       "model.decoder.embed_positions.weight"};
  if (shared)
    foreign.ignorable.insert(foreign.ignorable.end(),
                             {"model.encoder.embed_tokens.weight",
                              "model.decoder.embed_tokens.weight", "lm_head.weight"});
  if (tied) foreign.ignorable.push_back("lm_head.weight");
  return foreign;
}

}  // namespace attend
