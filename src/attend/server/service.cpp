#include "attend/server/service.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "attend/core/json/json_text.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/server/forwarded.h"
#include "attend/server/work/preparation.h"

namespace attend {
namespace {

// nullptr: no route has this path and this method.
const Route* route_of(const HttpRequest& request) {
  // Both are views: of a conditional with a string, it would be one of a temporary.
  const std::string_view own = request.method, method = own == "HEAD" ? "GET" : own;
  for (const Route& route : all_routes())
    if (route.method == method && is_path_of(route, request.path)) return &route;
  return nullptr;
}

// Lists the methods of the routes with this path, or of all for "*", as in a field Allow.
std::string methods_of(std::string_view path) {
  std::vector<std::string_view> methods;
  const auto add = [&](std::string_view method) {
    if (std::find(methods.begin(), methods.end(), method) == methods.end())
      methods.push_back(method);
  };
  for (const Route& route : all_routes()) {
    if (path != "*" && !is_path_of(route, path)) continue;
    add(route.method);
    if (route.method == "GET") add("HEAD");
  }
  return fmt::format("{}", fmt::join(methods, ", "));
}

// The path without slashes at its end and without those that follow another one.
std::string with_single_slashes(std::string_view path) {
  std::string out;
  for (const char c : path)
    if (c != '/' || !out.ends_with('/')) out += c;
  while (out.size() > 1 && out.ends_with('/')) out.pop_back();
  return out;
}

std::string no_such_path(const std::string& path) {
  const std::string near = with_single_slashes(path);
  if (near != path && !methods_of(near).empty())
    return fmt::format("there is no {}; there is {}", quote(path), quote(near));
  return fmt::format("there is no {}; GET /docs lists the routes", quote(path));
}

// Errors of a path without a route, or with another method, look like those of its neighbors.
Dialect dialect_of(const HttpRequest& request) {
  for (const Route& route : all_routes())
    if (is_path_of(route, request.path)) return route.dialect;
  for (const std::string_view begin : {"/v2/", "/v3/"})
    if (request.path.starts_with(begin)) return Dialect::deepl;
  return request.path.starts_with("/v1/") ? Dialect::openai : Dialect::plain;
}

std::string key_in_headers(const HttpHeaders& headers) {
  const std::string_view authorization = headers.find("authorization");
  for (const std::string_view scheme : {"bearer ", "deepl-auth-key "})
    if (authorization.size() > scheme.size() &&
        same_field(authorization.substr(0, scheme.size()), scheme))
      return std::string(authorization.substr(scheme.size()));
  return std::string(headers.find("x-api-key"));
}

// From the header, or from where LibreTranslate's clients put it.
std::string key_of(const HttpRequest& request) {
  std::string key = key_in_headers(request.headers);
  return key.empty() ? api_key_of(request) : key;
}

}  // namespace

Spend Call::spend() const {
  Access& access = service.access();
  return {access.has_keys() ? key : "",
          [&access, own = key](std::int64_t tokens) { access.spend(own, tokens); }};
}

Service::Service(ServiceOptions options, std::vector<ModelPlace> places,
                 std::shared_ptr<Runtime> runtime)
    : options_(std::move(options)),
      models_(std::move(places), options_.models_folder, runtime, options_.model_memory),
      downloads_(options_.downloads),
      deepl_(options_.glossaries),
      explorers_(runtime, options_.explorer),
      engine_({.queue_tokens = options_.max_tokens_in_queue}, runtime),
      turns_(options_.max_tokens_in_queue),
      time_limit_(options_.request_time_limit) {
  if (!options_.api_keys.empty()) access_.replace(read_api_keys(options_.api_keys));
  for (const ServedModelPointer& model : models_.all())
    require_preparation(*model, options_.preparation);
}

std::optional<HttpError> Service::admit(const HttpRequest& request) const {
  const Route* const route = route_of(request);
  if (route == nullptr || route->key == Route::Key::none) return std::nullopt;
  const std::string key = key_in_headers(request.headers);
  if (key.empty() && access_.has_keys()) return std::nullopt;  // the body may have it
  try {
    access_.check(key, route->key == Route::Key::admin);
  } catch (const HttpError& error) {
    return error;
  }
  return std::nullopt;
}

// The key comes first: who has none shall not make the server read a body.
void Service::answer(const std::shared_ptr<Exchange>& exchange) {
  const HttpRequest& request = exchange->request();
  const Route* const route = route_of(request);
  if (route == nullptr) return answer_without_route(*exchange);
  std::string key;
  if (route->key != Route::Key::none) {
    if (access_.has_keys()) key = key_of(request);
    exchange->sign(access_.enter(key, route->key == Route::Key::admin));
  }
  const auto call = std::make_shared<Call>(*this, *route, exchange);
  call->key = std::move(key);
  time_limit_.watch(exchange);
  try {
    route->run(call);
    // JSON takes many times the memory of its text, and the answer may take minutes.
    call->parameters.clear();
  } catch (...) {
    call->fail(std::current_exception());
  }
}

void Service::answer_without_route(Exchange& exchange) const {
  const HttpRequest& request = exchange.request();
  const std::string methods = methods_of(request.path);
  if (methods.empty()) throw HttpError{404, no_such_path(request.path)};
  if (request.method != "OPTIONS") {
    HttpResponse refusal =
        refuse(request, {405, fmt::format("{} takes {}", request.path, methods)});
    refusal.headers.add("Allow", methods + ", OPTIONS");
    return exchange.respond(std::move(refusal));
  }
  HttpResponse response{.status = 204};
  response.headers.add("Allow", methods + ", OPTIONS");
  if (!options_.cors.empty()) {
    response.headers.add("Access-Control-Allow-Methods", methods);
    const std::string_view asked = request.headers.find("access-control-request-headers");
    response.headers.add("Access-Control-Allow-Headers",
                         asked.empty() ? "Authorization, Content-Type" : std::string(asked));
    response.headers.add("Access-Control-Max-Age", "86400");
  }
  exchange.respond(std::move(response));
}

HttpResponse Service::refuse(const HttpRequest& request, const HttpError& error) const {
  return error_response(error, dialect_of(request));
}

void Service::finished(const HttpRequest& request, const HttpOutcome& outcome) {
  const Route* const route = route_of(request);
  metrics_.add_request(route == nullptr ? "other" : std::string(route->path), outcome.status,
                       outcome.seconds);
  if (!options_.log) return;
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const auto millis = now.time_since_epoch().count() % 1000;
  const std::string line = json_text(nlohmann::ordered_json{
      {"time", fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                           fmt::gmtime(std::chrono::system_clock::to_time_t(now)), millis)},
      {"client", client_of(request)},
      {"key", printable(outcome.key_name)},
      {"method", printable(request.method, 20)},
      {"path", printable(request.path)},
      {"status", outcome.status},
      {"bytes_in", request.body.size()},
      {"bytes_out", outcome.bytes},
      {"seconds", json_number(static_cast<float>(outcome.seconds))}});
  const std::lock_guard lock(log_mutex_);
  options_.log(line);
}

