#include "attend/interchange/tokenizers/named_tokenizers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/tokenizers/named_classes.h"

namespace attend::detail {
namespace {

using SettingsJson = nlohmann::json;

// Qwen 2's split of text.
constexpr const char* kQwenPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";

// The class of a type of model in transformers, where it has one.
constexpr std::array<std::pair<std::string_view, std::string_view>, 40> kClassOfModel{{
    {"bert", "BertTokenizer"},
    {"distilbert", "BertTokenizer"},
    {"electra", "BertTokenizer"},
    {"nomic_bert", "BertTokenizer"},
    {"deberta-v2", "DebertaV2Tokenizer"},
    {"mpnet", "MPNetTokenizer"},
    {"albert", "AlbertTokenizer"},
    {"camembert", "CamembertTokenizer"},
    {"roberta", "RobertaTokenizer"},
    {"bart", "RobertaTokenizer"},
    {"gpt2", "GPT2Tokenizer"},
    {"opt", "GPT2Tokenizer"},
    {"qwen2", "Qwen2Tokenizer"},
    {"qwen3", "Qwen2Tokenizer"},
    {"qwen2_moe", "Qwen2Tokenizer"},
    {"qwen3_moe", "Qwen2Tokenizer"},
    {"t5", "T5Tokenizer"},
    {"mt5", "T5Tokenizer"},
    {"m2m_100", "M2M100Tokenizer"},
    {"marian", "MarianTokenizer"},
    {"mbart", "MBartTokenizer"},
    {"pegasus", "PegasusTokenizer"},
    {"xlm-roberta", "XLMRobertaTokenizer"},
    {"gte", "XLMRobertaTokenizer"},
    {"cohere", "CohereTokenizer"},
    {"gemma", "GemmaTokenizer"},
    {"gemma2", "GemmaTokenizer"},
    {"gemma3_text", "GemmaTokenizer"},
    {"gpt_neox", "GPTNeoXTokenizer"},
    {"mpt", "GPTNeoXTokenizer"},
    {"gptj", "GPT2Tokenizer"},
    {"phi", "GPT2Tokenizer"},
    {"granite", kGenericTokenizer},
    {"olmo2", kGenericTokenizer},
    {"phi3", kGenericTokenizer},
    {"stablelm", kGenericTokenizer},
    {"mistral", kGenericTokenizer},
    {"mixtral", kGenericTokenizer},
    {"umt5", kGenericTokenizer},
    {"modernbert", kGenericTokenizer},
}};
// Other names of classes.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kOtherNames{{
    {"DistilBertTokenizer", "BertTokenizer"},
    {"ElectraTokenizer", "BertTokenizer"},
    {"BartTokenizer", "RobertaTokenizer"},
    {"LongformerTokenizer", "RobertaTokenizer"},
    {"MT5Tokenizer", "T5Tokenizer"},
    {"PreTrainedTokenizer", kGenericTokenizer},
    {"PythonBackend", kGenericTokenizer},
    {"BloomTokenizer", kGenericTokenizer},
    {"", kGenericTokenizer},
}};

template <std::size_t N>
std::string_view value_of(const std::array<std::pair<std::string_view, std::string_view>, N>& map,
                          std::string_view key) {
  const auto found =
      std::find_if(map.begin(), map.end(), [&](const auto& entry) { return entry.first == key; });
  return found == map.end() ? "" : found->second;
}

// With all that the tokenizers library wants to read, because steps are exported as they are.
SettingsJson byte_level(bool prefix_space, bool use_regex) {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", prefix_space},
          {"trim_offsets", true},
          {"use_regex", use_regex}};
}

