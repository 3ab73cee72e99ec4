// Translation between many languages: M2M100 (Fan et al. 2021), NLLB (NLLB Team 2022), mBART (Liu
// et al. 2020) and mBART-50 (Tang et al. 2020), as transformers has them.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "attend/core/json/json.h"
#include "attend/core/json/json_object.h"
#include "attend/error.h"
#include "attend/interchange/families/bart/bart_type.h"
#include "attend/interchange/families/bart/multilingual.h"
#include "attend/tasks/translation/model.h"

namespace attend {

namespace {

using Language = PairFormat::Language;

constexpr const char* kTokenizerFile = "tokenizer_config.json";
constexpr const char* kSentencePieceFile = "sentencepiece.bpe.model";

// What tokenizer_config.json says of languages.
struct LanguageSettings {
  std::string tokenizer_class;  // without "Fast"
  std::string codes;            // "m2m100"
  bool legacy = false;          // of NLLB: the language follows a source
  LanguagePair defaults;
};

LanguageSettings read_language_settings(const ModelDirectory& directory, ForeignConfig& config) {
  LanguageSettings settings;
  settings.tokenizer_class = config.text_or("tokenizer_class", "");
  if (directory.contains(kTokenizerFile)) {
    ForeignConfig file = ForeignConfig::from_json(directory.text(kTokenizerFile),
                                                  directory.path() + "/" + kTokenizerFile);
    settings.tokenizer_class = file.text_or("tokenizer_class", settings.tokenizer_class);
    settings.codes = file.text_or("language_codes", "m2m100");
    settings.legacy = file.boolean_or("legacy_behaviour", false);
    settings.defaults = {file.text_or("src_lang", ""), file.text_or("tgt_lang", "")};
  }
  constexpr std::string_view kFast = "Fast";
  if (settings.tokenizer_class.ends_with(kFast))
    settings.tokenizer_class.resize(settings.tokenizer_class.size() - kFast.size());
  return settings;
}

// Pieces by their ids in vocab.json, then the languages as "__en__".
Tokenizer read_m2m_tokenizer(const ModelDirectory& directory, const LanguageSettings& settings,
                             int embeddings, std::vector<std::string>& remarks) {
  VocabularyOrder order{.pieces = read_piece_ids(directory, "vocab.json"),
                        .special = {.bos = "<s>", .eos = "</s>", .pad = "<pad>", .unk = "<unk>"}};
  const auto add = [&](std::span<const char* const> codes) {
    for (const char* code : codes) order.controls.push_back(fmt::format("__{}__", code));
  };
  settings.codes == "wmt21" ? add(kWmt21Languages) : add(kM2m100Languages);
  refuse_added_tokens(directory, order);
  order.pieces.insert(order.pieces.end(), order.controls.begin(), order.controls.end());
  for (const std::string& filler : fill_up(order.pieces, embeddings, directory))
    order.controls.push_back(filler);
  const std::string bytes = directory.text(kSentencePieceFile);
  remark_unknown_pieces(kSentencePieceFile, bytes, order, remarks);
  return Tokenizer::from_bytes(reorder_sentencepiece(bytes, order));
}

// Whether `text` has the shape of `pattern`: 'a' stands for a small letter, 'A' for a capital one,
// any other character for itself.
bool has_shape(std::string_view text, std::string_view pattern) {
  return std::equal(text.begin(), text.end(), pattern.begin(), pattern.end(), [](char c, char p) {
    if (p == 'a') return c >= 'a' && c <= 'z';
    if (p == 'A') return c >= 'A' && c <= 'Z';
    return c == p;
  });
}

// "eng_Latn", "en_XX", "__en__".
std::vector<Language> languages_of(const Tokenizer& tokenizer) {
  constexpr std::string_view kAround = "__";
  std::vector<Language> languages;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    const std::string& piece = tokenizer.piece(id);
    if (has_shape(piece, "aaa_Aaaa") || has_shape(piece, "aa_AA")) languages.push_back({piece, id});
    if (has_shape(piece, "__aa__") || has_shape(piece, "__aaa__"))
      languages.push_back({piece.substr(kAround.size(), piece.size() - 2 * kAround.size()), id});
  }
  std::sort(languages.begin(), languages.end(),
            [](const Language& a, const Language& b) { return a.name < b.name; });
  return languages;
}

std::string name_of_token(const std::vector<Language>& languages, std::int32_t token) {
  for (const Language& language : languages)
    if (language.token == token) return language.name;
  return "";
}

// Where the language of the source stands, and whether the decoder begins with that of the target
// alone.
struct LanguagePlaces {
  bool after_source = false;
  bool starts_target = false;
};

ForeignModel multilingual(const BartTypeModel& model, const Tokenizer& tokenizer,
                          const GenerationSettings& generation, const LanguageSettings& settings,
                          const LanguagePlaces& places) {
  PairFormat format;
  format.languages = languages_of(tokenizer);
  PairSpecialTokens& marks = format.marks;
  const std::int32_t end = tokenizer.eos_id();
  if (places.after_source) {
    marks.after_source = {end, PairFormat::kSourceLanguage};
  } else {
    marks.before_source = {PairFormat::kSourceLanguage};
    marks.after_source = {end};
  }
  if (!places.starts_target) marks.before_target = {generation.start.value_or(end)};
  marks.before_target.push_back(PairFormat::kTargetLanguage);
  if (places.starts_target && generation.first) marks.before_target.push_back(*generation.first);
  if (format.languages.empty()) throw DataError("the tokenizer has no languages");
  LanguagePair defaults = settings.defaults;
  const auto& forced = places.starts_target ? generation.start : generation.first;
  if (forced) defaults.target = name_of_token(format.languages, *forced);
  format.set_defaults(defaults);
  return bart_type_model(model, tokenizer, generation, std::move(format));
}

}  // namespace

ForeignModel read_m2m_100(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const BartTypeModel model = read_bart_type_model(directory, config,
                                                   {.norm_first = true,
                                                    .positions = PositionKind::sinusoidal_t2t,
                                                    .first_position = 2,
                                                    .output_bias = false});
  const int vocabulary = model.shape.src_vocab_size;
  const GenerationSettings generation = read_generation(directory, config, vocabulary);
  config.ignore({"eos_token_id"});
  const LanguageSettings settings = read_language_settings(directory, config);
  const bool nllb = settings.tokenizer_class == "NllbTokenizer";
  std::vector<std::string> remarks;
  const Tokenizer tokenizer = nllb ? read_tokenizer_of(directory, vocabulary).tokenizer
                                   : read_m2m_tokenizer(directory, settings, vocabulary, remarks);
  ForeignModel foreign = multilingual(model, tokenizer, generation, settings,
                                      {.after_source = nllb && settings.legacy});
  foreign.remarks.insert(foreign.remarks.end(), remarks.begin(), remarks.end());
  return foreign;
}

ForeignModel read_mbart(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const BartTypeModel model =
      read_bart_type_model(directory, config, {.norm_first = true, .norm_embedding = true});
  const int vocabulary = model.shape.src_vocab_size;
  const GenerationSettings generation = read_generation(directory, config, vocabulary);
  config.ignore({"eos_token_id"});
  const LanguageSettings settings = read_language_settings(directory, config);
  const bool first = settings.tokenizer_class != "MBart50Tokenizer";
  return multilingual(model, read_tokenizer_of(directory, vocabulary).tokenizer, generation,
                      settings, {.after_source = first, .starts_target = first});
}

}  // namespace attend
