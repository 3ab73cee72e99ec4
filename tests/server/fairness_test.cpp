// Clients beside one that asks for very much: they are answered, and what nobody waits for ends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <list>
#include <string>
#include <thread>

#include "attend/generator.h"
#include "server/served_models.h"

namespace attend {
namespace {

class Fairness : public ServingTest {
 protected:
  ~Fairness() override { std::filesystem::remove(keys_); }

  // With two keys, if there are to be any.
  void serve_keys(bool keys) {
    ServingOptions options;
    options.max_new_tokens = 1'000'000;
    options.max_tokens_in_queue = 4'000'000;
    options.request_time_limit = 0;
    if (keys) {
      std::ofstream(keys_) << "greedy-key name=greedy\nmodest-key name=modest\n";
      options.api_key = keys_;
    }
    serve({"lm"}, options);
  }

  static void send(RawClient& client, const std::string& path, const std::string& body,
                   const std::string& key) {
    client.send(
        fmt::format("POST {} HTTP/1.1\r\nHost: t\r\nX-Api-Key: {}\r\n"
                    "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                    path, key, body.size(), body));
  }
  RawResponse ask(const std::string& path, const std::string& body, const std::string& key) {
    RawClient client(server_->port());
    send(client, path, body, key);
    return client.receive();
  }
  // A request that writes for hours.
  RawClient& ask_for_much(int n = 1) {
    RawClient& client = clients_.emplace_back(server_->port());
    send(client, "/v1/completions",
         fmt::format(R"({{"prompt": "the", "n": {}, "max_tokens": {}}})", n, 1'000'000 / n),
         "greedy-key");
    return client;
  }

  std::int64_t gauge(const std::string& name) {
    const std::string body = get("/metrics").body;
    const std::size_t at = body.find("\n" + name + " ");
    return at == body.npos ? -1 : std::stoll(body.substr(at + name.size() + 2));
  }
  // Whether the gauge gets there within a minute.
  bool reaches(const std::string& name, const std::function<bool(std::int64_t)>& wanted) {
    for (int i = 0; i < 1200; ++i) {
      if (wanted(gauge(name))) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }
  void hang_up() { clients_.clear(); }

  const std::string keys_ = testing::TempDir() + "attend_fair_keys" + std::to_string(getpid());
  std::list<RawClient> clients_;
};

constexpr const char* kSmall = R"({"prompt": "the", "max_tokens": 4, "temperature": 0})";
constexpr const char* kLong = R"({"prompt": "the", "max_tokens": 300, "temperature": 0})";

TEST_F(Fairness, ASmallRequestOfAnotherKeyIsAnsweredWhileHugeOnesRun) {
  serve_keys(true);
  ask_for_much();
  ask_for_much();
  ASSERT_TRUE(reaches("attend_running_rows", [](std::int64_t rows) { return rows > 0; }));
  for (const char* body : {kSmall, kLong})
    EXPECT_EQ(ask("/v1/completions", body, "modest-key").status, 200);
  EXPECT_GT(gauge("attend_running_rows"), 0) << "the huge one still runs";
  EXPECT_EQ(ask("/v1/completions", kSmall, "greedy-key").status, 200);
  hang_up();
  EXPECT_TRUE(reaches("attend_running_rows", [](std::int64_t rows) { return rows == 0; }));
  EXPECT_EQ(gauge("attend_queue_tokens"), 0);
}

TEST_F(Fairness, ManyRowsOfOneKeyLeavePlacesForAnother) {
  serve_keys(true);
  ask_for_much(100);
  ask_for_much(100);
  ask_for_much(100);
  ASSERT_TRUE(reaches("attend_running_rows", [](std::int64_t rows) { return rows > 3; }));
  for (const char* body : {kSmall, kLong})
    EXPECT_EQ(ask("/v1/completions", body, "modest-key").status, 200);
  EXPECT_GT(gauge("attend_queue_tokens"), 0);
  hang_up();
  EXPECT_TRUE(reaches("attend_running_rows", [](std::int64_t rows) { return rows == 0; }));
}

TEST_F(Fairness, AKeyThatFillsItsQueueLeavesThatOfOthers) {
  serve_keys(true);
  int refused = 0;
  for (int i = 0; i < 6; ++i) {
    ask_for_much(100);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (gauge("attend_queue_tokens") < 2'100'000) continue;
    const RawResponse refusal =
        ask("/v1/completions", R"({"prompt": "the", "n": 100, "max_tokens": 10000})", "greedy-key");
    refused += refusal.status == 503 && refusal.field("Retry-After") == "1" ? 1 : 0;
  }
  EXPECT_GT(refused, 0);
  EXPECT_EQ(ask("/v1/completions", kSmall, "modest-key").status, 200);
}

TEST_F(Fairness, ASmallRequestIsAnsweredWithoutKeys) {
  serve_keys(false);
  ask_for_much(100);
  ask_for_much(100);
  ASSERT_TRUE(reaches("attend_running_rows", [](std::int64_t rows) { return rows > 3; }));
  EXPECT_EQ(ask("/v1/completions", kSmall, "").status, 200);
  EXPECT_GT(gauge("attend_running_rows"), 0);
  hang_up();
}

TEST_F(Fairness, ScoresMeetTheLimitOfTheQueueAndLeaveIt) {
  const std::string line = "the old dog sees the small cat and the dog sleeps";
  const Generator own = Generator::load(SmallModels::shared().file("lm"));
  const auto tokens = 2000 * (std::ssize(own.tokenizer().encode(line)) + 2);
  serve({"lm"}, {.max_tokens_in_queue = tokens + tokens / 2});
  nlohmann::json lines = nlohmann::json::array();
  for (int i = 0; i < 2000; ++i) lines.push_back(line);
  const std::string body = nlohmann::json{{"targets", lines}}.dump();
  const auto one = nlohmann::json{{"targets", {"the old dog"}}}.dump();
  const auto is_full = [&] {
    const RawResponse response = ask("/score", body, "");
    if (response.status != 503) return false;
    EXPECT_EQ(response.field("Retry-After"), "1");
    EXPECT_NE(response.body.find("does not fit"), std::string::npos);
    return true;
  };
  bool refused = false;
  for (int i = 0; i < 20 && !refused; ++i) {
    for (int k = 0; k < 5; ++k) send(clients_.emplace_back(server_->port()), "/score", body, "");
    refused = is_full();
    EXPECT_EQ(ask("/score", one, "").status, 200) << "a short one does not wait for long ones";
    hang_up();
  }
  EXPECT_TRUE(refused);
  int status = 0;
  for (int i = 0; i < 200 && status != 200; ++i) {
    status = ask("/score", body, "").status;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(status, 200) << "what nobody waits for has left the queue";
}

}  // namespace
}  // namespace attend
