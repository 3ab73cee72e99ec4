// The routes of DeepL that translate files: upload, status, result.
#include <fmt/format.h>

#include "attend/core/json/json.h"
#include "attend/core/strings/ascii.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/server/http/memory_share.h"
#include "attend/server/routes/deepl/deepl_fields.h"
#include "attend/server/work/translated_request.h"

namespace attend {
namespace {

// Whoever translates a document answers it, as another request; nobody sends that one.
const Route& unsent_route() {
  static const Route route{"POST", "/v2/document",     kDeeplGroup,   "", {},
                           "",     [](const auto&) {}, Dialect::deepl};
  return route;
}

// The message of an error in the dialect of these routes.
std::string message_in(const HttpResponse& response) {
  const auto json = try_parse_json(response.body);
  return json && json->contains("message") ? json->at("message").get<std::string>() : response.body;
}

// A request of its own for the work on a document, which goes on when its client has gone. What
// answers it ends the job.
std::shared_ptr<Call> call_for(const Call& upload, const DocumentJob& job) {
  const auto exchange = std::make_shared<Exchange>(
      HttpRequest{.method = "POST", .path = "/v2/document", .query = {}});
  exchange->sign(upload.exchange->signature());
  exchange->on_news([&service = upload.service, own = exchange.get(), job] {
    const std::optional<HttpResponse> response = own->take().head;
    if (!response) return;
    DocumentJobs& documents = service.deepl().documents;
    if (response->status != 200) return documents.fail(job.id, message_in(*response));
    try {
      service.deepl().characters.add(own->signature(), job.characters);
      documents.finish(job.id, service.downloads().add(response->body, extension_of(job.name)));
    } catch (const std::exception& error) {
      documents.fail(job.id, error.what());
    }
  });
  auto call = std::make_shared<Call>(upload.service, unsent_route(), exchange);
  call->key = upload.key;
  return call;
}

void require_same_format(const Parameters& p, const std::string& name) {
  const std::string wanted = p.text("output_format");
  if (!wanted.empty() && "." + ascii_lower(wanted) != extension_of(name))
    throw HttpError{400, fmt::format("output_format: expected that of the file, {}, got {}",
                                     extension_of(name), quote(wanted))};
}

void upload_document(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  require_formality(p);
  const Upload& file = *p.file();
  const std::string name = p.text("filename", file.name), target = p.text("target_lang");
  require_same_format(p, name);
  auto documents = std::make_shared<Documents>();
  documents->push_back(read_document(name, file.content, {.target = target}));
  const auto share = std::make_shared<MemoryShare>(call->service.document_bytes());
  if (!share->grow_to(documents->front()->bytes()))
    throw HttpError{503, "too many documents are being translated; try again", 1};
  std::int64_t characters = 0;
  for (const SourceText& one : texts_of(*documents))
    characters += static_cast<std::int64_t>(count_code_points(one.text));
  const auto read = [name, target](const std::string& content) {
    if (keeps_source(name))
      throw DataError(fmt::format("{}: expected a model for both languages", quote(name)));
    return read_document(name, content, {.target = target});
  };
  DocumentRequest request{.documents = std::move(documents),
                          .source = deepl_source(p),
                          .target = target,
                          .read = read,
                          .glossary = deepl_terms(*call)};
  DocumentJobs& jobs = call->service.deepl().documents;
  const DocumentJob job = jobs.add(name, characters);
  try {
    const std::shared_ptr<Call> own = call_for(*call, job);
    translate_documents(own, std::move(request), [own, share](const TranslatedRequest& result) {
      own->respond(HttpResponse{.body = translations_of(*result.documents, result.texts, 0).at(0)});
    });
  } catch (...) {
    jobs.fail(job.id, "the document was refused");
    throw;
  }
  call->respond({{"document_id", job.id}, {"document_key", job.key}});
}

std::string_view state_name(DocumentJob::State state) {
  if (state == DocumentJob::State::done) return "done";
  return state == DocumentJob::State::failed ? "error" : "translating";
}

void show_document(const Call& call, const DocumentJob& job) {
  nlohmann::ordered_json body{{"document_id", job.id}, {"status", state_name(job.state)}};
  if (job.state == DocumentJob::State::done) body["billed_characters"] = job.characters;
  if (job.state == DocumentJob::State::failed) body["error_message"] = job.error;
  call.respond(body);
}

void send_document(const Call& call, const DocumentJob& job) {
  if (job.state == DocumentJob::State::translating)
    throw HttpError{503, "the document is being translated; ask for its status", 1};
  if (job.state == DocumentJob::State::failed) throw HttpError{400, job.error};
  std::optional<Download> found = call.service.downloads().find(job.download);
  if (!found) throw HttpError{404, "the translated document has expired"};
  call.respond(file_response(job.name, std::move(found->content), {}));
}

void ask_for_document(const std::shared_ptr<Call>& call) {
  const auto [id, part] = deepl_path_parts(*call);
  const std::optional<DocumentJob> job =
      call->service.deepl().documents.find(id, call->parameters.text("document_key"));
  if (!job || (!part.empty() && part != "result"))
    throw HttpError{404, "there is no such document, or it has expired, or its key is wrong"};
  if (part.empty()) return show_document(*call, *job);
  send_document(*call, *job);
}

}  // namespace

std::vector<Route> deepl_document_routes() {
  std::vector<RouteField> fields{{"file", FieldType::file, "the file", true},
                                 {"filename", FieldType::text, "its name; default: as uploaded"},
                                 {"output_format", FieldType::text, "the extension of the file"}};
  for (const RouteField& field : deepl_translation_fields()) fields.push_back(field);
  return {{"POST", "/v2/document", kDeeplGroup,
           "Begin to translate a file: text, a page, an office file, messages, subtitles",
           std::move(fields), "", upload_document, Dialect::deepl},
          {"POST",
           "/v2/document/",
           kDeeplGroup,
           "Ask for the status of a document by its id, or for its translation: ID/result",
           {{"document_key", FieldType::text, "the key that came with the id", true}},
           "",
           ask_for_document,
           Dialect::deepl}};
}

}  // namespace attend
