#include <fmt/format.h>

#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/interchange/tokenizer_models.h"
#include "attend/text/wordpiece.h"

namespace attend::detail {
namespace {

void read_normalizer(JsonObject& file, WordPieceDescription& description) {
  description.clean_text = description.cjk_blanks = false;
  for (TypedPart& part : parts_of(file, "normalizer", "normalizers")) {
    if (const auto form = foreign_unicode_form(part)) {
      if (description.clean_text || description.normalization.form != UnicodeForm::none)
        refuse_part(part);
      description.normalization.form = *form;
      continue;
    }
    if (part.type != "BertNormalizer") refuse_part(part);
    description.clean_text = part.part.flag("clean_text", true);
    description.cjk_blanks = part.part.flag("handle_chinese_chars", true);
    description.lowercase = part.part.flag("lowercase", true);
    description.strip_accents = part.part.flag("strip_accents", description.lowercase);
    part.part.finish();
  }
}

}  // namespace

std::optional<UnicodeForm> foreign_unicode_form(const TypedPart& part) {
  if (part.type == "NFC") return UnicodeForm::nfc;
  if (part.type == "NFD") return UnicodeForm::nfd;
  if (part.type == "NFKC") return UnicodeForm::nfkc;
  if (part.type == "NFKD") return UnicodeForm::nfkd;
  return std::nullopt;
}

Tokenizer read_foreign_wordpiece(JsonObject& file, JsonObject& model, ForeignVocabulary& vocabulary,
                                 const ForeignTemplate& marks) {
  if (model.text("continuing_subword_prefix", kContinuation) != kContinuation)
    model.refuse("continuing_subword_prefix", quote(kContinuation));
  if (model.find("max_input_chars_per_word") != nullptr &&
      model.integer("max_input_chars_per_word", 1, 1 << 20) != std::int64_t{kLongestWord})
    model.refuse("max_input_chars_per_word", fmt::format("{}", kLongestWord));
  vocabulary.add_all(model.at("vocab"), model.where() + ": vocab");
  vocabulary.finish(model.text("unk_token", "[UNK]"), marks);
  model.finish();
  if (!vocabulary.added_text().empty())
    throw DataError(fmt::format(
        "{}: added tokens that are not special, such as {}, are not "
        "supported with WordPiece",
        file.where(),
        quote(vocabulary.pieces()[static_cast<std::size_t>(vocabulary.added_text().front())])));
  WordPieceDescription description{.vocabulary = vocabulary.list()};
  read_normalizer(file, description);
  const auto splits = parts_of(file, "pre_tokenizer", "pretokenizers");
  if (splits.size() != 1 || splits.front().type != "BertPreTokenizer") {
    if (!splits.empty()) refuse_part(splits.front());
    throw DataError(fmt::format("{}: pre_tokenizer: expected BertPreTokenizer", file.where()));
  }
  require_decoder(file, {"WordPiece"});
  return Tokenizer::from_bytes(tokenizer_bytes(description));
}

}  // namespace attend::detail
