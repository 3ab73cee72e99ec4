#include "attend/server/serving.h"

#include <algorithm>
#include <numeric>

#include "attend/core/options/option_fields.h"
#include "attend/core/threads/runtime.h"

namespace attend {
namespace {

// Requests of the largest size that may be in progress at once.
constexpr std::size_t kLargestRequests = 64;

// The buffers of a connection, as a multiple of the largest header.
constexpr std::uint64_t kBuffersOfHeader = 8;
// The memory of JSON that is being read, as a multiple of its text: of a list of empty lists.
constexpr std::uint64_t kJsonOfText = 32;

// Threads of models that one thread of the server keeps busy with short requests.
constexpr int kThreadsServed = 8;

HttpOptions http_options(const ServingOptions& options, int model_threads) {
  HttpOptions http;
  http.threads = (model_threads + kThreadsServed - 1) / kThreadsServed;
  http.listen = options.listen;
  http.max_body = static_cast<std::size_t>(options.max_body);
  http.max_bodies = kLargestRequests * http.max_body;
  http.max_connections = static_cast<int>(options.max_connections);
  http.timeout = options.timeout;
  http.certificate = options.certificate;
  http.key = options.key;
  if (!options.cors.empty()) {
    http.fields.add("Access-Control-Allow-Origin", options.cors);
    if (options.cors != "*") http.fields.add("Vary", "Origin");
  }
  return http;
}

}  // namespace

Server::Server(const ServingOptions& options, std::vector<ModelPlace> models,
               std::shared_ptr<Runtime> runtime, std::function<void(const std::string&)> log) {
  check_options(options);
  http_options_ = http_options(options, runtime->threads());
  HttpServer::Handlers handlers{
      .admit = [this](const HttpRequest& request) { return service_->admit(request); },
      .answer = [this](const std::shared_ptr<Exchange>& exchange) { service_->answer(exchange); },
      .refuse = [this](const HttpRequest& request,
                       const HttpError& error) { return service_->refuse(request, error); },
      .finished = [this](const HttpRequest& request,
                         const HttpOutcome& outcome) { service_->finished(request, outcome); }};
  http_ = std::make_unique<HttpServer>(http_options_, std::move(handlers));
  service_ = std::make_unique<Service>(
      ServiceOptions{
          .max_tokens_in_queue = options.max_tokens_in_queue,
          .max_new_tokens = options.max_new_tokens,
          .request_time_limit = options.request_time_limit,
          .models_folder = options.models_dir,
          .model_memory = {.idle = options.idle,
                           .most_bytes = static_cast<std::uint64_t>(options.max_memory) << 20},
          .api_keys = options.api_key,
          .has_tls = !options.certificate.empty(),
          .trust_proxy = options.trust_proxy,
          .explorer = options.explorer,
          .downloads = options.download_dir,
          .glossaries = options.glossary_dir,
          .cors = options.cors,
          .preparation = options.preparation,
          .log = std::move(log)},
      std::move(models), std::move(runtime));
  service_->connections = [this] { return http_->connections(); };
}

std::string Server::url() const {
  return (http_options_.certificate.empty() ? "http://" : "https://") + http_->address();
}

std::uint64_t Server::request_memory() const {
  const std::uint64_t connections = static_cast<std::uint64_t>(http_options_.max_connections) *
                                    kBuffersOfHeader * http_options_.max_header;
  // Requests are read on the threads that speak to clients and on as many for long requests.
  const std::uint64_t reading =
      2 * static_cast<std::uint64_t>(http_options_.threads) * kJsonOfText * http_options_.max_body;
  const std::uint64_t texts = http_options_.max_bodies;  // in jobs, beside the bodies
  const std::uint64_t responses = http_options_.max_bodies;
  const std::uint64_t downloads = service_->options().downloads.empty() ? Downloads::kMost : 0;
  const std::uint64_t glossaries =
      service_->options().glossaries.empty() ? Glossaries::Limits().all_bytes : 0;
  return http_options_.max_bodies + connections + reading + texts + responses + kMostOfDocuments +
         downloads + glossaries;
}

std::uint64_t Server::explorer_memory() {
  if (!service_->options().explorer) return 0;
  std::vector<std::uint64_t> sizes;
  for (const ServedModelPointer& model : models())
    if (model->place.adapter.empty()) sizes.push_back(model->state.bytes);
  std::sort(sizes.rbegin(), sizes.rend());
  sizes.resize(std::min(sizes.size(), Explorers::kMostModels));
  return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
}

}  // namespace attend
