#include "attend/interchange/families/bart/bart_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/core/json/json.h"
#include "attend/error.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/translation/model.h"

namespace attend {

namespace {

// Our names, and theirs for all but the embeddings, which find_embeddings() knows.
constexpr std::array kBartTypeNames{
    NameRule{"#.layers.*.self_attn.*", "model.#.layers.*.self_attn.*"},
    NameRule{"#.layers.*.norm1.*", "model.#.layers.*.self_attn_layer_norm.*"},
    NameRule{"#.layers.*.feed_forward.linear1.*", "model.#.layers.*.fc1.*"},
    NameRule{"#.layers.*.feed_forward.linear2.*", "model.#.layers.*.fc2.*"},
    NameRule{"encoder.layers.*.norm2.*", "model.encoder.layers.*.final_layer_norm.*"},
    NameRule{"#.norm.*", "model.#.layer_norm.*"},
    NameRule{"decoder.layers.*.cross_attn.*", "model.decoder.layers.*.encoder_attn.*"},
    NameRule{"decoder.layers.*.norm2.*", "model.decoder.layers.*.encoder_attn_layer_norm.*"},
    NameRule{"decoder.layers.*.norm3.*", "model.decoder.layers.*.final_layer_norm.*"},
    NameRule{"src_positions.weight", "model.encoder.embed_positions.weight",
             ForeignLayout::behind_two},
    NameRule{"tgt_positions.weight", "model.decoder.embed_positions.weight",
             ForeignLayout::behind_two},
    NameRule{"src_norm.*", "model.encoder.layernorm_embedding.*"},
    NameRule{"tgt_norm.*", "model.decoder.layernorm_embedding.*"},
    NameRule{"output_proj.bias", "final_logits_bias", ForeignLayout::one_row},
};

}  // namespace

NameMap bart_type_names(std::span<const NameRule> first) {
  NameMap names(first);
  names.add(kBartTypeNames);
  return names;
}

TransformerConfig read_bart_type(ForeignConfig& config, const BartTypeTraits& traits) {
  TransformerConfig shape;
  shape.d_model = read_int(config, "d_model", kWidths);
  shape.n_encoder_layers = read_int(config, "encoder_layers", kLayerCounts);
  shape.n_decoder_layers = read_int(config, "decoder_layers", kLayerCounts);
  shape.n_heads = read_int(config, "encoder_attention_heads", kHeadCounts);
  shape.d_ff = read_int(config, "encoder_ffn_dim", between(1, 1e6));
  StackConfig decoder = shape;
  decoder.n_heads = read_int(config, "decoder_attention_heads", kHeadCounts);
  decoder.d_ff = read_int(config, "decoder_ffn_dim", between(1, 1e6));
  shape.set_decoder(decoder);
  shape.activation = read_activation(config, "activation_function");
  shape.embedding_scale = config.boolean_or("scale_embedding", false) ? 0.0f : 1.0f;
  shape.positions = traits.positions;
  shape.first_position = traits.first_position;
  if (traits.positions == PositionKind::learned)
    shape.max_positions = read_int(config, "max_position_embeddings", between(1, 1e6));
  shape.norm_first = traits.norm_first;
  shape.norm_embedding = traits.norm_embedding;
  shape.dropout = read_dropout(config, "dropout", 0.1);
  shape.attention_dropout = read_dropout(config, "attention_dropout", 0.0);
  shape.activation_dropout = read_dropout(config, "activation_dropout", 0.0);
  shape.output_bias = traits.output_bias;
  shape.src_vocab_size = shape.tgt_vocab_size = read_int(config, "vocab_size", kVocabularySizes);
  config.require("normalize_before", traits.norm_first);
  config.require("add_final_layer_norm", traits.norm_first);
  config.require("normalize_embedding", traits.norm_embedding);
  config.require("static_position_embeddings",
                 is_added(traits.positions) && traits.positions != PositionKind::learned);
  config.require("add_bias_logits", false);
  // Sinusoids have no last position; the other is the offset of learned ones.
  config.ignore({"max_position_embeddings", "extra_pos_embeddings"});
  return shape;
}

BartTypeModel read_bart_type_model(const ModelDirectory& directory, ForeignConfig& config,
                                   const BartTypeTraits& traits) {
  BartTypeModel read{read_bart_type(config, traits), {}};
  const bool tied = config.boolean_or("tie_word_embeddings", true);
  read.embeddings = find_embeddings(directory, kBartTypeEmbeddings, tied, TiedEmbeddings::all);
  read.shape.tie_embeddings = read.embeddings.tied;
  return read;
}

ForeignModel bart_type_model(const BartTypeModel& read, const Tokenizer& tokenizer,
                             const GenerationSettings& generation, PairFormat format) {
  const TransformerConfig& shape = read.shape;
  auto network = std::shared_ptr<EncoderDecoder>(make_encoder_decoder(shape));
  TranslationModel model(std::move(network), tokenizer, tokenizer,
                         generation.after(format.marks.of_target()));
  model.format = std::move(format);
  model.suppressed = generation.suppressed;
  if (!generation.ends.empty()) model.ends = generation.ends;
  ForeignModel foreign{nullptr, bart_type_names(read.embeddings.names)};
  const std::vector<std::int32_t> fillers = fillers_of(tokenizer);
  model.suppressed.insert(model.suppressed.end(), fillers.begin(), fillers.end());
  remark_fillers(tokenizer, foreign.remarks);
  foreign.model = std::make_shared<TranslationModel>(std::move(model));
  foreign.ignorable = kBartTypeEmbeddings.all();
  foreign.ignorable.insert(foreign.ignorable.end(),
                           {"model.encoder.version", "model.decoder.version"});
  if (shape.positions != PositionKind::learned)
    foreign.ignorable.insert(foreign.ignorable.end(), std::begin(kBartTypeSinusoids),
                             std::end(kBartTypeSinusoids));
  foreign.zero_if_missing = {"final_logits_bias"};
  return foreign;
}

int read_tokenizer_setting(const ModelDirectory& directory, std::string_view key, int otherwise,
                           const NumberRange& range) {
  constexpr const char* kFile = "tokenizer_config.json";
  if (!directory.contains(kFile)) return otherwise;
  ForeignConfig config =
      ForeignConfig::from_json(directory.text(kFile), directory.path() + "/" + kFile);
  return static_cast<int>(config.integer_or(key, otherwise, range));
}

std::vector<std::string> read_piece_ids(const ModelDirectory& directory, const char* name) {
  const std::string where = directory.path() + "/" + name;
  return pieces_by_id(parse_sorted_json(directory.text(name), where), where);
}

std::vector<std::string> pieces_by_id(const nlohmann::json& json, const std::string& where) {
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

std::vector<std::string> fill_up(std::vector<std::string>& pieces, int embeddings,
                                 const ModelDirectory& directory) {
  if (std::ssize(pieces) > embeddings)
    throw DataError(fmt::format("{}: the model has {} embeddings, its tokenizer {} pieces",
                                directory.path(), embeddings, pieces.size()));
  std::vector<std::string> fillers;
  while (std::ssize(pieces) < embeddings) {
    fillers.push_back(filler_piece(std::ssize(pieces)));
    pieces.push_back(fillers.back());
  }
  return fillers;
}

}  // namespace attend
