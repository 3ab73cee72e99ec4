#include "attend/tasks/language/language_format.h"

#include <fmt/format.h>

#include "attend/core/json/json.h"
#include "attend/core/json/json_object.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/model_file/model_reading.h"

namespace attend {

namespace {

constexpr const char *kDocuments = "documents", *kLines = "lines";

}  // namespace

std::vector<std::int32_t> LanguageFormat::around(std::vector<std::int32_t> ids) const {
  ids.insert(ids.begin(), prefix.begin(), prefix.end());
  ids.insert(ids.end(), suffix.begin(), suffix.end());
  return ids;
}

std::string LanguageFormat::to_json() const {
  nlohmann::json json{{"unit", has_lines() ? kLines : kDocuments},
                      {"prefix", prefix},
                      {"suffix", suffix},
                      {"ends", ends}};
  if (start >= 0) json["start"] = start;
  if (!forbidden.empty()) json["forbidden"] = forbidden;
  return json.dump();
}

LanguageFormat LanguageFormat::from_json(std::string_view text, const Tokenizer& tokenizer,
                                         const std::string& where) {
  const nlohmann::json json = parse_sorted_json(text, where);
  JsonObject members(json, where);
  const std::string unit = members.text("unit");
  if (unit != kDocuments && unit != kLines)
    throw DataError(fmt::format("{}: unit: expected {} or {}, found {}", where, kDocuments, kLines,
                                quote(unit)));
  LanguageFormat format{.unit = unit == kLines ? TextUnit::lines : TextUnit::documents,
                        .prefix = members.ids("prefix"),
                        .suffix = members.ids("suffix"),
                        .ends = members.ids("ends")};
  if (members.find("start") != nullptr)
    format.start = static_cast<std::int32_t>(
        members.integer("start", 0, static_cast<std::int64_t>(kVocabularySizes.most)));
  if (members.find("forbidden") != nullptr)
    for (const nlohmann::json& sequence : members.list("forbidden"))
      format.forbidden.push_back(json_ids(nlohmann::ordered_json(sequence), where));
  members.finish();
  for (const auto* ids : {&format.prefix, &format.suffix, &format.ends})
    if (!is_in_vocabulary(*ids, tokenizer))
      throw DataError(where + ": expected ids of the vocabulary");
  for (const std::vector<std::int32_t>& sequence : format.forbidden)
    if (sequence.empty() || !is_in_vocabulary(sequence, tokenizer))
      throw DataError(where + ": forbidden: expected sequences of ids of the vocabulary");
  if (format.has_lines() && (format.prefix.size() != 1 || !format.suffix.empty() ||
                             format.ends != std::vector{tokenizer.eos_id()}))
    throw DataError(where + ": expected lines that one token begins, and eos ends");
  if (format.start >= tokenizer.vocab_size())
    throw DataError(where + ": start: expected an id of the vocabulary");
  return format;
}

StreamFormat LanguageFormat::stream() const {
  if (has_lines()) return {};
  return {.unit = unit, .before = prefix, .after = suffix};
}

LanguageFormat text_of_documents(std::int32_t eos) {
  return {.unit = TextUnit::documents, .prefix = {eos}, .start = eos, .ends = {eos}};
}

LanguageFormat text_of_lines(std::int32_t first, std::int32_t eos) {
  return {.prefix = {first}, .ends = {eos}};
}

}  // namespace attend
