// The routes of DeepL that keep glossaries: of one pair of languages (v2), or of several (v3).
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "attend/core/json/json_text.h"
#include "attend/core/strings/quote.h"
#include "attend/server/deepl/glossary_entries.h"
#include "attend/server/routes/deepl/deepl_fields.h"
#include "attend/text/language/language_tag.h"

namespace attend {
namespace {

using GlossaryAnswer = nlohmann::ordered_json;

constexpr std::size_t kMostDictionaries = 100;

std::string time_text(const StoredGlossary& glossary) {
  const std::int64_t millis = glossary.created.time_since_epoch().count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(static_cast<std::time_t>(millis / 1000)), millis % 1000);
}

GlossaryAnswer dictionary_json(const GlossaryDictionary& dictionary) {
  return {{"source_lang", dictionary.source},
          {"target_lang", dictionary.target},
          {"entry_count", dictionary.entries.size()}};
}

// As v2 describes a glossary, which has one dictionary there.
GlossaryAnswer single_json(const StoredGlossary& glossary) {
  GlossaryAnswer json{{"glossary_id", glossary.id},
                      {"ready", true},
                      {"name", glossary.name},
                      {"creation_time", time_text(glossary)}};
  json.update(dictionary_json(glossary.dictionaries.front()));
  return json;
}

GlossaryAnswer several_json(const StoredGlossary& glossary) {
  GlossaryAnswer dictionaries = GlossaryAnswer::array();
  for (const GlossaryDictionary& one : glossary.dictionaries)
    dictionaries.push_back(dictionary_json(one));
  return {{"glossary_id", glossary.id},
          {"name", glossary.name},
          {"creation_time", time_text(glossary)},
          {"dictionaries", std::move(dictionaries)}};
}

Glossaries& glossaries_of(const Call& call) { return call.service.deepl().glossaries; }

StoredGlossary glossary_of(const Call& call, std::string_view id) {
  std::optional<StoredGlossary> found = glossaries_of(call).find(id, call.exchange->signature());
  if (!found) throw HttpError{404, fmt::format("there is no glossary {}", quote(id))};
  return *std::move(found);
}

StoredGlossary single_glossary_of(const Call& call, std::string_view id) {
  StoredGlossary glossary = glossary_of(call, id);
  if (glossary.dictionaries.size() != 1)
    throw HttpError{404, fmt::format("the glossary {} has {} dictionaries; /v3/glossaries has it",
                                     quote(id), glossary.dictionaries.size())};
  return glossary;
}

bool is_translated_alone(const Models& models, std::string_view source, std::string_view target) {
  const ModelList all = models.all();
  return std::any_of(all.begin(), all.end(), [&](const ServedModelPointer& model) {
    const auto from = matching_language(source, model->sources),
               into = matching_language(target, model->targets);
    return from && into && model->translates(*from, *into);
  });
}

// Only the language of a tag counts. Throws HttpError 400 if no model translates so.
GlossaryDictionary dictionary_of(const Call& call, std::string_view source, std::string_view target,
                                 std::string_view entries, std::string_view format) {
  if (!is_translated_alone(call.service.models(), source, target))
    throw HttpError{
        400, fmt::format("no model translates from {} to {} alone", quote(source), quote(target))};
  return {language_tag(source).language, language_tag(target).language,
          read_glossary_entries(entries, format)};
}

GlossaryDictionary dictionary_in(const Call& call) {
  const Parameters& p = call.parameters;
  return dictionary_of(call, p.text("source_lang"), p.text("target_lang"), p.text("entries"),
                       p.text("entries_format"));
}

// The text of a member, which must be there.
std::string text_of(const GlossaryAnswer& object, const char* member) {
  if (!object.is_object() || !object.contains(member) || !object.at(member).is_string())
    throw HttpError{400, fmt::format("dictionaries: expected a text {} in each", member)};
  return object.at(member).get<std::string>();
}

std::vector<GlossaryDictionary> dictionaries_in(const Call& call) {
  const GlossaryAnswer* const list = call.parameters.find("dictionaries");
  if (list == nullptr) return {};
  if (!list->is_array() || list->empty() || list->size() > kMostDictionaries)
    throw HttpError{400,
                    fmt::format("dictionaries: expected a list of 1 to {}", kMostDictionaries)};
  std::vector<GlossaryDictionary> dictionaries;
  for (const GlossaryAnswer& one : *list) {
    dictionaries.push_back(dictionary_of(call, text_of(one, "source_lang"),
                                         text_of(one, "target_lang"), text_of(one, "entries"),
                                         text_of(one, "entries_format")));
    for (std::size_t i = 0; i + 1 < dictionaries.size(); ++i)
      if (dictionaries[i].is_for(dictionaries.back().source, dictionaries.back().target))
        throw HttpError{400, "dictionaries: expected one for each pair of languages"};
  }
  return dictionaries;
}

StoredGlossary new_glossary(const Call& call, std::vector<GlossaryDictionary> dictionaries) {
  const std::string name = call.parameters.text("name");
  if (name.empty()) throw HttpError{400, "name: expected a text"};
  return glossaries_of(call).put(
      {{}, name, call.exchange->signature(), {}, std::move(dictionaries)});
}

void respond_created(const Call& call, const GlossaryAnswer& body) {
  call.respond(HttpResponse{.status = 201, .body = json_text(body)});
}

void create_single(const std::shared_ptr<Call>& call) {
  respond_created(*call, single_json(new_glossary(*call, {dictionary_in(*call)})));
}

void create_several(const std::shared_ptr<Call>& call) {
  respond_created(*call, several_json(new_glossary(*call, dictionaries_in(*call))));
}

void list_single(const std::shared_ptr<Call>& call) {
  GlossaryAnswer list = GlossaryAnswer::array();
  for (const StoredGlossary& one : glossaries_of(*call).all(call->exchange->signature()))
    if (one.dictionaries.size() == 1) list.push_back(single_json(one));
  call->respond({{"glossaries", std::move(list)}});
}

void list_several(const std::shared_ptr<Call>& call) {
  GlossaryAnswer list = GlossaryAnswer::array();
  for (const StoredGlossary& one : glossaries_of(*call).all(call->exchange->signature()))
    list.push_back(several_json(one));
  call->respond({{"glossaries", std::move(list)}});
}

[[noreturn]] void refuse_part(std::string_view part) {
  throw HttpError{404, fmt::format("a glossary has no {}", quote(part))};
}

void show_single(const std::shared_ptr<Call>& call) {
  const auto [id, part] = deepl_path_parts(*call);
  const StoredGlossary glossary = single_glossary_of(*call, id);
  if (part.empty()) return call->respond(single_json(glossary));
  if (part != "entries") refuse_part(part);
  call->respond(HttpResponse{.type = "text/tab-separated-values; charset=utf-8",
                             .body = tsv_of(glossary.dictionaries.front().entries)});
}

// The dictionary for the languages that the request names.
GlossaryDictionary& named_dictionary(const Call& call, StoredGlossary& glossary) {
  const std::string source = call.parameters.text("source_lang"),
                    target = call.parameters.text("target_lang");
  for (GlossaryDictionary& one : glossary.dictionaries)
    if (one.is_for(source, target)) return one;
  throw HttpError{
      404, fmt::format("the glossary has no terms from {} to {}", quote(source), quote(target))};
}

void show_several(const std::shared_ptr<Call>& call) {
  const auto [id, part] = deepl_path_parts(*call);
  StoredGlossary glossary = glossary_of(*call, id);
  if (part.empty()) return call->respond(several_json(glossary));
  if (part != "entries") refuse_part(part);
  const GlossaryDictionary& dictionary = named_dictionary(*call, glossary);
  call->respond({{"dictionaries",
                  {{{"source_lang", dictionary.source},
                    {"target_lang", dictionary.target},
                    {"entries", tsv_of(dictionary.entries)},
                    {"entries_format", "tsv"}}}}});
}

// Puts a dictionary into a glossary: in place of the one for its languages, or into that one.
void put_dictionary(StoredGlossary& glossary, GlossaryDictionary dictionary, bool merge) {
  for (GlossaryDictionary& one : glossary.dictionaries) {
    if (!one.is_for(dictionary.source, dictionary.target)) continue;
    if (merge) {
      merge_entries(one.entries, std::move(dictionary.entries));
    } else {
      one.entries = std::move(dictionary.entries);
    }
    return;
  }
  if (glossary.dictionaries.size() == kMostDictionaries)
    throw HttpError{456, fmt::format("a glossary has at most {} dictionaries", kMostDictionaries)};
  glossary.dictionaries.push_back(std::move(dictionary));
}

void change_several(const std::shared_ptr<Call>& call) {
  const auto [id, part] = deepl_path_parts(*call);
  if (!part.empty()) refuse_part(part);
  StoredGlossary glossary = glossary_of(*call, id);
  glossary.name = call->parameters.text("name", glossary.name);
  for (GlossaryDictionary& one : dictionaries_in(*call))
    put_dictionary(glossary, std::move(one), true);
  call->respond(several_json(glossaries_of(*call).put(std::move(glossary))));
}

void replace_dictionary(const std::shared_ptr<Call>& call) {
  const auto [id, part] = deepl_path_parts(*call);
  if (part != "dictionaries") refuse_part(part);
  StoredGlossary glossary = glossary_of(*call, id);
  GlossaryDictionary dictionary = dictionary_in(*call);
  const GlossaryAnswer answer = dictionary_json(dictionary);
  put_dictionary(glossary, std::move(dictionary), false);
  glossaries_of(*call).put(std::move(glossary));
  call->respond(answer);
}

void delete_glossary(const std::shared_ptr<Call>& call) {
  const auto [id, part] = deepl_path_parts(*call);
  StoredGlossary glossary = glossary_of(*call, id);
  if (part.empty()) {
    glossaries_of(*call).remove(id, call->exchange->signature());
  } else if (part == "dictionaries") {
    const GlossaryDictionary& dictionary = named_dictionary(*call, glossary);
    glossary.dictionaries.erase(glossary.dictionaries.begin() +
                                (&dictionary - glossary.dictionaries.data()));
    glossaries_of(*call).put(std::move(glossary));
  } else {
    refuse_part(part);
  }
  call->respond(HttpResponse{.status = 204, .body = {}});
}

// Lists what one model translates alone.
void list_pairs(const std::shared_ptr<Call>& call) {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const ServedModelPointer& model : call->service.models().all())
    for (const std::string& source : model->sources)
      for (const std::string& target : model->targets)
        if (model->translates(source, target))
          pairs.emplace(language_tag(source).language, language_tag(target).language);
  GlossaryAnswer list = GlossaryAnswer::array();
  for (const auto& [source, target] : pairs)
    list.push_back({{"source_lang", source}, {"target_lang", target}});
  call->respond({{"supported_languages", std::move(list)}});
}

