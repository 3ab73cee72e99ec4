#include <fmt/format.h>

#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/interchange/nested_classes.h"
#include "attend/interchange/tokenizer_models.h"
#include "attend/text/byte_bpe.h"

namespace attend::detail {
namespace {

// Escapes the characters that have a meaning in a pattern.
std::string literal_pattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x80 && !std::isalnum(static_cast<unsigned char>(c)))
      pattern += '\\';
    pattern += c;
  }
  return pattern;
}

void read_byte_level(TypedPart& part, bool is_first, ByteBpeDescription& description) {
  description.prefix_space = part.part.flag("add_prefix_space", true);
  if (description.prefix_space && !is_first)
    part.part.refuse("add_prefix_space", "false after other pre-tokenizers");
  if (part.part.flag("use_regex", true)) description.patterns.emplace_back(kGpt2Pattern);
  part.part.flag("trim_offsets", true);
  part.part.finish();
}

void read_split(TypedPart& part, ByteBpeDescription& description) {
  const ForeignPattern pattern = pattern_of(part);
  require_text(part, "behavior", "Isolated");
  require_flag(part, "invert", false, false);
  part.part.finish();
  description.patterns.push_back(pattern.is_expression ? without_nested_classes(pattern.text)
                                                       : literal_pattern(pattern.text));
}

void read_pre_tokenizer(JsonObject& file, ByteBpeDescription& description) {
  bool on_bytes = false;
  for (TypedPart& part : parts_of(file, "pre_tokenizer", "pretokenizers")) {
    if (on_bytes) refuse_part(part);
    if (part.type == "ByteLevel") {
      on_bytes = true;
      read_byte_level(part, description.patterns.empty(), description);
    } else if (part.type == "Split") {
      read_split(part, description);
    } else if (part.type == "Digits") {
      description.patterns.emplace_back(part.part.flag("individual_digits", false) ? R"(\p{N})"
                                                                                   : R"(\p{N}+)");
      part.part.finish();
    } else {
      refuse_part(part);
    }
  }
}

void read_unicode_form(JsonObject& file, ByteBpeDescription& description) {
  for (const TypedPart& part : parts_of(file, "normalizer", "normalizers")) {
    const auto form = foreign_unicode_form(part);
    if (!form || description.normalization.form != UnicodeForm::none) refuse_part(part);
    description.normalization.form = *form;
  }
}

// attend looks for added tokens in the original text. For tokens that belong to normalized text,
// that is the same only if normalization changes nothing.
void check_added(const JsonObject& file, const ForeignVocabulary& vocabulary,
                 const ByteBpeDescription& description) {
  if (description.normalization.changes_nothing()) return;
  for (const AddedToken& token : vocabulary.added())
    if (!vocabulary.is_control(token.text) && token.normalized)
      throw DataError(fmt::format("{}: the added token {} that is normalized is not supported",
                                  file.where(), quote(token.text)));
}

std::int32_t side_of_merge(const ForeignVocabulary& vocabulary, const std::string& piece,
                           const std::string& where) {
  const std::int32_t id = vocabulary.id(piece);
  if (id < 0)
    throw DataError(fmt::format("{}: merges: {} is not in the vocabulary", where, quote(piece)));
  return id;
}

void check_bpe_options(JsonObject& model) {
  for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (!model.text(affix, "").empty()) model.refuse(affix, "none");
  if (model.find("dropout") != nullptr && model.at("dropout") != 0) model.refuse("dropout", "none");
  for (const char* flag : {"byte_fallback", "fuse_unk"})
    if (model.flag(flag, false)) model.refuse(flag, "false");
}

}  // namespace

std::vector<std::pair<std::string, std::string>> read_foreign_merges(JsonObject& model) {
  std::vector<std::pair<std::string, std::string>> merges;
  for (const nlohmann::json& merge : model.list("merges")) {
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      merges.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
      continue;
    }
    const std::string text = merge.is_string() ? merge.get<std::string>() : "";
    const std::size_t space = text.find(' ');
    if (space == text.npos || text.find(' ', space + 1) != text.npos)
      throw DataError(
          fmt::format("{}: merges: expected two pieces, found {}", model.where(), quote(text)));
    merges.emplace_back(text.substr(0, space), text.substr(space + 1));
  }
  return merges;
}

Tokenizer read_foreign_byte_bpe(JsonObject& file, JsonObject& model, ForeignVocabulary& vocabulary,
                                const ForeignTemplate& marks) {
  check_bpe_options(model);
  vocabulary.add_all(model.at("vocab"), model.where() + ": vocab");
  vocabulary.finish(model.text("unk_token", ""), marks);
  ByteBpeDescription description{.vocabulary = vocabulary.list()};
  description.ignore_merges = model.flag("ignore_merges", false);
  for (const auto& [left, right] : read_foreign_merges(model))
    description.merges.emplace_back(side_of_merge(vocabulary, left, model.where()),
                                    side_of_merge(vocabulary, right, model.where()));
  model.finish();
  read_pre_tokenizer(file, description);
  read_unicode_form(file, description);
  check_added(file, vocabulary, description);
  description.added = vocabulary.added_text();
  require_decoder(file, {"ByteLevel"});
  return Tokenizer::from_bytes(tokenizer_bytes(description));
}

}  // namespace attend::detail
