// MarianMT in the other direction: a translation model of ours as transformers reads it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "attend/error.h"
#include "attend/interchange/equal_models.h"
#include "attend/interchange/families/bart_type_writing.h"
#include "attend/interchange/families/families.h"
#include "attend/tasks/model_reading.h"
#include "attend/tasks/translation/model.h"
#include "attend/text/sentencepiece_writing.h"

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
    throw ConfigError(fmt::format("the tokenizer is {}, those of MarianMT are of SentencePiece",
                                  enum_names(type)[static_cast<std::size_t>(type)]));
}

// A model of attend, in the words of MarianMT: its decoder never writes the padding token, its
// logits have a bias, and its tokenizers know their special tokens by the ids of vocab.json.
void use_words_of_marian(const TranslationModel& model, Checkpoint& equal) {
  const auto shape = read_options<TransformerConfig>(equal, "attend.config");
  if (shape.positions == PositionKind::sinusoidal) separate_sines_from_cosines(equal);
  if (!shape.output_bias) add_output_bias(equal, model.tgt_tokenizer.vocab_size());
  equal.metadata.emplace("attend.suppressed_tokens", fmt::format("[{}]", model.special().pad));
  const Tokenizer& tgt = model.tgt_tokenizer;
  const SpecialPieces special{tgt.piece(tgt.bos_id()), tgt.piece(tgt.eos_id()),
                              tgt.piece(tgt.pad_id()), "<unk>"};
  for (const NamedTokenizer& one : model.tokenizers())
    for (NamedTensor& tensor : equal.tensors)
      if (tensor.name == one.name)
        tensor.tensor = bytes_tensor(
            reorder_sentencepiece(one.tokenizer.bytes(), {pieces_of(one.tokenizer), {}, special}));
}

MarianJson marian_config(const TranslationModel& model, const TransformerConfig& shape) {
  MarianJson config = bart_type_config(model, shape, "marian", "MarianMTModel");
  config["decoder_vocab_size"] = model.tgt_tokenizer.vocab_size();
  config["share_encoder_decoder_embeddings"] = shape.tie_embeddings == TiedEmbeddings::all;
  return config;
}

MarianJson marian_generation(const TranslationModel& model) {
  MarianJson json = generation_json(model, kUsualLength);
  json["bad_words_ids"] = MarianJson::array({MarianJson::array({model.special().pad})});
  return json;
}

MarianJson marian_tokenizer(const TranslationModel& model, bool separate) {
  const Tokenizer& tokenizer = model.tgt_tokenizer;
  MarianJson json{{"tokenizer_class", "MarianTokenizer"},
                  {"model_max_length", kUsualLength},
                  {"separate_vocabs", separate},
                  {"eos_token", tokenizer.piece(tokenizer.eos_id())},
                  {"pad_token", tokenizer.piece(tokenizer.pad_id())},
                  {"unk_token", tokenizer.piece(tokenizer.unk_id())}};
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
  const SpecialTokens& special = model->special();
  if (special.pad < 0 || special.unk < 0)
    throw ConfigError("the target vocabulary has no padding or no unknown token");
  for (const Tokenizer* tokenizer : {&model->src_tokenizer, &model->tgt_tokenizer})
    require_sentencepiece(*tokenizer);
  use_words_of_marian(*model, equal);
  const auto shape = read_options<TransformerConfig>(equal, "attend.config");
  const bool separate = shape.tie_embeddings != TiedEmbeddings::all;
  TextFiles files;
  files["config.json"] = write_json(marian_config(*model, shape));
  files[kGenerationConfig] = write_json(marian_generation(*model));
  files["tokenizer_config.json"] = write_json(marian_tokenizer(*model, separate));
  files["source.spm"] = model->src_tokenizer.bytes();
  files["target.spm"] = model->tgt_tokenizer.bytes();
  files["vocab.json"] = write_vocabulary(pieces_of(model->src_tokenizer));
  if (separate) files["target_vocab.json"] = write_vocabulary(pieces_of(model->tgt_tokenizer));
  return files;
}

}  // namespace attend