Route glossary_route(std::string_view method, std::string_view path, std::string_view summary,
                     std::vector<RouteField> fields, decltype(Route::run) run) {
  return {method, path, kDeeplGroup, summary, std::move(fields), "", run, Dialect::deepl};
}

}  // namespace

std::vector<Route> deepl_glossary_routes() {
  const RouteField name{"name", FieldType::text, "name of the glossary", true},
      source{"source_lang", FieldType::text, "language of the terms", true},
      target{"target_lang", FieldType::text, "language of their translations", true},
      entries{"entries", FieldType::text, "lines of a term and its translation", true},
      format{"entries_format", FieldType::text, "tsv or csv", true},
      dictionaries{"dictionaries", FieldType::any,
                   "a list of objects with source_lang, target_lang, entries, entries_format",
                   true};
  const auto optional = [](RouteField field) {
    field.required = false;
    return field;
  };
  return {
      glossary_route("GET", "/v2/glossary-language-pairs", "List the languages of glossaries", {},
                     list_pairs),
      glossary_route("POST", "/v2/glossaries", "Keep a glossary for translations",
                     {name, source, target, entries, format}, create_single),
      glossary_route("GET", "/v2/glossaries", "List the glossaries of the key", {}, list_single),
      glossary_route("GET", "/v2/glossaries/",
                     "Describe a glossary by its id, or list its terms: ID/entries", {},
                     show_single),
      glossary_route("DELETE", "/v2/glossaries/", "Delete a glossary", {}, delete_glossary),
      glossary_route("POST", "/v3/glossaries", "Keep a glossary of several pairs of languages",
                     {name, dictionaries}, create_several),
      glossary_route("GET", "/v3/glossaries", "List the glossaries of the key", {}, list_several),
      glossary_route("GET", "/v3/glossaries/",
                     "Describe a glossary by its id, or list terms of it: ID/entries",
                     {optional(source), optional(target)}, show_several),
      glossary_route("PATCH", "/v3/glossaries/", "Rename a glossary, or add terms to it",
                     {optional(name), optional(dictionaries)}, change_several),
      glossary_route("PUT", "/v3/glossaries/",
                     "Replace the terms of a pair of languages: ID/dictionaries",
                     {source, target, entries, format}, replace_dictionary),
      glossary_route("DELETE", "/v3/glossaries/",
                     "Delete a glossary, or the terms of a pair of languages: ID/dictionaries",
                     {optional(source), optional(target)}, delete_glossary)};
}

}  // namespace attend
