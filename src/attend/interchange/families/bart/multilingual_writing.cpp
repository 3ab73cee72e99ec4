// Models of several languages in the other direction: as M2M100, NLLB, mBART and mBART-50.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "attend/error.h"
#include "attend/interchange/families/bart/bart_type_writing.h"
#include "attend/interchange/families/bart/multilingual.h"
#include "attend/interchange/families/families.h"
#include "attend/text/sentencepiece/sentencepiece_writing.h"
#include "attend/text/tokenizer_file.h"

namespace attend {

namespace {

using TokenizerJson = nlohmann::json;

// The model if it asks for languages around its texts; nullptr for others.
const TranslationModel* as_multilingual(const SavedModel& saved) {
  const TranslationModel* const model = as_transformer(saved);
  if (model == nullptr || model->format.languages.empty()) return nullptr;
  if (model->tokenizers().size() > 1) throw ConfigError("two vocabularies");
  return model;
}

bool begins_with_language(const PairSpecialTokens& marks) {
  return marks.before_target.front() == PairFormat::kTargetLanguage;
}

// The pieces of the languages, in the order of their ids.
std::vector<std::string> language_pieces(const TranslationModel& model) {
  std::vector<std::int32_t> ids;
  for (const PairFormat::Language& language : model.format.languages) ids.push_back(language.token);
  std::sort(ids.begin(), ids.end());
  std::vector<std::string> pieces;
  for (const std::int32_t id : ids) pieces.push_back(model.tgt_tokenizer.piece(id));
  return pieces;
}

TokenizerJson language_settings(const TranslationModel& model, std::string_view tokenizer_class) {
  TokenizerJson settings{{"tokenizer_class", tokenizer_class}};
  const LanguagePair& defaults = model.format.defaults;
  if (!defaults.source.empty()) settings["src_lang"] = defaults.source;
  if (!defaults.target.empty()) settings["tgt_lang"] = defaults.target;
  return settings;
}

// A SentencePiece model before fairseq's order: its special pieces, then its own up to the first
// of the languages, which fillers and <mask> only follow.
std::string unordered_pieces(const Tokenizer& tokenizer,
                             const std::vector<std::string>& languages) {
  constexpr std::int32_t kFairseqPieces = 4;
  std::vector<std::string> own{"<unk>", "<s>", "</s>"};
  const std::int32_t end = tokenizer.id(languages.front());
  for (std::int32_t id = kFairseqPieces; id < end; ++id) own.push_back(tokenizer.piece(id));
  return restore_sentencepiece(tokenizer.bytes(), own);
}

// The tokenizer of NLLB and mBART, in the form in which it was read.
void write_fairseq_tokenizer(const TranslationModel& model, TokenizerJson settings,
                             TextFiles& files, Checkpoint& equal) {
  const Tokenizer& tokenizer = model.tgt_tokenizer;
  const std::vector<std::string> languages = language_pieces(model);
  settings["additional_special_tokens"] = languages;
  const bool is_engine = detail::is_tokenizer_file(tokenizer.bytes());
  if (is_engine || !is_reordered_sentencepiece(tokenizer.bytes())) {
    TextSpecialTokens marks{model.format.marks.before_source, model.format.marks.after_source};
    const std::int32_t source = tokenizer.id(languages.front());
    for (auto* list : {&marks.prefix, &marks.suffix})
      std::replace(list->begin(), list->end(), PairFormat::kSourceLanguage, source);
    write_tokenizer_files(tokenizer, marks, settings, files, equal);
    return;
  }
  files["sentencepiece.bpe.model"] = unordered_pieces(tokenizer, languages);
  files["tokenizer_config.json"] = write_tokenizer_config(tokenizer, settings);
}

// vocab.json has the pieces before the languages.
void write_m2m_tokenizer(const TranslationModel& model, TextFiles& files) {
  const Tokenizer& tokenizer = model.tgt_tokenizer;
  const std::vector<std::string> languages = language_pieces(model);
  TokenizerJson vocabulary = TokenizerJson::object();
  for (std::int32_t id = 0; id < tokenizer.id(languages.front()); ++id)
    vocabulary[tokenizer.piece(id)] = id;
  TokenizerJson settings = language_settings(model, "M2M100Tokenizer");
  settings["language_codes"] = languages.size() == kWmt21Languages.size() ? "wmt21" : "m2m100";
  settings["num_madeup_words"] =
      tokenizer.vocab_size() - std::ssize(vocabulary) - std::ssize(languages);
  files["vocab.json"] = vocabulary.dump() + "\n";
  files["sentencepiece.bpe.model"] = tokenizer.bytes();
  files["tokenizer_config.json"] = write_tokenizer_config(tokenizer, settings);
}

}  // namespace

std::optional<TextFiles> write_m2m_100(const SavedModel& saved, Checkpoint& equal) {
  const TranslationModel* const model = as_multilingual(saved);
  if (model == nullptr || begins_with_language(model->format.marks)) return std::nullopt;
  const auto shape = std::get<TransformerConfig>(model->network->architecture());
  TextFiles files;
  files["config.json"] =
      write_json(bart_type_config(*model, shape, "m2m_100", "M2M100ForConditionalGeneration"));
  files[kGenerationConfig] = write_json(generation_json(*model, kUsualLength));
  if (language_pieces(*model).front().starts_with("__")) {
    write_m2m_tokenizer(*model, files);
  } else {
    TokenizerJson settings = language_settings(*model, "NllbTokenizer");
    const auto& after = model->format.marks.after_source;
    settings["legacy_behaviour"] =
        std::find(after.begin(), after.end(), PairFormat::kSourceLanguage) != after.end();
    write_fairseq_tokenizer(*model, std::move(settings), files, equal);
  }
  return files;
}

std::optional<TextFiles> write_mbart(const SavedModel& saved, Checkpoint& equal) {
  const TranslationModel* const model = as_multilingual(saved);
  if (model == nullptr) return std::nullopt;
  const auto shape = std::get<TransformerConfig>(model->network->architecture());
  const bool is_first = begins_with_language(model->format.marks);
  TextFiles files;
  files["config.json"] =
      write_json(bart_type_config(*model, shape, "mbart", "MBartForConditionalGeneration"));
  files[kGenerationConfig] = write_json(generation_json(*model, shape.max_positions));
  write_fairseq_tokenizer(
      *model, language_settings(*model, is_first ? "MBartTokenizer" : "MBart50Tokenizer"), files,
      equal);
  return files;
}

}  // namespace attend
