// The routes of LibreTranslate.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "attend/core/strings/quote.h"
#include "attend/inspect/beam_tree.h"
#include "attend/server/http/memory_share.h"
#include "attend/server/service.h"
#include "attend/server/work/preparation.h"
#include "attend/server/work/translated_request.h"
#include "attend/text/language/language_guess.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

// Texts in one request.
constexpr std::size_t kMostTexts = 4096;
constexpr std::string_view kDownloadPath = "/download_file/";

Json guess_json(const LanguageGuess& guess) {
  return {{"confidence", std::round(1000 * guess.confidence) / 10}, {"language", guess.language}};
}

void detect(const std::shared_ptr<Call>& call) {
  const std::vector<std::string> texts = call->parameters.texts("q");
  Json body = Json::array();
  for (const LanguageGuess& guess : guess_known_language(fmt::format("{}", fmt::join(texts, "\n")),
                                                         call->service.models().sources_into("")))
    body.push_back(guess_json(guess));
  call->respond(body);
}

// The name of a language for people, or its code.
std::string name_of_language(const Models& models, const std::string& code) {
  for (const ServedModelPointer& model : models.all())
    if (const auto found = model->language_names.find(code); found != model->language_names.end())
      return found->second;
  return code;
}

// What the pages of LibreTranslate ask for.
void settings(const std::shared_ptr<Call>& call) {
  Json source{{"code", "auto"}, {"name", "Auto Detect"}}, target = Json::object();
  for (const ServedModelPointer& model : call->service.models().all())
    if (target.empty() && !model->targets.empty())
      target = {{"code", model->targets.front()},
                {"name", name_of_language(call->service.models(), model->targets.front())}};
  const bool keys = call->service.access().has_keys();
  call->respond({{"apiKeys", keys},
                 {"charLimit", -1},
                 {"filesTranslation", true},
                 {"frontendTimeout", 500},
                 {"keyRequired", keys},
                 {"language", {{"source", source}, {"target", target}}},
                 {"suggestions", false},
                 {"supportedFilesFormat", document_extensions()}});
}

// Each document has its other translations.
Json alternatives_json(const Documents& documents, const TranslatedTexts& all) {
  std::vector<std::vector<std::string>> others(documents.size());
  for (int k = 1; k <= all.alternatives; ++k) {
    const auto next = translations_of(documents, all, static_cast<std::size_t>(k));
    for (std::size_t i = 0; i < next.size(); ++i) others[i].push_back(next[i]);
  }
  return others;
}

// The sentences of each document, and how far to trust them, if asked for.
Json sentences_json(const TranslatedRequest& result) {
  Json list = Json::array();
  for (const std::vector<TranslatedSentence>& document : result.sentences()) {
    Json sentences = Json::array();
    for (const TranslatedSentence& one : document) {
      Json sentence{{"source", one.source}, {"translation", one.translation}};
      if (one.trust) sentence.update(trust_json(*one.trust));
      sentences.push_back(std::move(sentence));
    }
    list.push_back(std::move(sentences));
  }
  return list;
}

void translate(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  const std::string format = p.text("format", "text");
  if (format != "text" && format != "html")
    throw HttpError{400, fmt::format("format: expected text or html, got {}", quote(format))};
  std::vector<std::string> texts = p.texts("q");
  if (texts.size() > kMostTexts)
    throw HttpError{400,
                    fmt::format("q: expected at most {} texts, got {}", kMostTexts, texts.size())};
  auto documents = std::make_shared<Documents>();
  for (std::string& text : texts)
    documents->push_back(format == "html" ? html_page(text) : plain_text(std::move(text)));
  const bool list = p.is_list("q");
  const int alternatives = static_cast<int>(p.whole("alternatives", 0, 100, 0));
  const auto read = [format](std::string content) {
    return format == "html" ? html_page(content) : plain_text(std::move(content));
  };
  const bool sentences = p.flag("sentences", false) || p.flag("trust", false);
  translate_documents(
      call,
      {.documents = documents,
       .source = p.text("source"),
       .target = p.text("target"),
       .alternatives = alternatives,
       .read = read},
      [call, list, alternatives, sentences](const TranslatedRequest& result) {
        const std::vector<std::string> best = translations_of(*result.documents, result.texts, 0);
        Json body{{"translatedText", list ? Json(best) : Json(best.at(0))}};
        if (alternatives > 0) {
          const Json others = alternatives_json(*result.documents, result.texts);
          body["alternatives"] = list ? others : others.at(0);
        }
        if (sentences) {
          const Json found = sentences_json(result);
          body["sentences"] = list ? found : found.at(0);
        }
        if (result.detected) {
          const Json guess = guess_json(*result.detected);
          body["detectedLanguage"] = list ? Json(std::vector(best.size(), guess)) : guess;
        }
        if (!result.via.empty()) body["via"] = result.via;
        call->respond(body, headers_of(result));
      });
}

