// MarianMT in the other direction: a translation model of ours as transformers reads it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "attend/error.h"
#include "attend/interchange/families/bart/bart_type_writing.h"
#include "attend/interchange/families/families.h"
#include "attend/interchange/writing/equal_models.h"
#include "attend/nn/positional_encoding.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/translation/model.h"
#include "attend/text/sentencepiece/sentencepiece_writing.h"

namespace attend {

namespace {

using MarianJson = nlohmann::ordered_json;

std::vector<std::string> pieces_of(const Tokenizer& tokenizer) {
  std::vector<std::string> pieces;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id)
    pieces.push_back(tokenizer.piece(id));
  return pieces;
}

std::string write_vocabulary(const std::vector<std::string>& pieces) {
  nlohmann::json vocabulary = nlohmann::json::object();
  for (std::size_t id = 0; id < pieces.size(); ++id) vocabulary[pieces[id]] = id;
  return vocabulary.dump() + "\n";
}

void require_sentencepiece(const Tokenizer& tokenizer) {
  const TokenizerType type = type_of(tokenizer);
  if (type == TokenizerType::wordpiece || type == TokenizerType::byte_bpe)
    throw ConfigError(fmt::format("the tokenizer is {}, but MarianMT supports only SentencePiece",
                                  enum_names(type)[static_cast<std::size_t>(type)]));
}

// The pieces that name languages before a source.
std::vector<std::string> language_pieces_of(const TranslationModel& model) {
  std::vector<std::string> pieces;
  for (const PairFormat::Language& language : model.format.languages)
    pieces.push_back(model.src_tokenizer.piece(language.token));
  return pieces;
}

// The tokenizers as their reader makes them: special tokens are those of vocab.json.
struct MarianTokenizers {
  Tokenizer src, tgt;
};
MarianTokenizers marian_tokenizers(const TranslationModel& model, const TransformerConfig& shape) {
  const Tokenizer& tgt = model.tgt_tokenizer;
  const SpecialPieces special{needed_piece(tgt, tgt.bos_id(), "begins a text"),
                              needed_piece(tgt, tgt.eos_id(), "ends a text"),
                              needed_piece(tgt, tgt.pad_id(), "fills up batches"), "<unk>"};
  const auto reordered = [&](const Tokenizer& tokenizer, const std::vector<std::string>& controls) {
    return Tokenizer::from_bytes(
        reorder_sentencepiece(tokenizer.bytes(), {pieces_of(tokenizer), controls, special}));
  };
  const std::vector<std::string> languages = language_pieces_of(model);
  const bool shared = shape.tie_embeddings == TiedEmbeddings::all;
  return {reordered(model.src_tokenizer, languages),
          reordered(tgt, shared ? languages : std::vector<std::string>{})};
}

// The pieces of the source, with the padding token. The embedding of a new one is zeros.
std::vector<std::string> with_padding(std::vector<std::string> pieces, const std::string& padding,
                                      Checkpoint& equal) {
  if (std::find(pieces.begin(), pieces.end(), padding) != pieces.end()) return pieces;
  pieces.push_back(padding);
  add_source_piece(equal);
  return pieces;
}

// Marian's decoder begins with zeros. In MarianMT they are the embedding of the last piece, which
// is also the padding token. Its id must be one of the source's vocabulary, too, because
// transformers has a single setting for it.
MarianTokenizers begin_as_marian(const TranslationModel& model, Checkpoint& equal) {
  const std::string padding = "<pad>";
  const SpecialTokens special = model.special();
  if (read_options<TransformerConfig>(equal, "attend.config").positions != PositionKind::learned)
    tabulate_positions_of_pairs(equal, kUsualLength);
  std::vector<std::string> tgt = pieces_of(model.tgt_tokenizer);
  const std::string start = tgt[static_cast<std::size_t>(special.bos)];
  std::replace(tgt.begin(), tgt.end(), padding, start);
  const bool joint = model.tokenizers().size() == 1;
  const std::vector<std::string> src =
      joint ? tgt : with_padding(pieces_of(model.src_tokenizer), padding, equal);
  const std::ptrdiff_t place = std::min(std::ssize(src), std::ssize(tgt)) - 1;
  begin_with_zeros(equal, special.bos, place);
  tgt.erase(tgt.begin() + special.bos);
  tgt.insert(tgt.begin() + place, padding);
  const SpecialPieces names{padding, needed_piece(model.tgt_tokenizer, special.eos, "ends a text"),
                            padding,
                            needed_piece(model.tgt_tokenizer, special.unk, "is unknown text")};
  const auto reordered = [&](const Tokenizer& tokenizer, const std::vector<std::string>& pieces) {
    return Tokenizer::from_bytes(reorder_sentencepiece(tokenizer.bytes(), {pieces, {}, names}));
  };
  return {reordered(model.src_tokenizer, joint ? tgt : src), reordered(model.tgt_tokenizer, tgt)};
}

// The tokens that are never written, by their new ids: the padding token is one of them.
std::vector<std::int32_t> marian_suppressed(const TranslationModel& model, const Tokenizer& tgt) {
  std::vector<std::int32_t> suppressed;
  for (const std::int32_t id : model.suppressed)
    suppressed.push_back(id == model.special().bos ? tgt.bos_id()
                                                   : tgt.id(model.tgt_tokenizer.piece(id)));
  if (std::find(suppressed.begin(), suppressed.end(), tgt.pad_id()) == suppressed.end())
    suppressed.push_back(tgt.pad_id());
  return suppressed;
}

// A model of attend, in the words of MarianMT: its decoder never writes the padding token, its
// logits have a bias, and its tokenizers know their special tokens by the ids of vocab.json. A
// joint vocabulary ends with the token that the decoder begins with, as CTranslate2 expects.
TranslationModel use_words_of_marian(const TranslationModel& model, Checkpoint& equal) {
  const auto shape = read_options<TransformerConfig>(equal, "attend.config");
  if (shape.positions == PositionKind::sinusoidal) separate_sines_from_cosines(equal);
  if (!shape.output_bias) add_output_bias(equal, model.tgt_tokenizer.vocab_size());
  constexpr float kMarianEpsilon = 1e-6f;
  if (shape.norm.epsilon == kMarianEpsilon) use_usual_epsilon(equal);
  const SpecialTokens special = model.special();
  if (special.bos < 0) throw ConfigError("its decoder begins with no token of its own");
  const bool has_joint = model.tokenizers().size() == 1;
  const bool begins =
      special.bos != special.pad && (has_joint || special.pad < 0) && is_added(shape.positions);
  if (!begins && special.pad < 0) throw ConfigError("its vocabularies have no padding token");
  auto [src, tgt] = begins ? begin_as_marian(model, equal) : marian_tokenizers(model, shape);
  TranslationModel changed(model.network, src, tgt, model.decoding);
  changed.format.languages = model.format.languages;
  changed.text_kinds = model.text_kinds;
  changed.suppressed = marian_suppressed(model, tgt);
  equal.metadata["attend.suppressed_tokens"] =
      fmt::format("[{}]", fmt::join(changed.suppressed, ","));
  for (NamedTensor& tensor : equal.tensors)
    for (const NamedTokenizer& one : changed.tokenizers())
      if (tensor.name == one.name) tensor.tensor = bytes_tensor(one.tokenizer.bytes());
  return changed;
}

MarianJson marian_config(const TranslationModel& model, const TransformerConfig& shape) {
  MarianJson config = bart_type_config(model, shape, "marian", "MarianMTModel");
  config["decoder_vocab_size"] = model.tgt_tokenizer.vocab_size();
  config["static_position_embeddings"] = shape.positions != PositionKind::learned;
  config["share_encoder_decoder_embeddings"] = shape.tie_embeddings == TiedEmbeddings::all;
  return config;
}

MarianJson marian_generation(const TranslationModel& model) {
  MarianJson json = generation_json(model, kUsualLength);
  json["bad_words_ids"] = MarianJson::array();
  for (const std::int32_t id : model.suppressed)
    json["bad_words_ids"].push_back(MarianJson::array({id}));
  return json;
}

MarianJson marian_tokenizer(const TranslationModel& model, bool separate) {
  const Tokenizer& tokenizer = model.tgt_tokenizer;
  MarianJson json{{"tokenizer_class", "MarianTokenizer"},
                  {"model_max_length", kUsualLength},
                  {"separate_vocabs", separate},
                  {"eos_token", needed_piece(tokenizer, tokenizer.eos_id(), "ends a text")},
                  {"pad_token", needed_piece(tokenizer, tokenizer.pad_id(), "fills up batches")},
                  {"unk_token", needed_piece(tokenizer, tokenizer.unk_id(), "is unknown text")}};
  for (const auto& [key, side] : {std::pair{"source_lang", "src"}, std::pair{"target_lang", "tgt"}})
    if (const auto kind = model.text_kinds.find(side);
        kind != model.text_kinds.end() && !kind->second.language.empty())
      json[key] = kind->second.language;
  return json;
}

}  // namespace

