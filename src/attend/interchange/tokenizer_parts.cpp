#include "attend/interchange/tokenizer_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/quote.h"
#include "attend/error.h"

namespace attend::detail {
namespace {

void add_parts(JsonObject part, std::string_view list, std::vector<TypedPart>& parts) {
  std::string type = part.text("type");
  if (type != "Sequence") {
    parts.push_back({std::move(type), std::move(part)});
    return;
  }
  for (JsonObject& element : part.objects(list)) add_parts(std::move(element), list, parts);
  part.finish();
}

// {"[CLS]": 101} as Bert and Roberta write it: ["[CLS]", 101].
std::string piece_of_pair(TypedPart& part, std::string_view member) {
  const nlohmann::json& pair = part.part.list(member);
  if (pair.size() != 2 || !pair[0].is_string()) part.part.refuse(member, "a piece and its id");
  return pair[0].get<std::string>();
}

ForeignTemplate read_single(TypedPart& part) {
  ForeignTemplate result;
  bool behind = false;
  for (JsonObject& element : part.part.objects("single")) {
    if (element.find("Sequence") != nullptr) {
      JsonObject sequence = element.object("Sequence");
      if (behind || sequence.text("id") != "A") part.part.refuse("single", "one text, A");
      behind = true;
    } else {
      JsonObject special = element.object("SpecialToken");
      (behind ? result.suffix : result.prefix).push_back(special.text("id"));
    }
  }
  if (!behind) part.part.refuse("single", "one text, A");
  return result;
}

}  // namespace

std::vector<TypedPart> parts_of(JsonObject& file, std::string_view name,
                                std::string_view list_of_sequence) {
  std::vector<TypedPart> parts;
  if (file.find(name) != nullptr) add_parts(file.object(name), list_of_sequence, parts);
  return parts;
}

void refuse_part(const TypedPart& part) {
  throw DataError(fmt::format("{}: {} is not supported here", part.part.where(), quote(part.type)));
}

ForeignTemplate read_template(JsonObject& file) {
  ForeignTemplate result;
  for (TypedPart& part : parts_of(file, "post_processor", "processors")) {
    if (part.type == "ByteLevel") continue;  // about offsets
    if (!result.prefix.empty() || !result.suffix.empty()) refuse_part(part);
    if (part.type == "TemplateProcessing") {
      result = read_single(part);
    } else if (part.type == "BertProcessing" || part.type == "RobertaProcessing") {
      result = {{piece_of_pair(part, "cls")}, {piece_of_pair(part, "sep")}};
    } else {
      refuse_part(part);
    }
  }
  return result;
}

}  // namespace attend::detail
