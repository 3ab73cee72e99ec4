#include "attend/server/route.h"

#include <fmt/format.h>

#include "attend/checkpoint/finite.h"
#include "attend/core/json/json_text.h"
#include "attend/core/too_long.h"
#include "attend/error.h"
#include "attend/server/service.h"

namespace attend {
namespace {

// Seconds after which a full queue is worth another try.
constexpr int kRetryAfter = 1;

std::string_view openai_type(int status) {
  if (status == 401) return "authentication_error";
  if (status == 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

std::string_view embeddings_type(int status) {
  if (status == 413 || status == 400 || status == 422) return "Validation";
  if (status == 429 || status == 503) return "Overloaded";
  if (status == 424) return "Backend";
  return status < 500 ? "Empty" : "Backend";
}

nlohmann::ordered_json error_body(const HttpError& error, Dialect dialect) {
  switch (dialect) {
    case Dialect::openai:
      return {{"error",
               {{"message", error.message},
                {"type", openai_type(error.status)},
                {"param", nullptr},
                {"code", nullptr}}}};
    case Dialect::embeddings:
      return {{"error", error.message}, {"error_type", embeddings_type(error.status)}};
    case Dialect::deepl:
      return {{"message", error.message}};
    case Dialect::plain:
      break;
  }
  return {{"error", error.message}};
}

}  // namespace

bool is_path_of(const Route& route, std::string_view path) {
  const bool is_beginning = route.path.size() > 1 && route.path.ends_with('/');
  return is_beginning ? path.size() > route.path.size() && path.starts_with(route.path)
                      : path == route.path;
}

void Call::respond(const nlohmann::ordered_json& body, HttpHeaders headers) const {
  exchange->respond({.body = json_text(body), .headers = std::move(headers)});
}

void Call::fail(const std::exception_ptr& error) const {
  exchange->respond(error_response(error_of(error), route.dialect));
}

HttpError Call::error_of(const std::exception_ptr& error) const {
  HttpError own = http_error_of(error);
  if (own.status == 503 && exchange->is_expired())
    return {503, fmt::format("the request took longer than {} seconds, the request-time-limit",
                             service.options().request_time_limit)};
  return own;
}

HttpError http_error_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const HttpError& own) {
    return own;
  } catch (const OverloadedError& full) {
    return {503, full.what(), kRetryAfter};
  } catch (const CancelledError&) {
    return {503, "the server is stopping", kRetryAfter};
  } catch (const NotFiniteError& broken) {
    return {500, broken.what()};
  } catch (const TooLongError& text) {
    return {413, text.what()};
  } catch (const ConfigError& option) {
    return {400, option.what()};
  } catch (const DataError& data) {
    return {400, data.what()};
  } catch (const IoError& file) {
    return {503, file.what(), kRetryAfter};
  } catch (const std::bad_alloc&) {
    return {503, "out of memory", kRetryAfter};
  } catch (const std::exception& other) {
    return {500, other.what()};
  }
}

HttpResponse error_response(const HttpError& error, Dialect dialect) {
  if (dialect == Dialect::deepl && error.status == 401)
    return error_response({403, "expected an API key: Authorization: DeepL-Auth-Key KEY"}, dialect);
  HttpResponse response{.status = error.status, .body = json_text(error_body(error, dialect))};
  if (error.retry_after > 0)
    response.headers.add("Retry-After", fmt::format("{}", error.retry_after));
  if (error.status == 401) response.headers.add("WWW-Authenticate", "Bearer");
  return response;
}

HttpResponse page_response(std::string_view type, std::string content) {
  HttpResponse response{.type = std::string(type), .body = std::move(content)};
  response.headers.add(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
      "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  response.headers.add("Cache-Control", "no-cache");
  return response;
}

std::span<const Route> all_routes() {
  static const std::vector<Route> routes = [] {
    std::vector<Route> all;
    for (auto* group : {libretranslate_routes, deepl_routes, deepl_glossary_routes,
                        deepl_document_routes, openai_routes, inference_routes, explanation_routes,
                        search_routes, model_routes, explorer_routes, operation_routes})
      for (Route& route : group()) all.push_back(std::move(route));
    return all;
  }();
  return routes;
}

}  // namespace attend