void translate_file(const std::shared_ptr<Call>& call) {
  const Upload& file = *call->parameters.file();
  const std::string extension = extension_of(file.name);
  auto documents = std::make_shared<Documents>();
  documents->push_back(
      read_document(file.name, file.content, {.target = call->parameters.text("target")}));
  const auto share = std::make_shared<MemoryShare>(call->service.document_bytes());
  if (!share->grow_to(documents->front()->bytes()))
    throw HttpError{503, "too many documents are being translated; try again", 1};
  const auto read = [name = file.name](const std::string& content) {
    if (keeps_source(name))
      throw DataError(fmt::format(
          "{}: expected a model for both languages; {} is not translated through a third one",
          quote(name), extension_of(name)));
    return read_document(name, content);
  };
  const bool direct = call->parameters.flag("direct", false);
  const std::string name = file.name;
  translate_documents(
      call,
      {.documents = documents,
       .source = call->parameters.text("source"),
       .target = call->parameters.text("target"),
       .read = read},
      [call, share, extension, direct, name](const TranslatedRequest& result) {
        std::string content = translations_of(*result.documents, result.texts, 0).at(0);
        if (direct)
          return call->respond(file_response(name, std::move(content), headers_of(result)));
        const std::string address = call->service.url_for(call->exchange->request()) +
                                    std::string(kDownloadPath) +
                                    call->service.downloads().add(std::move(content), extension);
        call->respond({{"translatedFileUrl", address}}, headers_of(result));
      });
}

void download(const std::shared_ptr<Call>& call) {
  const std::string_view path = call->exchange->request().path;
  std::optional<Download> found = call->service.downloads().find(path.substr(kDownloadPath.size()));
  if (!found) throw HttpError{404, "there is no such file, or it has expired"};
  call->respond(file_response(found->name, std::move(found->content), {}));
}

// Every language is listed once, with all that it is translated into.
void languages(const std::shared_ptr<Call>& call) {
  std::map<std::string, std::set<std::string>> targets = call->service.models().pairs();
  std::vector<std::string> sources;
  for (const ServedModelPointer& model : call->service.models().all())
    for (const std::string& source : model->sources)
      if (std::find(sources.begin(), sources.end(), source) == sources.end())
        sources.push_back(source);
  Json body = Json::array();
  for (const std::string& source : sources)
    body.push_back({{"code", source},
                    {"name", name_of_language(call->service.models(), source)},
                    {"targets", targets[source]}});
  call->respond(body);
}

RouteField protection_field() {
  return {"protect", FieldType::texts,
          "what to keep exactly as it is, once: regular expressions; common (the default: "
          "placeholders such as {x} and %s, URLs, e-mail addresses, tags, code); none"};
}

RouteField glossary_field() {
  return {"glossary", FieldType::texts,
          "terms to translate in a given way, as \"dog|dogs<tab>Hund|Hunde\": one form of the "
          "translation is in that of each sentence with a form of the term"};
}

std::vector<RouteField> translation_fields() {
  return with_target_preparation(
      {{"q", FieldType::texts, "text to translate, or a list of texts", true},
       {"source", FieldType::text, "language of the text, from /languages; auto: detected", true},
       {"target", FieldType::text, "language to translate into", true},
       {"format", FieldType::text,
        "text, or html: tags stay with their words and are not translated"},
       {"alternatives", FieldType::whole,
        "number of other translations of each text; fewer if the model's beam is narrower"},
       protection_field(),
       glossary_field(),
       {"sentences", FieldType::flag,
        "answer also with the \"sentences\" of the text: the source and the translation of each "
        "(false)"},
       {"trust", FieldType::flag,
        "the same with the confidence of each sentence (0 to 1; null: the model has no "
        "calibration) and flags for what looks wrong (false)"},
       ignored_field("secret")});
}

}  // namespace

std::vector<Route> libretranslate_routes() {
  const std::string_view group = "LibreTranslate";
  return {
      {"POST", "/translate", group, "Translate texts", translation_fields(),
       R"({"q": "The old dog sleeps.", "source": "en", "target": "de"})", translate},
      {"POST",
       "/detect",
       group,
       "Detect the language of a text, among those of the models",
       {{"q", FieldType::texts, "text", true}},
       R"({"q": "The old dog sleeps."})",
       detect},
      {"POST",
       "/translate_file",
       group,
       "Translate a file: text, a page, an office file, messages, subtitles",
       {{"file", FieldType::file, "the file", true},
        {"source", FieldType::text, "language of the file, from /languages; auto: detected", true},
        {"target", FieldType::text, "language to translate into", true},
        protection_field(),
        glossary_field(),
        {"direct", FieldType::flag, "answer with the file, not with the address to fetch it from"}},
       "",
       translate_file},
      {"GET",
       kDownloadPath,
       group,
       "Fetch a translated file by its name, for ten minutes",
       {},
       "",
       download,
       Dialect::plain,
       Route::Key::none},
      {"GET",
       "/frontend/settings",
       group,
       "Settings for the pages of LibreTranslate",
       {},
       "",
       settings,
       Dialect::plain,
       Route::Key::none},
      {"GET",
       "/languages",
       group,
       "List the languages and what each is translated into",
       {},
       "",
       languages,
       Dialect::plain,
       Route::Key::none},
  };
}

}  // namespace attend
