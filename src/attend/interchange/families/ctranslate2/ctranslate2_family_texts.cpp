#include "attend/interchange/families/ctranslate2/ctranslate2_family_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/families/families.h"
#include "attend/models/make_encoder_decoder.h"

namespace attend::detail {

namespace {

using Json = nlohmann::json;

constexpr const char* kTokenizerConfig = "tokenizer_config.json";
// What families read of a directory, beside config.json and the weights.
constexpr std::array kTokenizerFiles{kTokenizerConfig,
                                     "tokenizer.json",
                                     "special_tokens_map.json",
                                     "added_tokens.json",
                                     "generation_config.json",
                                     "chat_template.jinja",
                                     "vocab.json",
                                     "vocab.txt",
                                     "merges.txt",
                                     "tokenizer.model",
                                     "spiece.model",
                                     "sentencepiece.bpe.model",
                                     "source.spm",
                                     "target.spm"};
constexpr const char *kSourceSide = "source.spm", *kTargetSide = "target.spm";

struct NamedFamily {
  std::string_view tokenizer, family;
};
constexpr std::array kFamiliesByTokenizer{
    NamedFamily{"MarianTokenizer", "marian"}, NamedFamily{"M2M100Tokenizer", "m2m_100"},
    NamedFamily{"NllbTokenizer", "m2m_100"},  NamedFamily{"MBartTokenizer", "mbart"},
    NamedFamily{"MBart50Tokenizer", "mbart"}, NamedFamily{"PegasusTokenizer", "pegasus"},
    NamedFamily{"BartTokenizer", "bart"},     NamedFamily{"T5Tokenizer", "t5"},
};

// The class that reads the tokenizer in transformers, without "Fast"; empty: none is named.
std::string tokenizer_class(const ModelDirectory& directory) {
  if (!directory.contains(kTokenizerConfig)) return "";
  ForeignConfig config = ForeignConfig::from_json(directory.text(kTokenizerConfig),
                                                  directory.path() + "/" + kTokenizerConfig);
  std::string name = config.text_or("tokenizer_class", "");
  constexpr std::string_view kFast = "Fast";
  if (name.ends_with(kFast)) name.resize(name.size() - kFast.size());
  return name;
}

std::optional<std::int64_t> id_of(const std::vector<std::string>& pieces,
                                  const std::string& piece) {
  const auto found = std::find(pieces.begin(), pieces.end(), piece);
  if (found == pieces.end()) return std::nullopt;
  return found - pieces.begin();
}

// A config.json of the family for a network that is never used.
Json config_of(std::string_view family, const Ctranslate2Config& config,
               const std::vector<std::string>& pieces) {
  const ModelDecoding decoding = ctranslate2_decoding();
  Json json{
      {"model_type", family},
      {"vocab_size", pieces.size()},
      {"num_beams", decoding.beam_size},
      {"length_penalty", decoding.length_penalty},
      {"min_length", decoding.min_length + 1}};  // with the token that the decoder begins with
  if (family == "t5") {
    json.update({{"d_model", 1}, {"d_kv", 1}, {"d_ff", 1}, {"num_layers", 1}, {"num_heads", 1}});
  } else {
    json.update({{"d_model", 1}, {"activation_function", "relu"}, {"max_position_embeddings", 1}});
    for (const char* side : {"encoder", "decoder"})
      for (const char* size : {"layers", "attention_heads", "ffn_dim"})
        json[fmt::format("{}_{}", side, size)] = 1;
  }
  if (const auto end = id_of(pieces, config.eos)) json["eos_token_id"] = *end;
  if (config.start)
    if (const auto start = id_of(pieces, *config.start)) json["decoder_start_token_id"] = *start;
  return json;
}

std::string piece_ids(const std::vector<std::string>& pieces) {
  Json ids = Json::object();
  for (std::size_t id = 0; id < pieces.size(); ++id) ids[pieces[id]] = id;
  return ids.dump(-1, ' ', false, Json::error_handler_t::replace);
}

constexpr const char* kMarianPad = "<pad>";

// MarianMT begins with a piece more, its padding, whose embedding is zeros.
Ctranslate2Vocabularies with_padding(Ctranslate2Vocabularies vocabularies,
                                     const Ctranslate2Places& places) {
  if (id_of(vocabularies.target, kMarianPad))
    throw DataError(fmt::format("{}: expected no piece {} in the vocabulary of a MarianMT model",
                                places.model.path(), kMarianPad));
  vocabularies.target.emplace_back(kMarianPad);
  if (vocabularies.joint) vocabularies.source.emplace_back(kMarianPad);
  return vocabularies;
}

// `start`: the piece that the decoder begins with.
void describe_marian(const Ctranslate2Vocabularies& vocabularies, const std::string& start,
                     Json& config, TextFiles& files) {
  if (const auto id = id_of(vocabularies.target, start))
    config["pad_token_id"] = config["decoder_start_token_id"] = *id;
  config["share_encoder_decoder_embeddings"] = vocabularies.joint;
  config["tie_word_embeddings"] = true;
  config["vocab_size"] = vocabularies.source.size();
  config["decoder_vocab_size"] = vocabularies.target.size();
  files["vocab.json"] = piece_ids(vocabularies.source);
  if (!vocabularies.joint) files["target_vocab.json"] = piece_ids(vocabularies.target);
}

using ReadFamily = ForeignModel (*)(const ModelDirectory& directory, ForeignConfig& config);
ReadFamily reader_of(std::string_view family) {
  if (family == "marian") return read_marian;
  if (family == "m2m_100") return read_m2m_100;
  if (family == "mbart") return read_mbart;
  if (family == "pegasus") return read_pegasus;
  return family == "t5" ? read_t5 : read_bart;
}

}  // namespace

ModelDecoding ctranslate2_decoding() {
  ModelDecoding decoding;
  decoding.beam_size = 2;
  decoding.length_penalty = 1.0f;
  decoding.min_length = 1;
  return decoding;
}

std::shared_ptr<EncoderDecoder> unused_network() {
  TransformerConfig shape;
  shape.d_model = shape.n_heads = shape.d_ff = 1;
  shape.n_encoder_layers = shape.n_decoder_layers = 1;
  shape.src_vocab_size = shape.tgt_vocab_size = 1;
  return make_encoder_decoder(shape);
}

std::optional<std::string_view> ctranslate2_family(const ModelDirectory& directory,
                                                   const Ctranslate2TextShape& shape) {
  const bool has_sides = directory.contains(kSourceSide) && directory.contains(kTargetSide);
  if (shape.starts_from_zero)
    return has_sides ? std::optional<std::string_view>("marian") : std::nullopt;
  const std::string named = tokenizer_class(directory);
  for (const NamedFamily& one : kFamiliesByTokenizer)
    if (one.tokenizer == named) return one.family;
  if (named.empty() && !directory.contains("tokenizer.json")) return std::nullopt;
  return shape.is_relative ? "t5" : "bart";
}

TextFiles ctranslate2_tokenizer_files(const ModelDirectory& directory) {
  TextFiles files;
  for (const char* name : kTokenizerFiles)
    if (directory.contains(name)) files[name] = directory.text(name);
  return files;
}

void require_ctranslate2_pieces(const Tokenizer& tokenizer, const std::vector<std::string>& pieces,
                                const ModelDirectory& directory) {
  const auto size = static_cast<std::int32_t>(std::ssize(pieces));
  const std::vector<std::int32_t> fillers = fillers_of(tokenizer);
  for (std::int32_t id = 0; id < std::min(size, tokenizer.vocab_size()); ++id) {
    const std::string& piece = pieces[static_cast<std::size_t>(id)];
    if (tokenizer.piece(id) == piece || std::binary_search(fillers.begin(), fillers.end(), id))
      continue;
    throw DataError(
        fmt::format("{}: piece {} is {} in the vocabulary of the model and {} in its "
                    "tokenizer",
                    directory.path(), id, quote(piece), quote(tokenizer.piece(id))));
  }
}

TranslationModel read_ctranslate2_family(std::string_view family, bool from_zero,
                                         const Ctranslate2Places& places,
                                         const Ctranslate2Config& config,
                                         const Ctranslate2Vocabularies& vocabularies,
                                         std::vector<std::string>& remarks) {
  TextFiles files = ctranslate2_tokenizer_files(places.tokenizer);
  Json json = config_of(family, config, vocabularies.target);
  if (family == "marian")
    describe_marian(from_zero ? with_padding(vocabularies, places) : vocabularies,
                    from_zero ? kMarianPad : config.start.value_or(kMarianPad), json, files);
  files["config.json"] = json.dump();
  ForeignConfig settings(std::move(json), places.tokenizer.path() + "/config.json");
  const ForeignModel read =
      reader_of(family)(ModelDirectory(places.tokenizer.path(), std::move(files)), settings);
  remarks.insert(remarks.end(), read.remarks.begin(), read.remarks.end());
  TranslationModel model = dynamic_cast<const TranslationModel&>(*read.model);
  // Then the decoder begins with the language alone.
  std::vector<std::int32_t>& begin = model.format.marks.before_target;
  if (!config.start && begin.size() > 1) begin.erase(begin.begin());
  require_ctranslate2_pieces(model.src_tokenizer, vocabularies.source, places.model);
  require_ctranslate2_pieces(model.tgt_tokenizer, vocabularies.target, places.model);
  return model;
}

}  // namespace attend::detail
