#include "attend/interchange/named_tokenizers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

#include "attend/core/quote.h"
#include "attend/error.h"

namespace attend::detail {
namespace {

using SettingsJson = nlohmann::json;

constexpr std::string_view kWordBegin = "▁";
// Qwen 2's split of text.
constexpr const char* kQwenPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";

// The class of a type of model in transformers, where it has one. The generic class takes a
// tokenizer.json as it is.
constexpr std::string_view kGeneric = "TokenizersBackend";
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kClassOfModel{{
    {"bert", "BertTokenizer"},
    {"distilbert", "BertTokenizer"},
    {"electra", "BertTokenizer"},
    {"roberta", "RobertaTokenizer"},
    {"bart", "RobertaTokenizer"},
    {"gpt2", "GPT2Tokenizer"},
    {"opt", "GPT2Tokenizer"},
    {"qwen2", "Qwen2Tokenizer"},
    {"qwen3", "Qwen2Tokenizer"},
    {"mistral", kGeneric},
    {"umt5", kGeneric},
    {"modernbert", kGeneric},
}};
// Other names of the classes that build a tokenizer here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kBuiltBy{{
    {"BertTokenizer", "BertTokenizer"},
    {"DistilBertTokenizer", "BertTokenizer"},
    {"ElectraTokenizer", "BertTokenizer"},
    {"RobertaTokenizer", "RobertaTokenizer"},
    {"BartTokenizer", "RobertaTokenizer"},
    {"LongformerTokenizer", "RobertaTokenizer"},
    {"GPT2Tokenizer", "GPT2Tokenizer"},
    {"Qwen2Tokenizer", "Qwen2Tokenizer"},
    {"LlamaTokenizer", "LlamaTokenizer"},
}};

template <std::size_t N>
std::string_view value_of(const std::array<std::pair<std::string_view, std::string_view>, N>& map,
                          std::string_view key) {
  const auto found =
      std::find_if(map.begin(), map.end(), [&](const auto& entry) { return entry.first == key; });
  return found == map.end() ? "" : found->second;
}

// Settings of one directory with the defaults of a class.
class ClassSettings {
 public:
  explicit ClassSettings(const TokenizerSettings& all)
      : all_(all), own_(all.tokenizer, all.path + "/tokenizer_config.json") {}

  bool flag(const char* name, bool usual) { return own_.flag(name, usual); }

  // A special token, perhaps an object with the piece as its content.
  std::string token(const char* name, const char* usual) {
    if (std::string piece = token_in(own_, name); !piece.empty()) return piece;
    JsonObject map(all_.map, all_.path + "/special_tokens_map.json");
    std::string piece = token_in(map, name);
    return piece.empty() ? usual : piece;
  }

 private:
  static std::string token_in(JsonObject& file, const char* name) {
    const SettingsJson* const value = file.find(name);
    if (value == nullptr) return "";
    return value->is_object() ? file.object(name).text("content") : file.text(name);
  }

  const TokenizerSettings& all_;
  JsonObject own_;
};

SettingsJson pair_of(const std::string& piece) { return SettingsJson::array({piece, 0}); }

SettingsJson marks(ClassSettings& settings, const char* begin, const char* end) {
  return {{"type", "BertProcessing"},
          {"cls", pair_of(settings.token("cls_token", begin))},
          {"sep", pair_of(settings.token("sep_token", end))}};
}

// What add_bos_token and add_eos_token put around a text. A tokenizer.json says it itself.
SettingsJson added_marks(ClassSettings& settings, const char* begin, const char* end) {
  SettingsJson single = SettingsJson::array();
  const auto add = [&](const char* flag, const char* name, const char* usual) {
    const std::string piece = settings.token(name, usual);
    if (settings.flag(flag, false) && !piece.empty())
      single.push_back({{"SpecialToken", {{"id", piece}, {"type_id", 0}}}});
  };
  add("add_bos_token", "bos_token", begin);
  single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
  add("add_eos_token", "eos_token", end);
  if (single.size() == 1) return nullptr;
  return {{"type", "TemplateProcessing"}, {"single", single}};
}

SettingsJson byte_level(bool prefix_space, bool use_regex) {
  return {{"type", "ByteLevel"}, {"add_prefix_space", prefix_space}, {"use_regex", use_regex}};
}

