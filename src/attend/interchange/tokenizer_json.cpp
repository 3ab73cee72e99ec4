#include "attend/interchange/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/json.h"
#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/interchange/tokenizer_models.h"

namespace attend {
namespace {

using detail::ForeignTemplate;
using detail::ForeignVocabulary;
using detail::TypedPart;

// Older files do not name the type of their model.
std::string type_of(JsonObject& model) {
  if (model.find("type") != nullptr) return model.text("type");
  if (model.find("merges") != nullptr) return "BPE";
  return model.find("unk_id") != nullptr ? "Unigram" : "WordPiece";
}

bool works_on_bytes(JsonObject& file) {
  const auto parts = detail::parts_of(file, "pre_tokenizer", "pretokenizers");
  return std::any_of(parts.begin(), parts.end(),
                     [](const TypedPart& part) { return part.type == "ByteLevel"; });
}

Tokenizer read_model(JsonObject& file, ForeignVocabulary& vocabulary,
                     const ForeignTemplate& marks) {
  JsonObject model = file.object("model");
  const std::string type = type_of(model);
  if (type == "WordPiece") return detail::read_foreign_wordpiece(file, model, vocabulary, marks);
  if (type == "Unigram") return detail::read_foreign_unigram(file, model, vocabulary, marks);
  if (type == "BPE" && works_on_bytes(file))
    return detail::read_foreign_byte_bpe(file, model, vocabulary, marks);
  if (type == "BPE") return detail::read_foreign_bpe(file, model, vocabulary, marks);
  throw DataError(fmt::format("{}: {} is not supported; WordPiece, BPE and Unigram are",
                              model.where(), quote(type)));
}

}  // namespace

ForeignTokenizer read_tokenizer_json(std::string_view content, const SpecialPieces& names,
                                     const std::string& where, std::int64_t ids) {
  const nlohmann::json json = parse_sorted_json(content, where);
  JsonObject file(json, where);
  for (const char* ignored : {"version", "truncation", "padding"}) file.find(ignored);
  const ForeignTemplate marks = detail::read_template(file);
  ForeignVocabulary vocabulary(file, names, ids);
  Tokenizer tokenizer = read_model(file, vocabulary, marks);
  file.finish();
  return {std::move(tokenizer), vocabulary.ids(marks.prefix), vocabulary.ids(marks.suffix)};
}

}  // namespace attend
