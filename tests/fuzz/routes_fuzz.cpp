// Requests to every route of a server with models of every kind: whatever their parameters are,
// each is answered or refused, in valid JSON, never with status 500; and a request whose client has
// gone frees its place.
#include <stdlib.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "attend/core/strings/utf8.h"
#include "attend/server/service.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/json_mutation.h"
#include "tasks/small_classifier.h"
#include "tasks/small_embedder.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"
#include "tasks/small_tagger.h"

namespace attend::routes_fuzz {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;
using namespace std::chrono_literals;

// ---- the service

Checkpoint chatting() {
  LanguageModel model = small_language_model();
  model.chat = ChatFormat{
      "{% for m in messages %}{{ m.role ~ ' ' ~ m.content | trim }}{% endfor %}{{ eos_token }}",
      "the", "mat"};
  return finished_checkpoint_of(model);
}

// The files of its models stay until the end: the explorer reads them again.
Service* make_service() {
  std::string folder = (std::filesystem::temp_directory_path() / "attend_fuzz_XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) std::abort();
  std::vector<ModelPlace> places;
  const auto add = [&](const std::string& name, const Checkpoint& checkpoint) {
    places.push_back({.path = folder + "/" + name, .name = name});
    save_checkpoint(places.back().path, checkpoint);
  };
  add("en-de", finished_checkpoint_of(small_model()));
  places.back().source = "en";
  places.back().target = "de";
  add("lm", chatting());
  add("films", finished_checkpoint_of(small_classifier_for(ProblemType::multi_label, true)));
  add("tags", finished_checkpoint_of(small_tagger()));
  add("vectors", finished_checkpoint_of(small_embedder()));
  ServiceOptions options;
  options.max_tokens_in_queue = 64;
  options.log = [](const std::string& line) {
    if (!Json::accept(line)) std::abort();
  };
  auto* const service =
      new Service(std::move(options), std::move(places), make_runtime({.threads = 1}));
  static const std::string kept = folder;
  std::atexit([] { std::filesystem::remove_all(kept); });
  return service;
}

// Serves until the process ends.
Service& service() {
  static Service* const made = make_service();
  return *made;
}

// ---- inputs: a letter for the route, one for the kind of body, and the rest of the request

struct Input {
  const Route* route = nullptr;
  char kind = 'j';        // j: JSON; f: form; m: form in parts; q: query
  std::string name = {};  // what follows a path that ends with a slash
  std::string body = {};
};

Input parts_of(std::string_view input) {
  Input parts;
  const auto routes = all_routes();
  parts.route = &routes[static_cast<unsigned char>(input[0]) % routes.size()];
  parts.kind = input[1];
  input.remove_prefix(2);
  if (parts.route->path.size() > 1 && parts.route->path.ends_with('/')) {
    parts.name = input.substr(0, input.find('{'));
    input.remove_prefix(parts.name.size());
  }
  parts.body = input;
  return parts;
}

HttpRequest request_of(const Input& parts) {
  HttpRequest request{.method = std::string(parts.route->method),
                      .path = std::string(parts.route->path) + parts.name,
                      .query = {}};
  if (parts.kind == 'q') {
    request.query = parts.body;
    return request;
  }
  request.body = parts.body;
  request.headers.add("Content-Type", parts.kind == 'f'   ? "application/x-www-form-urlencoded"
                                      : parts.kind == 'm' ? "multipart/form-data; boundary=b"
                                                          : "application/json");
  return request;
}

// A value for each name, with which requests can be answered.
const Json& values() {
  static const Json values = Json::parse(R"({
    "q": ["the <b>old</b> dog. A cat", "a cat"], "source": "en", "target": "de", "format": "html",
    "alternatives": 1, "prompt": ["the cat", [5, 6]], "max_tokens": 3, "echo": true, "logprobs": 1,
    "messages": [{"role": "user", "content": [{"type": "text", "text": "the cat"}]}],
    "max_completion_tokens": 3, "input": ["a good film", [5, 6]], "encoding_format": "base64",
    "temperature": 0.5, "top_p": 0.9, "top_k": 3, "n": 2, "seed": 7, "stop": ["mat", "dog"],
    "stream": true, "stream_options": {"include_usage": true}, "presence_penalty": 0,
    "frequency_penalty": 0, "inputs": ["a good film", {"text": "so", "text_pair": "bad"}],
    "normalize": true, "truncate": true, "prompt_name": "x", "dimensions": 4, "raw_scores": true,
    "parameters": {"src_lang": "en", "tgt_lang": "de", "top_k": 2,
                   "aggregation_strategy": "simple", "ignore_labels": ["O"]},
    "texts": ["the old dog", "a dog"], "word": "dog", "layer": 1, "position": 0,
    "heads_off": ["decoder.layers.0.cross_attn:0"], "attention_beta": ["0.5"],
    "positions_off": true, "mask_off": false, "modules": ["encoder"],
    "targets": ["der hund"], "sources": ["the dog"], "path": "a", "name": "lm"})");
  return values;
}

// Bodies of a route: its example, and one with all that it takes.
std::vector<std::string> bodies_of(const Route& route) {
  Json all = Json::object();
  for (const RouteField& field : route.fields)
    if (const auto value = values().find(std::string(field.name)); value != values().end())
      all[std::string(field.name)] = *value;
  std::vector<std::string> bodies{all.dump()};
  if (!route.example.empty()) bodies.emplace_back(route.example);
  return bodies;
}

std::string upload(const std::string& name, const std::string& content) {
  const auto part = [](const std::string& head, const std::string& value) {
    return "--b\r\nContent-Disposition: form-data; " + head + "\r\n\r\n" + value + "\r\n";
  };
  return part("name=source", "en") + part("name=target", "de") +
         part("name=file; filename=\"" + name + "\"", content) + "--b--";
}

std::vector<std::string> corpus() {
  std::vector<std::string> inputs;
  char letter = 0;
  for (const Route& route : all_routes()) {
    const bool named = route.path.size() > 1 && route.path.ends_with('/');
    const std::string name = !named ? "" : route.method == "GET" ? "x" : "tags";
    for (const std::string& body : bodies_of(route))
      inputs.push_back(std::string{letter, 'j'} + name + body);
    if (route.path == "/translate_file")
      for (const char* file : {"a.txt", "a.html"})
        inputs.push_back(std::string{letter, 'm'} + upload(file, "the <i>old</i> dog"));
    inputs.push_back(std::string{letter, 'f'} + name + "q=a+cat&inputs=so%20good&source=en&n=2");
    inputs.push_back(std::string{letter, 'q'} + name + "source=en&target=de&q=a%20cat");
    ++letter;
  }
  return inputs;
}

std::vector<std::string> dictionary() {
  std::vector<std::string> words{"en",      "de",      "auto", "html",  "text",   "base64", "float",
                                 "en-de",   "lm",      "tags", "films", "simple", "first",  "none",
                                 "system",  "user",    "null", "[]",    "{}",     "1e999",  "-1",
                                 "\\u0000", "\\ud800", "\t",   "\n",    "\xff",   "<b>",    "."};
  for (const auto& [name, value] : values().items()) words.push_back("\"" + name + "\":");
  return words;
}

void repair(std::string& input) {
  static const std::vector<std::string> words = dictionary();
  if (input.size() < 2) return;
  Input parts = parts_of(input);
  if (parts.kind != 'j') return;
  repair_json(parts.body, bodies_of(*parts.route), words);
  input = input.substr(0, 2) + parts.name + parts.body;
}

// ---- one request

// What a connection does with an exchange: it takes what comes until the end.
class Client {
 public:
  explicit Client(HttpRequest request) : exchange_(std::make_shared<Exchange>(std::move(request))) {
    exchange_->on_news([news = news_] {
      const std::lock_guard lock(news->mutex);
      news->is_there = true;
      news->arrived.notify_one();
    });
  }

