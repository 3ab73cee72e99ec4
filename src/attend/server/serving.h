// `attend serve` as a class: models over HTTP.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/server/http/server.h"
#include "attend/server/service.h"
#include "attend/text/preparation.h"

namespace attend {

struct ServingOptions {
  std::string listen = HttpOptions{}.listen;
  std::int64_t max_tokens_in_queue = ServiceOptions{}.max_tokens_in_queue;
  std::int64_t max_new_tokens = ServiceOptions{}.max_new_tokens;
  double request_time_limit = ServiceOptions{}.request_time_limit;
  std::int64_t max_body = HttpOptions{}.max_body;
  std::int64_t max_connections = HttpOptions{}.max_connections;
  double timeout = HttpOptions{}.timeout;
  std::string models_dir = {};
  double idle = 0;
  std::int64_t max_memory = 0;
  std::string api_key = {};
  std::string cors = {};
  bool explorer = ServiceOptions{}.explorer;
  bool trust_proxy = ServiceOptions{}.trust_proxy;
  std::string download_dir = {};
  std::string glossary_dir = {};
  std::string certificate = {};
  std::string key = {};
  TextPreparation preparation = {};
};

template <class Visitor>
void fields(ServingOptions& o, Visitor&& visit) {
  visit("listen", o.listen, "address and port to listen on; port 0: any free port");
  visit("max-tokens-in-queue", o.max_tokens_in_queue, between(1, 1e12),
        "most tokens of requests that may wait for each model, those that may be written included; "
        "further requests get status 503");
  visit("max-new-tokens", o.max_new_tokens, between(1, 1 << 30),
        "most tokens of a continuation; requests for more get status 400");
  visit(
      "request-time-limit", o.request_time_limit, between(0, 1e6),
      "seconds that a request may take; a continuation then ends early, other requests get status "
      "503; 0: any time");
  visit("max-body", o.max_body, between(1024, 1e9), "largest request in bytes");
  visit("max-connections", o.max_connections, between(1, 1e6),
        "most open connections; for a further one, the connection that is idle for longest is "
        "closed");
  visit("timeout", o.timeout, above(0, 86400),
        "seconds that a client may take to send a request or to receive a response");
  visit("models-dir", o.models_dir,
        "folder of models to serve: model files and folders of runs; SIGHUP loads new and changed "
        "ones");
  visit("idle", o.idle, between(0, 1e9),
        "seconds without a request after which a model leaves the memory until the next request; "
        "0: never");
  visit("max-memory", o.max_memory, between(0, 1e9),
        "most MiB of models in memory; the model whose last request is oldest leaves first, until "
        "its next request; 0: any number");
  visit("api-key", o.api_key,
        "file of API keys, one per line: KEY name=NAME requests=PER_MINUTE tokens=PER_MINUTE "
        "admin; default: no key is needed");
  visit("cors", o.cors, "origin whose pages may send requests from browsers; *: any origin");
  visit("explorer", o.explorer, "let clients explore the models of the server at /explore");
  visit("trust-proxy", o.trust_proxy,
        "take the scheme, host and client of a request from the headers Forwarded and "
        "X-Forwarded-*; only safe with a proxy in front");
  visit("download-dir", o.download_dir,
        "folder for translated files, which several servers may share; default: in memory");
  visit(
      "glossary-dir", o.glossary_dir,
      "folder for the glossaries of clients, which several servers may share; default: in memory");
  visit("certificate", o.certificate, "PEM file with the certificate chain of the server, for TLS");
  visit("key", o.key, "PEM file with the private key of the certificate");
  fields(o.preparation, visit);
  target_fields(o.preparation, visit);
}

class Server {
 public:
  // Opens the port, then loads the models, which compute on `runtime`, which is not null. `log`
  // receives a line of JSON for every request, one call at a time; null: none. Throws ConfigError,
  // IoError or DataError.
  Server(const ServingOptions& options, std::vector<ModelPlace> models,
         std::shared_ptr<Runtime> runtime, std::function<void(const std::string&)> log = {});

  std::string url() const;  // "http://127.0.0.1:8080"
  int port() const { return http_->port(); }
  ModelList models() { return service_->models().all(); }
  // Bytes that requests can add to the memory of the process, at most: what is received, read,
  // translated and sent.
  std::uint64_t request_memory() const;
  // Bytes of the models that may be loaded to be explored, at most.
  std::uint64_t explorer_memory();

  // Serves until stop(), which may be called from any thread: requests in progress are answered.
  void run() { http_->run(); }
  void stop() { http_->stop(); }
  // Loads models and API keys again; returns what could not be loaded and stays as it was.
  std::vector<std::string> reload() { return service_->reload(); }

 private:
  HttpOptions http_options_;
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<Service> service_;
};

}  // namespace attend
