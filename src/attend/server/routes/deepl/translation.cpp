// The routes of DeepL that translate texts and say what can be translated.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/server/http/form.h"
#include "attend/server/routes/deepl/deepl_fields.h"
#include "attend/server/work/gathering.h"
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

// The numbers of the texts by their language, which is that of the request, or that of each text.
std::map<std::string, std::vector<std::size_t>> texts_by_language(
    const Call& call, const std::vector<std::string>& texts, DeeplReader read) {
  const Parameters& p = call.parameters;
  const std::string source = deepl_source(p), target = p.text("target_lang");
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string language =
        source == "auto"
            ? detected_source(call.service.models(), read(texts[i])->texts(), target).language
            : source;
    groups[language].push_back(i);
  }
  return groups;
}

// How a request wants its translations shown.
struct DeeplAnswer {
  std::vector<std::int64_t> characters;         // of each text
  std::vector<std::vector<std::size_t>> texts;  // numbers of those of each part
  bool shows_billed = false, shows_model = false;

  void respond(const Call& call, const std::vector<TranslatedRequest>& parts) const {
    std::vector<DeeplJson> translations(characters.size());
    HttpHeaders headers;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const TranslatedRequest& result = parts[part];
      std::vector<std::string> found = translations_of(*result.documents, result.texts, 0);
      for (std::size_t k = 0; k < found.size(); ++k) {
        const std::size_t i = texts[part][k];
        translations[i] = {{"detected_source_language", deepl_source_code(result.source)},
                           {"text", std::move(found[k])}};
        if (shows_billed) translations[i]["billed_characters"] = characters[i];
        if (shows_model) translations[i]["model_type_used"] = "latency_optimized";
      }
      for (const auto& [name, value] : headers_of(result)) headers.add(name, value);
    }
    call.service.deepl().characters.add(
        call.exchange->signature(),
        std::accumulate(characters.begin(), characters.end(), std::int64_t{0}));
    call.respond({{"translations", std::move(translations)}}, headers);
  }
};

void translate_deepl(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  require_formality(p);
  const DeeplReader read = deepl_reader(p);
  const std::vector<std::string> texts = p.texts("text");
  if (texts.empty() || texts.size() > kMostDeeplTexts)
    throw HttpError{
        400, fmt::format("text: expected 1 to {} texts, got {}", kMostDeeplTexts, texts.size())};
  DeeplAnswer answer{.characters = {}, .texts = {}};
  answer.shows_billed = p.flag("show_billed_characters", false);
  answer.shows_model = !p.text("model_type").empty();
  for (const std::string& text : texts)
    answer.characters.push_back(static_cast<std::int64_t>(count_code_points(text)));
  std::vector<DocumentRequest> requests;
  for (const auto& [language, numbers] : texts_by_language(*call, texts, read)) {
    const auto documents = std::make_shared<Documents>();
    for (const std::size_t i : numbers) documents->push_back(read(texts[i]));
    requests.push_back({.documents = documents,
                        .source = language,
                        .target = p.text("target_lang"),
                        .read = [read](const std::string& content) { return read(content); },
                        .glossary = deepl_terms(*call)});
    answer.texts.push_back(numbers);
  }
  const auto parts = gather<TranslatedRequest>(
      requests.size(),
      [call, answer = std::move(answer)](const std::vector<TranslatedRequest>& all) {
        answer.respond(*call, all);
      },
      [call](const std::exception_ptr& error) { call->fail(error); });
  for (std::size_t part = 0; part < requests.size(); ++part)
    translate_documents(call, std::move(requests[part]), [parts, part](TranslatedRequest result) {
      parts.accept(part, std::move(result));
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
