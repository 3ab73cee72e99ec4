#include "attend/server/routes/deepl/deepl_fields.h"

#include <fmt/format.h>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/quote.h"
#include "attend/text/language/language_tag.h"

namespace attend {
namespace {

constexpr std::size_t kMostGlossaries = 5;  // of one request, as DeepL says

std::string ascii_upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return upper;
}

// The ids of the glossaries; a form has them in one text.
std::vector<std::string> glossary_ids(const Parameters& p) {
  std::vector<std::string> ids;
  if (p.has("glossary_id")) ids.push_back(p.text("glossary_id"));
  for (std::string_view list : p.texts("glossary_ids"))
    while (!list.empty()) {
      ids.emplace_back(list.substr(0, list.find(',')));
      list.remove_prefix(std::min(ids.back().size() + 1, list.size()));
    }
  if (p.has("glossary_id") && ids.size() > 1)
    throw HttpError{400, "expected glossary_id or glossary_ids, got both"};
  if (ids.size() > kMostGlossaries)
    throw HttpError{
        400, fmt::format("glossary_ids: expected at most {}, got {}", kMostGlossaries, ids.size())};
  return ids;
}

}  // namespace

std::string deepl_source(const Parameters& parameters) {
  const std::string source = parameters.text("source_lang");
  return source.empty() ? "auto" : source;
}

std::vector<RouteField> deepl_translation_fields() {
  return {
      {"target_lang", FieldType::text, "language to translate into, such as DE or EN-GB", true},
      {"source_lang", FieldType::text, "language of the text; default: detected"},
      {"formality", FieldType::text, "default, prefer_more or prefer_less: models have no choice"},
      {"glossary_id", FieldType::text, "glossary of /v2/glossaries or /v3/glossaries"},
      {"glossary_ids", FieldType::texts, "up to five glossaries; the first that has a term counts"},
  };
}

void require_formality(const Parameters& parameters) {
  const std::string formality = parameters.text("formality", "default");
  if (formality != "default" && formality != "prefer_more" && formality != "prefer_less")
    throw HttpError{400, fmt::format("formality: expected default, prefer_more or prefer_less, as "
                                     "models have no choice, got {}",
                                     quote(formality))};
}

std::vector<std::string> deepl_terms(const Call& call) {
  std::vector<std::string> terms;
  const std::string source = deepl_source(call.parameters),
                    target = call.parameters.text("target_lang");
  for (const std::string& id : glossary_ids(call.parameters)) {
    if (source == "auto") throw HttpError{400, "a glossary needs source_lang"};
    const std::optional<StoredGlossary> glossary =
        call.service.deepl().glossaries.find(id, call.exchange->signature());
    if (!glossary) throw HttpError{404, fmt::format("there is no glossary {}", quote(id))};
    const GlossaryDictionary* const dictionary = glossary->find(source, target);
    if (dictionary == nullptr)
      throw HttpError{400, fmt::format("the glossary {} has no terms from {} to {}", quote(id),
                                       quote(source), quote(target))};
    for (const auto& [term, translation] : dictionary->entries)
      terms.push_back(term + "\t" + translation);
  }
  return terms;
}

std::string deepl_source_code(std::string_view language) {
  return ascii_upper(language_tag(language).language);
}

std::vector<std::string> deepl_target_codes(std::string_view language) {
  const LanguageTag tag = language_tag(language);
  const std::string code = ascii_upper(tag.language);
  if (tag.language == "zh") return {code + "-" + ascii_upper(tag.script)};
  if (!tag.region.empty()) return {code + "-" + ascii_upper(tag.region)};
  if (tag.language == "en") return {"EN-GB", "EN-US"};
  if (tag.language == "pt") return {"PT-BR", "PT-PT"};
  return {code};
}

std::pair<std::string_view, std::string_view> deepl_path_parts(const Call& call) {
  const std::string_view rest =
      std::string_view(call.exchange->request().path).substr(call.route.path.size());
  const std::size_t slash = rest.find('/');
  return {rest.substr(0, slash), slash == rest.npos ? "" : rest.substr(slash + 1)};
}

}  // namespace attend