  // Waits for the end of the response. Returns false if it has not come by then: the client leaves.
  bool finishes_before(Clock::time_point end) {
    try {
      service().answer(exchange_);
    } catch (const HttpError& error) {  // as in http/connection.cpp
      exchange_->respond(service().refuse(exchange_->request(), error));
    }
    for (;;) {
      const Exchange::News news = exchange_->take();
      if (news.head) head_ = *news.head;
      head_.body += news.more;
      if (news.complete) break;
      std::unique_lock lock(news_->mutex);
      if (!news_->arrived.wait_until(lock, end, [&] { return news_->is_there; })) {
        exchange_->abandon();
        return false;
      }
      news_->is_there = false;
    }
    exchange_->release();
    service().finished(exchange_->request(), {.status = head_.status, .bytes = head_.body.size()});
    return true;
  }

  const HttpResponse& response() const { return head_; }

 private:
  // Lives as long as anyone who may still have news.
  struct Arrival {
    std::mutex mutex;
    std::condition_variable arrived;
    bool is_there = false;
  };
  std::shared_ptr<Arrival> news_ = std::make_shared<Arrival>();
  std::shared_ptr<Exchange> exchange_;
  HttpResponse head_;  // with all of the body
};

// Without work: that of clients that have left ends at its next step.
bool becomes_idle() {
  const Clock::time_point end = Clock::now() + 20s;
  for (;;) {
    const EngineStatistics now = service().engine().statistics();
    if (now.waiting_items == 0 && now.running_items == 0) return true;
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(1ms);
  }
}

void use(std::string_view input) {
  if (input.size() < 2) return;
  Client client(request_of(parts_of(input)));
  if (client.finishes_before(Clock::now() + 100ms)) {
    const HttpResponse& response = client.response();
    if (response.status == 500 || !is_utf8(response.body)) std::abort();
    if (response.type == "application/json" && !Json::accept(response.body)) std::abort();
  }
  if (!becomes_idle()) std::abort();
}

const RegisteredFuzzTarget registered{{"routes", corpus, dictionary, use, repair}};

}  // namespace
}  // namespace attend::routes_fuzz