void build_bert(ClassSettings& settings, TokenizerSource& source) {
  SettingsJson& file = source.file;
  const bool lowercase = settings.flag("do_lower_case", true);
  file["normalizer"] = {{"type", "BertNormalizer"},
                        {"clean_text", true},
                        {"handle_chinese_chars", settings.flag("tokenize_chinese_chars", true)},
                        {"lowercase", lowercase},
                        {"strip_accents", settings.flag("strip_accents", lowercase)}};
  file["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  file["decoder"] = {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}};
  file["post_processor"] = processing("BertProcessing", settings.token("cls_token", "[CLS]"),
                                      settings.token("sep_token", "[SEP]"));
  file["model"]["type"] = "WordPiece";
  file["model"]["unk_token"] = settings.token("unk_token", "[UNK]");
}

void build_mpnet(ClassSettings& settings, TokenizerSource& source) {
  build_bert(settings, source);
  source.file["post_processor"] = processing(
      "RobertaProcessing", settings.token("cls_token", "<s>"), settings.token("sep_token", "</s>"));
  source.file["post_processor"]["trim_offsets"] = true;
}

void build_roberta(ClassSettings& settings, TokenizerSource& source) {
  SettingsJson& file = source.file;
  file["normalizer"] = nullptr;
  file["pre_tokenizer"] = byte_level(settings.flag("add_prefix_space", false), true);
  file["decoder"] = byte_level(true, true);
  file["post_processor"] = processing("RobertaProcessing", settings.token("cls_token", "<s>"),
                                      settings.token("sep_token", "</s>"));
  file["post_processor"]["trim_offsets"] = settings.flag("trim_offsets", true);
  file["post_processor"]["add_prefix_space"] = settings.flag("add_prefix_space", false);
}

void build_gpt2(ClassSettings& settings, TokenizerSource& source) {
  SettingsJson& file = source.file;
  file["normalizer"] = nullptr;
  file["pre_tokenizer"] = byte_level(settings.flag("add_prefix_space", false), true);
  file["decoder"] = byte_level(true, true);
}

void build_gpt_neox(ClassSettings& settings, TokenizerSource& source) {
  build_gpt2(settings, source);
  source.file["normalizer"] = {{"type", "NFC"}};
}

void build_qwen2(ClassSettings& settings, TokenizerSource& source) {
  SettingsJson& file = source.file;
  file["normalizer"] = {{"type", "NFC"}};
  file["pre_tokenizer"] = {{"type", "Sequence"},
                           {"pretokenizers",
                            {{{"type", "Split"},
                              {"pattern", {{"Regex", kQwenPattern}}},
                              {"behavior", "Isolated"},
                              {"invert", false}},
                             byte_level(settings.flag("add_prefix_space", false), false)}}};
  file["decoder"] = byte_level(true, true);
}

void build_cohere(ClassSettings& settings, TokenizerSource& source) {
  SettingsJson& file = source.file;
  const bool prefix_space = settings.flag("add_prefix_space", false);
  file["normalizer"] = {{"type", "NFC"}};
  file["pre_tokenizer"] = {
      {"type", "Sequence"},
      {"pretokenizers",
       {{{"type", "Digits"}, {"individual_digits", true}}, byte_level(prefix_space, true)}}};
  file["decoder"] = byte_level(prefix_space, true);
}

constexpr const char* kEnd = "<|endoftext|>";
constexpr std::array kClasses{
    TokenizerClass{
        "BertTokenizer",
        "WordPiece",
        build_bert,
        {.unk = "[UNK]", .sep = "[SEP]", .pad = "[PAD]", .cls = "[CLS]", .mask = "[MASK]"}},
    TokenizerClass{.name = "MPNetTokenizer",
                   .model = "WordPiece",
                   .build = build_mpnet,
                   .usual = {"<s>", "</s>", "[UNK]", "</s>", "<pad>", "<s>", "<mask>"},
                   .mask_takes_space = true},
    TokenizerClass{"RobertaTokenizer",
                   "BPE",
                   build_roberta,
                   {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"}},
    TokenizerClass{"GPT2Tokenizer", "BPE", build_gpt2, {.bos = kEnd, .eos = kEnd, .unk = kEnd}},
    TokenizerClass{"CodeGenTokenizer", "BPE", build_gpt2, {.bos = kEnd, .eos = kEnd, .unk = kEnd}},
    TokenizerClass{"GPTNeoXTokenizer",
                   "BPE",
                   build_gpt_neox,
                   {.bos = kEnd, .eos = kEnd, .unk = kEnd, .pad = "<|padding|>"}},
    TokenizerClass{"CohereTokenizer",
                   "BPE",
                   build_cohere,
                   {"<BOS_TOKEN>", "<|END_OF_TURN_TOKEN|>", "<UNK>", "<SEP>", "<PAD>", "<CLS>",
                    "<MASK_TOKEN>"}},
    TokenizerClass{"Qwen2Tokenizer", "BPE", build_qwen2, {.eos = kEnd, .unk = kEnd, .pad = kEnd}},
};

// transformers builds these, too, whatever a tokenizer.json says.
constexpr auto kOtherClasses = std::to_array<std::string_view>(
    {"BarthezTokenizer",     "BertJapaneseTokenizer", "BertweetTokenizer",
     "BigBirdTokenizer",     "BioGptTokenizer",       "BlenderbotSmallTokenizer",
     "BlenderbotTokenizer",  "ByT5Tokenizer",         "CLIPTokenizer",
     "CTRLTokenizer",        "CanineTokenizer",       "ClvpTokenizer",
     "CpmAntTokenizer",      "CpmTokenizer",          "DebertaTokenizer",
     "EsmTokenizer",         "FNetTokenizer",         "FSMTTokenizer",
     "FlaubertTokenizer",    "FunnelTokenizer",       "GPTNeoXJapaneseTokenizer",
     "HerbertTokenizer",     "LasrTokenizer",         "LayoutLMv2Tokenizer",
     "LayoutLMv3Tokenizer",  "LayoutXLMTokenizer",    "LukeTokenizer",
     "MLukeTokenizer",       "MarkupLMTokenizer",     "MyT5Tokenizer",
     "NougatTokenizer",      "OpenAIGPTTokenizer",    "PerceiverTokenizer",
     "PhobertTokenizer",     "Pop2PianoTokenizer",    "ProphetNetTokenizer",
     "Qwen3_5Tokenizer",     "ReformerTokenizer",     "RemBertTokenizer",
     "RoCBertTokenizer",     "SeamlessM4TTokenizer",  "Siglip2Tokenizer",
     "Speech2TextTokenizer", "SplinterTokenizer",     "TapasTokenizer",
     "UdopTokenizer",        "VitsTokenizer",         "WhisperTokenizer",
     "XGLMTokenizer",        "XLMTokenizer"});

const TokenizerClass* find_class(std::string_view name) {
  const auto find = [&](const auto& classes) -> const TokenizerClass* {
    const auto found = std::find_if(classes.begin(), classes.end(),
                                    [&](const TokenizerClass& one) { return one.name == name; });
    return found == classes.end() ? nullptr : &*found;
  };
  const TokenizerClass* const found = find(kClasses);
  return found != nullptr ? found : find(sentencepiece_classes());
}

std::string without_fast(std::string name) {
  constexpr std::string_view kFast = "Fast";
  if (name.ends_with(kFast)) name.resize(name.size() - kFast.size());
  return name;
}

std::string usual_name(const std::string& name) {
  const auto found = std::find_if(kOtherNames.begin(), kOtherNames.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  return found == kOtherNames.end() ? name : std::string(found->second);
}

}  // namespace

const TokenizerClass& class_named(std::string_view name) {
  const TokenizerClass* const found = find_class(name);
  if (found == nullptr) throw std::logic_error("no such class of tokenizers");
  return *found;
}

bool is_built_elsewhere(std::string_view name) {
  return std::find(kOtherClasses.begin(), kOtherClasses.end(), name) != kOtherClasses.end();
}

bool is_built_here(std::string_view name) { return find_class(name) != nullptr; }

// CamemBERT's goes by the SentencePiece model, and then needs a Unigram one.
std::string_view model_of(std::string_view name) {
  return name == "CamembertTokenizer" ? "" : class_named(name).model;
}

std::string_view sentencepiece_file_of(std::string_view name) {
  const TokenizerClass* const found = find_class(name);
  return found == nullptr || *found->file == '\0' ? "tokenizer.model" : found->file;
}

SettingsJson pair_of(const std::string& piece) { return SettingsJson::array({piece, 0}); }

SettingsJson processing(const char* type, const std::string& begin, const std::string& end) {
  return {{"type", type},
          {"cls", pair_of(begin)},
          {"sep", pair_of(end)},
          {"trim_offsets", false},
          {"add_prefix_space", false}};
}

SettingsJson marks_around(const std::vector<std::string>& before,
                          const std::vector<std::string>& after) {
  if (before.empty() && after.empty()) return nullptr;
  SettingsJson single = SettingsJson::array();
  const auto add = [&](const std::string& piece) {
    single.push_back({{"SpecialToken", {{"id", piece}, {"type_id", 0}}}});
  };
  std::for_each(before.begin(), before.end(), add);
  single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
  std::for_each(after.begin(), after.end(), add);
  return {{"type", "TemplateProcessing"}, {"single", single}};
}

SettingsJson added_marks(ClassSettings& settings, const char* begin, const char* end) {
  std::vector<std::string> before, after;
  const auto add = [&](const char* flag, const std::string& piece, auto& list) {
    if (settings.flag(flag, false) && !piece.empty()) list.push_back(piece);
  };
  add("add_bos_token", settings.token("bos_token", begin), before);
  add("add_eos_token", settings.token("eos_token", end), after);
  return marks_around(before, after);
}

bool TokenizerSettings::lists_tokens() const {
  const auto listed = tokenizer.find("added_tokens_decoder");
  return listed != tokenizer.end() && listed->is_object();
}

ClassSettings::ClassSettings(const TokenizerSettings& all)
    : all_(all), own_(all.tokenizer, all.path + "/tokenizer_config.json") {}

std::int64_t ClassSettings::integer(const char* name, std::int64_t usual, std::int64_t least,
                                    std::int64_t most) {
  return own_.find(name) == nullptr ? usual : own_.integer(name, least, most);
}

std::string ClassSettings::token(const char* name, const char* usual) {
  const auto token_in = [&](JsonObject& file) -> std::string {
    const SettingsJson* const value = file.find(name);
    if (value == nullptr) return "";
    return value->is_object() ? file.object(name).text("content") : file.text(name);
  };
  JsonObject map(all_.map, all_.path + "/special_tokens_map.json");
  std::string piece = all_.lists_tokens() ? "" : token_in(map);
  if (piece.empty()) piece = token_in(own_);
  return piece.empty() ? usual : piece;
}

std::string named_tokenizer_class(const TokenizerSettings& settings, bool works_on_bytes) {
  JsonObject config(settings.config, settings.path + "/config.json");
  JsonObject own(settings.tokenizer, settings.path + "/tokenizer_config.json");
  const std::string type = config.text("model_type", "");
  const std::string named =
      without_fast(own.text("tokenizer_class", config.text("tokenizer_class", "")));
  const std::string_view usual = value_of(kClassOfModel, type);
  const bool is_qwen = type == "qwen2";  // whose files often name a wrong class
  if (named == "LlamaTokenizer" && works_on_bytes && !is_qwen)
    return std::string(kGenericTokenizer);
  if (named.empty() || named == usual || usual == kGenericTokenizer || is_qwen)
    return usual_name(std::string(usual));
  return usual_name(named);
}

void build_named_tokenizer(std::string_view tokenizer_class, const TokenizerSettings& settings,
                           TokenizerSource& source) {
  if (!is_built_here(tokenizer_class)) return;
  const TokenizerClass& one = class_named(tokenizer_class);
  SettingsJson& file = source.file;
  SettingsJson& model = file["model"];
  const std::string type = JsonObject(model, settings.path + ": model").text("type", one.model);
  if (type != one.model)
    throw DataError(
        fmt::format("{}: the {} of its tokenizer_config.json or config.json has a {} "
                    "model, found {}",
                    settings.path, one.name, one.model, quote(type)));
  ClassSettings own(settings);
  // What transformers sets, whatever the file says.
  SettingsJson built{{"type", one.model}, {"vocab", std::move(model["vocab"])}};
  for (const char* kept : {"merges", "unk_id"})
    if (model.contains(kept)) built[kept] = std::move(model[kept]);
  model = std::move(built);
  if (source.kind != TokenizerSource::Kind::tokenizer_json)
    file["post_processor"] = added_marks(own, one.usual.bos, one.usual.eos);
  one.build(own, source);
  file["added_tokens"] = SettingsJson::array();
}

void name_pieces_of_class(std::string_view tokenizer_class, const TokenizerSettings& settings,
                          const nlohmann::json& model, SpecialPieces& special) {
  if (!is_built_here(tokenizer_class)) return;
  const UsualTokens& usual = class_named(tokenizer_class).usual;
  ClassSettings own(settings);
  const SettingsJson& vocabulary = model["vocab"];
  const auto has = [&](const std::string& piece) {
    if (vocabulary.is_object()) return vocabulary.contains(piece);
    return std::any_of(vocabulary.begin(), vocabulary.end(),
                       [&](const SettingsJson& entry) { return entry[0] == piece; });
  };
  const auto piece = [&](const char* name, const char* otherwise) {
    const std::string named = own.token(name, "");
    return named.empty() && has(otherwise) ? otherwise : named;
  };
  const auto first_of = [](std::string a, std::string b) { return a.empty() ? b : a; };
  special = {first_of(piece("bos_token", usual.bos), piece("cls_token", usual.cls)),
             first_of(piece("eos_token", usual.eos), piece("sep_token", usual.sep)),
             piece("pad_token", usual.pad), piece("unk_token", usual.unk)};
}

}  // namespace attend::detail