std::vector<std::string> Service::reload() {
  std::vector<std::string> failures;
  try {
    failures = models_.reload();
  } catch (const std::exception& error) {  // such as a folder that cannot be read
    failures.push_back(fmt::format("models: kept as they were: {}", error.what()));
  }
  try {
    if (!options_.api_keys.empty()) access_.replace(read_api_keys(options_.api_keys));
  } catch (const Error& error) {
    failures.push_back(fmt::format("API keys: kept as they were: {}", error.what()));
  }
  return failures;
}

std::string Service::client_of(const HttpRequest& request) const {
  if (!options_.trust_proxy) return request.client;
  std::string said = forwarded_of(request.headers).client;
  return said.empty() ? request.client : said;
}

std::string Service::url_for(const HttpRequest& request) const {
  Forwarded said;
  if (options_.trust_proxy) said = forwarded_of(request.headers);
  if (said.scheme.empty()) said.scheme = options_.has_tls ? "https" : "http";
  if (said.host.empty()) said.host = request.headers.find("host");
  if (said.host.empty()) return said.prefix;
  return fmt::format("{}://{}{}", said.scheme, said.host, said.prefix);
}

Metrics::Gauges Service::gauges() const {
  return {.jobs = engine_.statistics(),
          .queue_limit = options_.max_tokens_in_queue,
          .connections = connections(),
          .models = static_cast<int>(models_.all().size())};
}

}  // namespace attend