std::optional<TextFiles> write_marian(const SavedModel& saved, Checkpoint& equal) {
  if (dynamic_cast<const TranslationModel*>(&saved) == nullptr) return std::nullopt;
  const TranslationModel* const model = as_transformer(saved);
  if (model == nullptr) throw ConfigError("arch is rnn");
  if (model->special().unk < 0) throw ConfigError("the target vocabulary has no unknown token");
  for (const Tokenizer* tokenizer : {&model->src_tokenizer, &model->tgt_tokenizer})
    require_sentencepiece(*tokenizer);
  const TranslationModel written = use_words_of_marian(*model, equal);
  const auto shape = read_options<TransformerConfig>(equal, "attend.config");
  const bool separate = shape.tie_embeddings != TiedEmbeddings::all;
  TextFiles files;
  files["config.json"] = write_json(marian_config(written, shape));
  files[kGenerationConfig] = write_json(marian_generation(written));
  files["tokenizer_config.json"] = write_json(marian_tokenizer(written, separate));
  files["source.spm"] = written.src_tokenizer.bytes();
  files["target.spm"] = written.tgt_tokenizer.bytes();
  files["vocab.json"] = write_vocabulary(pieces_of(written.src_tokenizer));
  if (separate) files["target_vocab.json"] = write_vocabulary(pieces_of(written.tgt_tokenizer));
  return files;
}

}  // namespace attend
