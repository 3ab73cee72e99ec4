// The routes of DeepL that translate texts and say what can be translated.
#include <fmt/format.h>

#include <algorithm>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/server/http/form.h"
#include "attend/server/routes/deepl/deepl_fields.h"
#include "attend/server/work/translated_request.h"

namespace attend {
namespace {

using DeeplJson = nlohmann::ordered_json;

constexpr std::size_t kMostDeeplTexts = 4096;
// What DeepL says where there is no limit.
constexpr std::int64_t kNoCharacterLimit = 1'000'000'000'000;

using DeeplReader = std::unique_ptr<const Document> (*)(const std::string& text);

// Chooses by the tags. Throws HttpError for ways to find sentences that the reader does not have.
DeeplReader deepl_reader(const Parameters& p) {
  const std::string tags = p.text("tag_handling");
  if (!tags.empty() && tags != "html" && tags != "xml")
    throw HttpError{400, fmt::format("tag_handling: expected html or xml, got {}", quote(tags))};
  const std::string_view way = tags.empty() ? "1" : "nonewlines";
  if (const std::string split = p.text("split_sentences", way); split != way)
    throw HttpError{400, fmt::format("split_sentences: expected {} for {}, got {}", way,
                                     tags.empty() ? "plain text" : "text with tags", quote(split))};
  if (tags == "html") return [](const std::string& text) { return html_page(text); };
  if (tags == "xml") return [](const std::string& text) { return xml_text(text); };
  return [](const std::string& text) { return plain_text(text); };
}

void translate_deepl(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  require_formality(p);
  const DeeplReader read = deepl_reader(p);
  const std::vector<std::string> texts = p.texts("text");
  if (texts.empty() || texts.size() > kMostDeeplTexts)
    throw HttpError{
        400, fmt::format("text: expected 1 to {} texts, got {}", kMostDeeplTexts, texts.size())};
  auto documents = std::make_shared<Documents>();
  std::vector<std::int64_t> characters;
  std::int64_t all = 0;
  for (const std::string& text : texts) {
    documents->push_back(read(text));
    characters.push_back(static_cast<std::int64_t>(count_code_points(text)));
    all += characters.back();
  }
  const bool show_billed = p.flag("show_billed_characters", false);
  const std::string model_type = p.text("model_type");
  translate_documents(
      call,
      {.documents = documents,
       .source = deepl_source(p),
       .target = p.text("target_lang"),
       .read = [read](const std::string& content) { return read(content); },
       .glossary = deepl_terms(*call)},
      [call, characters, all, show_billed, model_type](const TranslatedRequest& result) {
        DeeplJson translations = DeeplJson::array();
        for (std::string& text : translations_of(*result.documents, result.texts, 0)) {
          DeeplJson one{{"detected_source_language", deepl_source_code(result.source)},
                        {"text", std::move(text)}};
          if (show_billed) one["billed_characters"] = characters[translations.size()];
          if (!model_type.empty()) one["model_type_used"] = "latency_optimized";
          translations.push_back(std::move(one));
        }
        call->service.deepl().characters.add(call->exchange->signature(), all);
        call->respond({{"translations", std::move(translations)}}, headers_of(result));
      });
}

// Clients put the type into the query or, against all custom, into the body of GET.
void list_deepl_languages(const std::shared_ptr<Call>& call) {
  std::string type = call->parameters.text("type");
  for (const FormField& field : parse_form(call->exchange->request().body))
    if (type.empty() && field.name == "type") type = field.value;
  if (!type.empty() && type != "source" && type != "target")
    throw HttpError{400, fmt::format("type: expected source or target, got {}", quote(type))};
  DeeplJson list = DeeplJson::array();
  const auto add = [&](const std::string& code) {
    if (std::any_of(list.begin(), list.end(),
                    [&](const DeeplJson& one) { return one["language"] == code; }))
      return;
    list.push_back({{"language", code}, {"name", code}});
    if (type == "target") list.back()["supports_formality"] = false;
  };
  for (const auto& [source, targets] : call->service.models().pairs()) {
    if (type != "target") add(deepl_source_code(source));
    if (type != "target") continue;
    for (const std::string& target : targets)
      for (const std::string& code : deepl_target_codes(target)) add(code);
  }
  call->respond(list);
}

void show_usage(const std::shared_ptr<Call>& call) {
  call->respond(
      {{"character_count", call->service.deepl().characters.of(call->exchange->signature())},
       {"character_limit", kNoCharacterLimit}});
}

std::vector<RouteField> deepl_text_fields() {
  std::vector<RouteField> fields{{"text", FieldType::texts, "text, or list of texts", true}};
  for (const RouteField& field : deepl_translation_fields()) fields.push_back(field);
  for (const RouteField& field : std::initializer_list<RouteField>{
           {"tag_handling", FieldType::text,
            "html or xml: tags stay with their words and are not translated"},
           {"split_sentences", FieldType::text,
            "1 for plain text, nonewlines for text with tags: the defaults"},
           {"show_billed_characters", FieldType::flag, "count the characters of each text"},
           ignored_field("preserve_formatting"),
           fixed_field("outline_detection", R"([true, 1])"),
           fixed_field("tag_handling_version", R"(["v1", "v2"])"),
           fixed_field("non_splitting_tags", R"(["", []])"),
           fixed_field("splitting_tags", R"(["", []])"),
           fixed_field("ignore_tags", R"(["", []])"),
           fixed_field("context", R"([""])"),
           fixed_field("model_type", R"(["latency_optimized", "prefer_quality_optimized"])"),
           fixed_field("custom_instructions", "[[]]")})
    fields.push_back(field);
  return fields;
}

}  // namespace

std::vector<Route> deepl_routes() {
  return {{"POST", "/v2/translate", kDeeplGroup, "Translate texts, with glossaries",
           deepl_text_fields(), R"({"text": ["The old dog sleeps."], "target_lang": "DE"})",
           translate_deepl, Dialect::deepl},
          {"GET",
           "/v2/languages",
           kDeeplGroup,
           "List the languages that can be translated, or with ?type=target those of translations",
           {{"type", FieldType::text, "source (the default) or target"}},
           "",
           list_deepl_languages,
           Dialect::deepl},
          {"GET",
           "/v2/usage",
           kDeeplGroup,
           "Count the characters that were translated for the key since the server started",
           {},
           "",
           show_usage,
           Dialect::deepl}};
}

}  // namespace attend
