// What a server does with requests: finds the route, asks the models, counts and logs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "attend/engine.h"
#include "attend/server/access.h"
#include "attend/server/deepl/deepl_state.h"
#include "attend/server/downloads.h"
#include "attend/server/http/server.h"
#include "attend/server/metrics.h"
#include "attend/server/models/explorers.h"
#include "attend/server/models/models.h"
#include "attend/server/route.h"
#include "attend/server/work/background.h"
#include "attend/server/work/time_limit.h"
#include "attend/server/work/work_turns.h"

namespace attend {

// Bytes of all documents in progress.
inline constexpr std::size_t kMostOfDocuments = 256 << 20;

struct ServiceOptions {
  std::int64_t max_tokens_in_queue = 65536;
  std::int64_t max_new_tokens = 4096;  // of each continuation
  double request_time_limit = 600;     // seconds; 0: none
  std::string models_folder = {};      // of models besides those named; empty: none
  ModelMemory model_memory = {};
  std::string api_keys = {};  // file of keys; empty: everyone may send requests
  bool has_tls = false;
  bool trust_proxy = false;     // whether requests come from a proxy that says for whom
  bool explorer = true;         // whether models are loaded again to change their attention
  std::string downloads = {};   // folder of translated files; empty: they are in memory
  std::string glossaries = {};  // folder of glossaries; empty: they are in memory
  std::string cors = {};  // the origin that browsers may send requests from; "*": any; empty: none
  TextPreparation preparation = {};  // of requests that do not say it themselves
  // Receives a line of JSON for every request, without line break; one call at a time. Null:
  // nothing is logged.
  std::function<void(const std::string& line)> log = {};
};

class Service {
 public:
  Service(ServiceOptions options, std::vector<ModelPlace> places, std::shared_ptr<Runtime> runtime);

  // For HttpServer::Handlers.
  std::optional<HttpError> admit(const HttpRequest& request) const;
  void answer(const std::shared_ptr<Exchange>& exchange);
  HttpResponse refuse(const HttpRequest& request, const HttpError& error) const;
  void finished(const HttpRequest& request, const HttpOutcome& outcome);

  const ServiceOptions& options() const { return options_; }
  Models& models() { return models_; }
  Engine& engine() { return engine_; }
  WorkTurns& turns() { return turns_; }
  Access& access() { return access_; }
  Background& background() { return background_; }
  Explorers& explorers() { return explorers_; }
  Downloads& downloads() { return downloads_; }
  DeeplState& deepl() { return deepl_; }
  // All documents that are being translated share it: a file unpacks to many times its size.
  const std::shared_ptr<MemoryBudget>& document_bytes() { return document_bytes_; }
  // How the client of a request calls this server: "http://127.0.0.1:8080". Empty if it does not
  // say.
  std::string url_for(const HttpRequest& request) const;
  Metrics& metrics() { return metrics_; }
  Metrics::Gauges gauges() const;
  // Loads models and keys again; returns what could not be loaded and stays as it was.
  std::vector<std::string> reload();
  // Tells how many connections there are.
  std::function<int()> connections = [] { return 0; };

 private:
  // Its address, or that of the client for whom a proxy asks.
  std::string client_of(const HttpRequest& request) const;
  // Preflight requests of browsers get the methods of their path. Throws HttpError for the others.
  void answer_without_route(Exchange& exchange) const;

  const ServiceOptions options_;
  std::mutex log_mutex_;
  Access access_;
  Models models_;
  Metrics metrics_;
  Downloads downloads_;
  DeeplState deepl_;
  const std::shared_ptr<MemoryBudget> document_bytes_ =
      std::make_shared<MemoryBudget>(kMostOfDocuments);
  // End first: what they do may use everything else.
  Background background_;
  Explorers explorers_;
  Engine engine_;
  WorkTurns turns_;
  TimeLimit time_limit_;
};

}  // namespace attend