void build_bert(ClassSettings& settings, SettingsJson& file) {
  const bool lowercase = settings.flag("do_lower_case", true);
  file["normalizer"] = {{"type", "BertNormalizer"},
                        {"clean_text", true},
                        {"handle_chinese_chars", settings.flag("tokenize_chinese_chars", true)},
                        {"lowercase", lowercase},
                        {"strip_accents", settings.flag("strip_accents", lowercase)}};
  file["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  file["decoder"] = {{"type", "WordPiece"}};
  file["post_processor"] = marks(settings, "[CLS]", "[SEP]");
  file["model"]["type"] = "WordPiece";
  file["model"]["unk_token"] = settings.token("unk_token", "[UNK]");
}

void build_roberta(ClassSettings& settings, SettingsJson& file) {
  file["normalizer"] = nullptr;
  file["pre_tokenizer"] = byte_level(settings.flag("add_prefix_space", false), true);
  file["decoder"] = {{"type", "ByteLevel"}};
  file["post_processor"] = marks(settings, "<s>", "</s>");
}

void build_gpt2(ClassSettings& settings, SettingsJson& file) {
  file["normalizer"] = nullptr;
  file["pre_tokenizer"] = byte_level(settings.flag("add_prefix_space", false), true);
  file["decoder"] = {{"type", "ByteLevel"}};
}

void build_qwen2(ClassSettings& settings, SettingsJson& file) {
  file["normalizer"] = {{"type", "NFC"}};
  file["pre_tokenizer"] = {
      {"type", "Sequence"},
      {"pretokenizers",
       {{{"type", "Split"}, {"pattern", {{"Regex", kQwenPattern}}}, {"behavior", "Isolated"}},
        byte_level(settings.flag("add_prefix_space", false), false)}}};
  file["decoder"] = {{"type", "ByteLevel"}};
}

void build_llama(ClassSettings& settings, SettingsJson& file) {
  const bool prefix = settings.flag("add_prefix_space", true);
  const char* const scheme = settings.flag("legacy", false) ? "always" : "first";
  SettingsJson decoders{
      {{"type", "Replace"}, {"pattern", {{"String", kWordBegin}}}, {"content", " "}},
      {{"type", "ByteFallback"}},
      {{"type", "Fuse"}}};
  if (prefix) decoders.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  file["normalizer"] = nullptr;
  file["pre_tokenizer"] = {{"type", "Metaspace"},
                           {"replacement", kWordBegin},
                           {"prepend_scheme", prefix ? scheme : "never"},
                           {"split", false}};
  file["decoder"] = {{"type", "Sequence"}, {"decoders", decoders}};
  file["model"]["fuse_unk"] = file["model"]["byte_fallback"] = true;
}

struct TokenizerClass {
  std::string_view name;
  const char* model;  // of its tokenizer.json
  void (*build)(ClassSettings&, SettingsJson&);
  // Special tokens unless settings name others; "": none.
  const char *bos, *eos, *pad, *unk, *mask;
};

constexpr const char* kEnd = "<|endoftext|>";
constexpr std::array kClasses{
    TokenizerClass{"BertTokenizer", "WordPiece", build_bert, "[CLS]", "[SEP]", "[PAD]", "[UNK]",
                   "[MASK]"},
    TokenizerClass{"RobertaTokenizer", "BPE", build_roberta, "<s>", "</s>", "<pad>", "<unk>",
                   "<mask>"},
    TokenizerClass{"GPT2Tokenizer", "BPE", build_gpt2, kEnd, kEnd, "", kEnd, ""},
    TokenizerClass{"Qwen2Tokenizer", "BPE", build_qwen2, "", kEnd, kEnd, kEnd, ""},
    TokenizerClass{"LlamaTokenizer", "BPE", build_llama, "<s>", "</s>", "", "<unk>", ""},
};

const TokenizerClass& class_named(std::string_view name) {
  const auto found = std::find_if(kClasses.begin(), kClasses.end(),
                                  [&](const TokenizerClass& one) { return one.name == name; });
  if (found == kClasses.end()) throw std::logic_error("no such class of tokenizers");
  return *found;
}

std::string without_fast(std::string name) {
  constexpr std::string_view kFast = "Fast";
  if (name.ends_with(kFast)) name.resize(name.size() - kFast.size());
  return name;
}

}  // namespace

std::string named_tokenizer_class(const TokenizerSettings& settings, bool works_on_bytes) {
  JsonObject config(settings.config, settings.path + "/config.json");
  JsonObject own(settings.tokenizer, settings.path + "/tokenizer_config.json");
  const std::string type = config.text("model_type", "");
  const std::string named =
      without_fast(own.text("tokenizer_class", config.text("tokenizer_class", "")));
  const std::string_view usual = value_of(kClassOfModel, type);
  const bool is_qwen = type == "qwen2";  // whose files often name a wrong class
  if (named == "LlamaTokenizer" && works_on_bytes && !is_qwen) return "";
  if (named.empty() || named == usual) return std::string(usual == kGeneric ? "" : usual);
  if (usual == kGeneric) return "";
  return std::string(value_of(kBuiltBy, is_qwen ? usual : named));
}

nlohmann::json named_tokenizer_json(std::string_view tokenizer_class,
                                    const TokenizerSettings& settings, nlohmann::json file,
                                    bool is_tokenizer_json) {
  const TokenizerClass& one = class_named(tokenizer_class);
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
  if (model.contains("merges")) built["merges"] = std::move(model["merges"]);
  model = std::move(built);
  if (!is_tokenizer_json) file["post_processor"] = added_marks(own, one.bos, one.eos);
  one.build(own, file);
  if (is_tokenizer_json) return file;
  SettingsJson& added = file["added_tokens"] = SettingsJson::array();
  std::vector<std::string> pieces;
  for (const auto& [name, usual] :
       {std::pair{"bos_token", one.bos}, std::pair{"eos_token", one.eos},
        std::pair{"pad_token", one.pad}, std::pair{"unk_token", one.unk},
        std::pair{"cls_token", one.bos}, std::pair{"sep_token", one.eos},
        std::pair{"mask_token", one.mask}}) {
    const std::string piece = own.token(name, usual);
    const auto id = file["model"]["vocab"].find(piece);
    const bool is_new = std::find(pieces.begin(), pieces.end(), piece) == pieces.end();
    if (id == file["model"]["vocab"].end() || !is_new) continue;
    pieces.push_back(piece);
    added.push_back({{"id", *id}, {"content", piece}, {"special", true}});
  }
  return file;
}

void name_usual_pieces(std::string_view tokenizer_class, const nlohmann::json& vocabulary,
                       SpecialPieces& special) {
  const TokenizerClass& one = class_named(tokenizer_class);
  for (const auto& [piece, usual] :
       {std::pair{&special.bos, one.bos}, std::pair{&special.eos, one.eos},
        std::pair{&special.pad, one.pad}, std::pair{&special.unk, one.unk}})
    if (piece->empty() && vocabulary.contains(usual)) *piece = usual;
}

}  // namespace attend::detail
