#include "attend/interchange/tokenizers/tokenizer_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/strings/quote.h"
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

// A piece or a text of a template, with its token type.
struct TemplateElement {
  std::string text, piece;  // one of them is empty
  std::int64_t type = 0;
};

std::vector<TemplateElement> read_elements(TypedPart& part, std::string_view member) {
  std::vector<TemplateElement> elements;
  for (JsonObject& element : part.part.objects(member)) {
    const bool is_text = element.find("Sequence") != nullptr;
    JsonObject named = element.object(is_text ? "Sequence" : "SpecialToken");
    const std::string id = named.text("id");
    elements.push_back({is_text ? id : "", is_text ? "" : id,
                        named.find("type_id") ? named.integer("type_id", 0, 1 << 20) : 0});
  }
  return elements;
}

// The usual forms: <cls> A <sep> B <sep>, and with <sep> twice in the middle.
PairForm read_pair(TypedPart& part, const ForeignTemplate& marks) {
  if (part.part.find("pair") == nullptr || marks.suffix.size() != 1) return {};
  const std::vector<TemplateElement> found = read_elements(part, "pair");
  for (const int separators : {1, 2}) {
    std::vector<std::string> expected = marks.prefix;
    expected.emplace_back("A");
    expected.insert(expected.end(), static_cast<std::size_t>(separators), marks.suffix[0]);
    const std::size_t first = expected.size();
    expected.insert(expected.end(), {"B", marks.suffix[0]});
    if (found.size() != expected.size()) continue;
    const std::int64_t second_type = found.back().type;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool is_text = i == marks.prefix.size() || i == first;
      const std::string& name = is_text ? found[i].text : found[i].piece;
      if (name != expected[i] || found[i].type != (i < first ? 0 : second_type)) return {};
    }
    if (second_type > 1) return {};
    return {separators, second_type == 1};
  }
  return {};
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

namespace {

OffsetTrimming read_trimming(TypedPart& part) {
  const bool trims = part.part.flag("trim_offsets", true),
             prefix = part.part.flag("add_prefix_space", true);
  if (!trims) return OffsetTrimming::none;
  return prefix ? OffsetTrimming::all_but_one : OffsetTrimming::all;
}

ForeignTemplate read_marks(TypedPart& part) {
  if (part.type == "TemplateProcessing") {
    ForeignTemplate result = read_single(part);
    result.pair = read_pair(part, result);
    return result;
  }
  if (part.type != "BertProcessing" && part.type != "RobertaProcessing") refuse_part(part);
  const bool is_bert = part.type == "BertProcessing";
  return {{piece_of_pair(part, "cls")},
          {piece_of_pair(part, "sep")},
          {is_bert ? 1 : 2, is_bert},
          is_bert ? OffsetTrimming::none : read_trimming(part)};
}

}  // namespace

ForeignTemplate read_template(JsonObject& file) {
  ForeignTemplate result;
  OffsetTrimming trimming = OffsetTrimming::none;
  for (TypedPart& part : parts_of(file, "post_processor", "processors")) {
    if (part.type == "ByteLevel") {
      trimming = read_trimming(part);
    } else if (result.prefix.empty() && result.suffix.empty()) {
      result = read_marks(part);
    } else {
      refuse_part(part);
    }
  }
  if (trimming != OffsetTrimming::none) result.trimming = trimming;
  return result;
}

}  // namespace attend::detail
