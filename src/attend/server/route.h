// The routes of a server: one table, from which requests are dispatched and documented.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/server/access.h"
#include "attend/server/http/exchange.h"
#include "attend/server/parameters.h"

namespace attend {

class Service;
class Call;

// What errors look like: {"error": text}; {"error": {"message", "type", ...}} of OpenAI;
// {"error", "error_type"} of text-embeddings-inference; {"message"} of DeepL, which says 403 where
// a key is missing.
enum class Dialect { plain, openai, embeddings, deepl };

struct Route {
  std::string_view method;
  std::string_view path;   // one that ends with a slash stands for all that begin with it
  std::string_view group;  // "LibreTranslate"
  std::string_view summary;
  std::vector<RouteField> fields;
  std::string_view example;  // a body, as JSON; empty: none
  void (*run)(const std::shared_ptr<Call>& call);
  Dialect dialect = Dialect::plain;
  // Whether a key is needed, if there are keys; or one of an administrator, in any case.
  enum class Key { none, any, admin } key = Key::any;
};

// Whether the route is for this path, whatever its method.
bool is_path_of(const Route& route, std::string_view path);

// A request in progress. Answered once; later answers are ignored.
class Call {
 public:
  Call(Service& own_service, const Route& own_route, std::shared_ptr<Exchange> own_exchange)
      : service(own_service),
        route(own_route),
        exchange(std::move(own_exchange)),
        parameters(exchange->request(), route.fields) {}

  void respond(const nlohmann::ordered_json& body, HttpHeaders headers = {}) const;
  void respond(HttpResponse response) const { exchange->respond(std::move(response)); }
  // Answers with the error in the dialect of the route.
  void fail(const std::exception_ptr& error) const;
  // The status and the message for it. What was cancelled has taken too long, or the server stops.
  HttpError error_of(const std::exception_ptr& error) const;
  // Called when the client hangs up.
  void on_hang_up(std::function<void()> cancel) const { exchange->on_hang_up(std::move(cancel)); }

  // Counts tokens for the key of the request.
  Spend spend() const;

  Service& service;
  const Route& route;
  const std::shared_ptr<Exchange> exchange;
  Parameters parameters;  // until the route has run; what answers later has its own copies
  std::string key = {};   // of the client; empty: none
};

// The status and the message for an error of the library or an HttpError.
HttpError http_error_of(const std::exception_ptr& error);
HttpResponse error_response(const HttpError& error, Dialect dialect);
// A file of a page. Nothing but the files of this server may run on it: labels and texts are never
// code.
HttpResponse page_response(std::string_view type, std::string content);

// All routes, in the order of the documentation.
std::span<const Route> all_routes();
// Each returns the routes of one file.
std::vector<Route> libretranslate_routes();
std::vector<Route> deepl_routes();
std::vector<Route> deepl_glossary_routes();
std::vector<Route> deepl_document_routes();
std::vector<Route> openai_routes();
std::vector<Route> inference_routes();
std::vector<Route> search_routes();
std::vector<Route> model_routes();
std::vector<Route> explorer_routes();
std::vector<Route> operation_routes();
std::vector<Route> explanation_routes();

}  // namespace attend
