// Small models of every kind, trained once per process, and a server of them.
#pragma once

#include <optional>
#include <thread>

#include "api/small_models.h"
#include "attend/core/json/json.h"
#include "attend/server/serving.h"
#include "server/raw_client.h"

namespace attend {

// The folder of the models, removed at the end of the process.
class SmallModels : public ApiTest {
 public:
  static const SmallModels& shared() {
    static const SmallModels models;
    return models;
  }
  std::string file(const std::string& name) const { return path(name).string(); }

  void TestBody() override {}

 private:
  SmallModels() {
    train(translation_job("en-de", 60));
    train(language_job("lm", 30));
    train(classification_job("classes", 20));
    train(tagging_job("tags", 150));
    train(several_labels_job("several", 20));
    train(number_job("numbers", 20));
  }
};

class ServingTest : public testing::Test {
 protected:
  ~ServingTest() override { stop(); }

  // Of the models with these names, with more settings after a comma.
  void serve(const std::vector<std::string>& models, ServingOptions options = {}) {
    std::vector<ModelPlace> places;
    for (const std::string& model : models)
      places.push_back(parse_model_place(SmallModels::shared().file(model)));
    options.listen = "127.0.0.1:0";
    server_.emplace(options, std::move(places), make_runtime({.threads = 1}),
                    [this](const std::string& line) { log_ += line + "\n"; });
    thread_ = std::thread([this] { server_->run(); });
  }
  void stop() {
    if (!thread_.joinable()) return;
    server_->stop();
    thread_.join();
  }

  RawResponse get(const std::string& path) { return RawClient(server_->port()).get(path); }
  RawResponse post(const std::string& path, const std::string& body,
                   const std::string& type = "application/json") {
    return RawClient(server_->port()).post(path, body, type);
  }
  // The JSON of a response that must have this status.
  nlohmann::ordered_json json_of(const RawResponse& response, int status = 200) {
    EXPECT_EQ(response.status, status) << response.body;
    return parse_json(response.body, "response");
  }

  std::optional<Server> server_;
  std::string log_;  // complete after stop()
  std::thread thread_;
};

}  // namespace attend
