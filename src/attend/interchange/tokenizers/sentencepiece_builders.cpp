#include "attend/interchange/tokenizers/sentencepiece_builders.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend::detail {
namespace {

using ClassJson = nlohmann::json;
using Kind = TokenizerSource::Kind;

constexpr const char* kPieceBegin = "▁";
// Steps.

ClassJson replace(const char* kind, const char* pattern, const char* content) {
  return {{"type", "Replace"}, {"pattern", {{kind, pattern}}}, {"content", content}};
}

ClassJson metaspace_step(const char* scheme, bool split = true) {
  return {{"type", "Metaspace"},
          {"replacement", kPieceBegin},
          {"prepend_scheme", scheme},
          {"split", split}};
}

// What SentencePiece models do to characters before anything else; none: nothing.
void add_map(const TokenizerSource& source, ClassJson& normalizers) {
  if (!source.character_map.empty())
    normalizers.push_back(
        {{"type", "Precompiled"}, {"precompiled_charsmap", source.character_map}});
}

ClassJson all_of(const char* list, const ClassJson& steps) {
  if (steps.empty()) return nullptr;
  return {{"type", "Sequence"}, {list, steps}};
}

void set_pieces_of_words(TokenizerSource& source, const char* scheme) {
  source.file["pre_tokenizer"] =
      all_of("pretokenizers", {{{"type", "WhitespaceSplit"}}, metaspace_step(scheme)});
  source.file["decoder"] = metaspace_step(scheme);
}

void set_pieces_of_text(TokenizerSource& source) {
  source.file["pre_tokenizer"] = source.file["decoder"] = metaspace_step("always");
}

// Vocabularies.

ClassJson scored(const std::string& piece, double score = 0) {
  return ClassJson::array({piece, score});
}

bool has_piece(const ClassJson& pieces, std::string_view wanted) {
  return std::any_of(pieces.begin(), pieces.end(),
                     [&](const ClassJson& entry) { return entry[0] == wanted; });
}

// fairseq's order: <s> <pad> </s> <unk>, the pieces after the model's own three, then others.
void order_as_fairseq(ClassSettings& settings, const char* first, TokenizerSource& source,
                      std::span<const char* const> languages) {
  ClassJson& pieces = source.file["model"]["vocab"];
  ClassJson ordered = ClassJson::array(
      {scored(settings.token(first, "<s>")), scored(settings.token("pad_token", "<pad>")),
       scored(settings.token("eos_token", "</s>")), scored(settings.token("unk_token", "<unk>"))});
  for (std::size_t i = 3; i < pieces.size(); ++i) ordered.push_back(std::move(pieces[i]));
  for (const char* language : languages) ordered.push_back(scored(language));
  ordered.push_back(scored(settings.token("mask_token", "<mask>")));
  pieces = std::move(ordered);
}

void set_unknown(TokenizerSource& source, std::int64_t id) {
  source.file["model"]["unk_id"] = id;
  source.file["model"]["byte_fallback"] = false;
}

// The special pieces first, then the others as they are.
ClassJson ordered_for_nllb(ClassSettings& settings, const ClassJson& pieces) {
  std::vector<std::string> ordered{
      settings.token("bos_token", "<s>"), settings.token("pad_token", "<pad>"),
      settings.token("eos_token", "</s>"), settings.token("unk_token", "<unk>")};
  std::vector<std::string> rest(pieces.size());
  for (const auto& [piece, id] : pieces.items())
    if (std::find(ordered.begin(), ordered.end(), piece) == ordered.end())
      rest[id.get<std::size_t>()] = piece;
  std::copy_if(rest.begin(), rest.end(), std::back_inserter(ordered),
               [](const std::string& piece) { return !piece.empty(); });
  ClassJson vocabulary = ClassJson::object();
  for (const std::string& piece : ordered) vocabulary.emplace(piece, vocabulary.size());
  return vocabulary;
}

ClassJson decoders_of_bytes(bool strips) {
  ClassJson decoders{
      replace("String", kPieceBegin, " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}};
  if (strips) decoders.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  return all_of("decoders", decoders);
}

ClassJson quotes_and_accents(bool keeps_accents, bool lowercases, const TokenizerSource& source) {
  ClassJson normalizers{replace("String", "``", "\""), replace("String", "''", "\"")};
  if (!keeps_accents) {
    normalizers.push_back({{"type", "NFKD"}});
    normalizers.push_back({{"type", "StripAccents"}});
  }
  if (lowercases) normalizers.push_back({{"type", "Lowercase"}});
  add_map(source, normalizers);
  return all_of("normalizers", normalizers);
}

}  // namespace

void build_t5(ClassSettings& settings, TokenizerSource& source) {
  ClassJson& pieces = source.file["model"]["vocab"];
  if (source.kind == Kind::sentencepiece)
    for (std::int64_t i = settings.integer("extra_ids", 100, 0, kMostExtraIds) - 1; i >= 0; --i)
      pieces.push_back(scored(fmt::format("<extra_id_{}>", i)));
  set_unknown(source, 2);
  ClassJson normalizers = ClassJson::array();
  add_map(source, normalizers);
  source.file["normalizer"] = all_of("normalizers", normalizers);
  set_pieces_of_words(source, "always");
  source.file["post_processor"] = marks_around({}, {settings.token("eos_token", "</s>")});
}

void build_xlm_roberta(ClassSettings& settings, TokenizerSource& source) {
  if (source.kind == Kind::sentencepiece) order_as_fairseq(settings, "bos_token", source, {});
  set_unknown(source, 3);
  ClassJson normalizers = ClassJson::array();
  add_map(source, normalizers);
  source.file["normalizer"] = all_of("normalizers", normalizers);
  set_pieces_of_words(source, settings.flag("add_prefix_space", true) ? "always" : "never");
  source.file["post_processor"] = processing(
      "RobertaProcessing", settings.token("bos_token", "<s>"), settings.token("eos_token", "</s>"));
}

void build_mbart(ClassSettings& settings, TokenizerSource& source) {
  if (source.kind == Kind::sentencepiece)
    order_as_fairseq(settings, "bos_token", source, mbart_languages());
  set_unknown(source, 3);
  source.file["normalizer"] = nullptr;
  set_pieces_of_words(source, "always");
  source.file["post_processor"] =
      marks_around({}, {settings.token("eos_token", "</s>"), settings.text("src_lang", "en_XX")});
}

void build_mbart50(ClassSettings& settings, TokenizerSource& source) {
  const ClassJson& pieces = source.file["model"]["vocab"];
  const bool has_languages =
      std::any_of(kMbart50Languages.begin(), kMbart50Languages.end(),
                  [&](const char* language) { return has_piece(pieces, language); });
  if (source.kind == Kind::sentencepiece || !has_languages)
    order_as_fairseq(settings, "cls_token", source, kMbart50Languages);
  set_unknown(source, 3);
  ClassJson normalizers = ClassJson::array();
  add_map(source, normalizers);
  normalizers.push_back(replace("Regex", " {2,}", " "));
  source.file["normalizer"] = all_of("normalizers", normalizers);
  set_pieces_of_text(source);
  source.file["post_processor"] =
      marks_around({settings.text("src_lang", "en_XX")}, {settings.token("eos_token", "</s>")});
}

void build_nllb(ClassSettings& settings, TokenizerSource& source) {
  ClassJson& model = source.file["model"];
  if (source.kind == Kind::sentencepiece)
    model["vocab"] = ordered_for_nllb(settings, model["vocab"]);
  model["unk_token"] = settings.token("unk_token", "<unk>");
  model["fuse_unk"] = true;
  ClassJson normalizers = ClassJson::array();
  add_map(source, normalizers);
  if (!normalizers.empty()) normalizers.push_back(replace("Regex", " {2,}", " "));
  source.file["normalizer"] = all_of("normalizers", normalizers);
  set_pieces_of_text(source);
  const std::string end = settings.token("eos_token", "</s>"),
                    language = settings.text("src_lang", "eng_Latn");
  source.file["post_processor"] = settings.flag("legacy_behaviour", false)
                                      ? marks_around({}, {end, language})
                                      : marks_around({language}, {end});
}

void build_pegasus(ClassSettings& settings, TokenizerSource& source) {
  ClassJson& pieces = source.file["model"]["vocab"];
  const std::string unknown = settings.token("unk_token", "<unk>");
  if (source.kind == Kind::sentencepiece) {
    ClassJson ordered = ClassJson::array({scored(settings.token("pad_token", "<pad>")),
                                          scored(settings.token("eos_token", "</s>"))});
    // The class has them the other way round, but not the vocabulary.
    const std::string mask = settings.token("mask_token", "<mask_1>"),
                      sentence = settings.token("mask_token_sent", "<mask_2>");
    ordered.push_back(scored(mask));
    if (sentence != mask) ordered.push_back(scored(sentence));
    const std::int64_t offset = settings.integer("offset", 103, 2, kMostPegasusOffset);
    for (std::int64_t i = 2; i < offset; ++i)
      ordered.push_back(scored(fmt::format("<unk_{}>", i), -100));
    for (std::size_t i = 2; i < pieces.size(); ++i) ordered.push_back(std::move(pieces[i]));
    pieces = std::move(ordered);
  }
  const auto found =
      std::find_if(pieces.begin() + std::min<std::ptrdiff_t>(1, std::ssize(pieces)), pieces.end(),
                   [&](const ClassJson& entry) { return entry[0] == unknown && entry[1] == 0; });
  if (found == pieces.end())
    settings.refuse("unk_token", fmt::format("a piece with the score 0, not {}", unknown).c_str());
  set_unknown(source, found - pieces.begin());
  ClassJson normalizers = ClassJson::array();
  add_map(source, normalizers);
  if (normalizers.empty()) normalizers.push_back(replace("Regex", "\\n", " "));
  normalizers.push_back(replace("Regex", " {2,}", " "));
  source.file["normalizer"] = all_of("normalizers", normalizers);
  set_pieces_of_text(source);
  source.file["post_processor"] = marks_around({}, {settings.token("eos_token", "</s>")});
}

void build_llama(ClassSettings& settings, TokenizerSource& source) {
  const bool prefix = settings.flag("add_prefix_space", true);
  const char* const scheme = settings.flag("legacy", false) ? "always" : "first";
  source.file["normalizer"] = nullptr;
  source.file["pre_tokenizer"] = metaspace_step(prefix ? scheme : "never", false);
  source.file["decoder"] = decoders_of_bytes(prefix);
  source.file["model"]["fuse_unk"] = source.file["model"]["byte_fallback"] = true;
}

void build_code_llama(ClassSettings& settings, TokenizerSource& source) {
  build_llama(settings, source);
  const bool prefix = settings.flag("add_prefix_space", true);
  source.file["pre_tokenizer"] = metaspace_step(prefix ? "first" : "never", false);
  source.file["decoder"] = decoders_of_bytes(true);
  source.file["model"]["unk_token"] = settings.token("unk_token", "<unk>");
  // Whatever the file puts around a text, and whatever add_bos_token says.
  source.file["post_processor"] = marks_around({settings.token("bos_token", "<s>")}, {});
}

void build_gemma(ClassSettings& settings, TokenizerSource& source) {
  source.file["normalizer"] = replace("String", " ", kPieceBegin);
  source.file["pre_tokenizer"] = {{"type", "Split"},
                                  {"pattern", {{"String", " "}}},
                                  {"behavior", "MergedWithPrevious"},
                                  {"invert", false}};
  source.file["decoder"] = decoders_of_bytes(false);
  source.file["model"]["unk_token"] = settings.token("unk_token", "<unk>");
  source.file["model"]["fuse_unk"] = source.file["model"]["byte_fallback"] = true;
}

void build_albert(ClassSettings& settings, TokenizerSource& source) {
  set_unknown(source, 1);
  source.file["normalizer"] = quotes_and_accents(settings.flag("keep_accents", false),
                                                 settings.flag("do_lower_case", true), source);
  set_pieces_of_words(source, settings.flag("add_prefix_space", true) ? "always" : "never");
  // Unlike other classes, it leaves the last word to the file and to these settings.
  if (source.kind != Kind::tokenizer_json && !settings.has("add_bos_token") &&
      !settings.has("add_eos_token"))
    source.file["post_processor"] =
        processing("BertProcessing", settings.token("cls_token", "[CLS]"),
                   settings.token("sep_token", "[SEP]"));
}

void build_xlnet(ClassSettings& settings, TokenizerSource& source) {
  if (source.kind != Kind::sentencepiece)
    set_unknown(source, settings.integer("unk_id", 0, 0, 1 << 22));
  source.file["normalizer"] =
      quotes_and_accents(false, settings.flag("do_lower_case", false), source);
  set_pieces_of_words(source, "always");
  source.file["post_processor"] = marks_around(
      {}, {settings.token("sep_token", "<sep>"), settings.token("cls_token", "<cls>")});
}

void build_deberta(ClassSettings& settings, TokenizerSource& source) {
  const ClassJson& pieces = source.file["model"]["vocab"];
  const auto found =
      std::find(pieces.begin(), pieces.end(), scored(settings.token("unk_token", "[UNK]")));
  if (found != pieces.end()) {
    set_unknown(source, found - pieces.begin());
  } else if (source.kind != Kind::sentencepiece) {
    set_unknown(source, settings.integer("unk_id", 1, 0, 1 << 22));
  }
  ClassJson normalizers = ClassJson::array();
  if (settings.flag("do_lower_case", false)) normalizers.push_back({{"type", "Lowercase"}});
  normalizers.push_back(replace("Regex", "\\s{2,}|[\\n\\r\\t]", " "));
  normalizers.push_back({{"type", "NFC"}});
  normalizers.push_back({{"type", "Strip"}, {"strip_left", false}, {"strip_right", true}});
  source.file["normalizer"] = all_of("normalizers", normalizers);
  const char* const scheme = settings.flag("add_prefix_space", true) ? "always" : "first";
  ClassJson cuts = ClassJson::array();
  if (settings.flag("split_by_punct", false))
    cuts.push_back({{"type", "Punctuation"}, {"behavior", "Isolated"}});
  cuts.push_back(metaspace_step(scheme));
  source.file["pre_tokenizer"] = all_of("pretokenizers", cuts);
  source.file["decoder"] = metaspace_step(scheme);
  source.file["post_processor"] = processing("BertProcessing", settings.token("cls_token", "[CLS]"),
                                             settings.token("sep_token", "[SEP]"));
}

void build_camembert(ClassSettings& settings, TokenizerSource& source) {
  ClassJson& pieces = source.file["model"]["vocab"];
  const std::string unknown = settings.token("unk_token", "<unk>");
  if (source.kind == Kind::sentencepiece) {
    ClassJson ordered =
        ClassJson::array({scored("<s>NOTUSED"), scored(settings.token("pad_token", "<pad>")),
                          scored("</s>NOTUSED"), scored(unknown), scored("<unk>NOTUSED", -100)});
    for (std::size_t i = 1; i < pieces.size(); ++i) ordered.push_back(std::move(pieces[i]));
    ordered.push_back(scored(settings.token("mask_token", "<mask>")));
    pieces = std::move(ordered);
  }
  const auto found = std::find_if(pieces.begin(), pieces.end(),
                                  [&](const ClassJson& entry) { return entry[0] == unknown; });
  set_unknown(source, found == pieces.end() ? 0 : found - pieces.begin());
  ClassJson normalizers = ClassJson::array();
  add_map(source, normalizers);
  source.file["normalizer"] = all_of("normalizers", normalizers);
  set_pieces_of_words(source, settings.flag("add_prefix_space", true) ? "always" : "never");
  source.file["post_processor"] = processing(
      "RobertaProcessing", settings.token("bos_token", "<s>"), settings.token("eos_token", "</s>"));
}

}  // namespace attend::detail
