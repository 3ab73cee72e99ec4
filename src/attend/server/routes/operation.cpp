// The routes for whoever operates a server.
#include "attend/core/files/embedded_file.h"
#include "attend/server/openapi.h"
#include "attend/server/service.h"

namespace attend {

std::span<const EmbeddedFile> server_page_files();  // src/attend/server/page

namespace {

void health(const std::shared_ptr<Call>& call) { call->respond({{"status", "ok"}}); }

// A full queue is not a fault, but a balancer does better elsewhere.
void ready(const std::shared_ptr<Call>& call) {
  const Metrics::Gauges gauges = call->service.gauges();
  if (gauges.models == 0) throw HttpError{503, "no model is loaded", 1};
  if (gauges.jobs.waiting_tokens > gauges.queue_limit * 9 / 10)
    throw HttpError{503, "the queue is nearly full", 1};
  call->respond({{"status", "ok"}});
}

void metrics(const std::shared_ptr<Call>& call) {
  call->respond(HttpResponse{.type = "text/plain; version=0.0.4; charset=utf-8",
                             .body = call->service.metrics().text(call->service.gauges())});
}

// The file of the page that has the name of the path.
void page_file(const std::shared_ptr<Call>& call) {
  const std::string_view path = call->exchange->request().path;
  const std::string_view name = path == "/" ? "page.html" : path.substr(1);
  const std::string_view type = name.ends_with(".html")  ? "text/html; charset=utf-8"
                                : name.ends_with(".css") ? "text/css; charset=utf-8"
                                                         : "text/javascript; charset=utf-8";
  for (const EmbeddedFile& file : server_page_files())
    if (file.name == name) return call->respond(page_response(type, std::string(file.content)));
}

void openapi(const std::shared_ptr<Call>& call) { call->respond(openapi_of(all_routes())); }

void documentation(const std::shared_ptr<Call>& call) {
  call->respond(
      HttpResponse{.type = "text/html; charset=utf-8", .body = documentation_page(all_routes())});
}

}  // namespace

std::vector<Route> operation_routes() {
  const std::string_view group = "Operation";
  const auto get = [&](std::string_view path, std::string_view summary,
                       void (*run)(const std::shared_ptr<Call>&)) {
    return Route{"GET", path, group, summary, {}, "", run, Dialect::plain, Route::Key::none};
  };
  return {
      get("/", "The page: translate, generate, classify, tag and embed in a browser", page_file),
      get("/page.css", "The style of the page", page_file),
      get("/page.js", "The script of the page", page_file),
      get("/translation.js", "The part of the script that translates", page_file),
      get("/words.js", "The part of the script that finds other words", page_file),
      get("/health", "Whether the server runs", health),
      get("/ready", "Whether the server takes requests: 503 when its queue is nearly full", ready),
      get("/metrics", "Prometheus metrics", metrics),
      get("/openapi.json", "This list in OpenAPI 3.0", openapi),
      get("/docs", "This list as a page", documentation)};
}

}  // namespace attend
