// Many clients at once, more than the server takes, and clients that mean harm: every accepted
// answer is right, all others are refused, and memory stays bounded.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <list>
#include <sstream>

#include "attend/classifier.h"
#include "attend/translator.h"
#include "server/served_models.h"

namespace attend {
namespace {

class Load : public ServingTest {
 protected:
  static std::int64_t resident_mebibytes() {
    std::ifstream file("/proc/self/statm");
    std::int64_t all = 0, resident = 0;
    file >> all >> resident;
    return resident * sysconf(_SC_PAGESIZE) >> 20;
  }
};

TEST_F(Load, EveryAcceptedAnswerIsThatOfTheLibrary) {
  ServingOptions options;
  options.max_tokens_in_queue = 26;  // of the longest sentence
  serve({"en-de", "classes"}, options);
  const Translator translator = Translator::load(SmallModels::shared().file("en-de"));
  const Classifier classifier = Classifier::load(SmallModels::shared().file("classes"));
  const std::vector<std::string> sentences{"the old dog sees the cat", "a cat", "the dog sleeps",
                                           "a fish eats the old cat and the dog sleeps"};
  std::vector<std::string> translations, labels;
  for (const Translation& t : translator.translate(sentences)) translations.push_back(t.text());
  for (const Classification& c : classifier.classify(sentences))
    labels.push_back(classifier.labels()[c.label]);

  std::atomic<int> answered{0}, refused{0};
  const auto ask = [&](std::size_t number) {
    RawClient client(server_->port());
    for (std::size_t i = 0; i < 12; ++i) {
      const std::size_t which = (number + i) % sentences.size();
      const bool classifies = (number + i) % 3 == 0;
      const std::string text = nlohmann::json(sentences[which]).dump();
      const RawResponse response =
          classifies ? client.post("/predict", "{\"inputs\": " + text + "}")
                     : client.post("/translate",
                                   "{\"source\": \"en\", \"target\": \"de\", \"q\": " + text + "}");
      if (response.status == 503) {
        EXPECT_EQ(response.field("Retry-After"), "1");
        ++refused;
        continue;
      }
      ASSERT_EQ(response.status, 200) << response.body;
      const auto json = parse_json(response.body, "response");
      EXPECT_EQ(classifies ? json[0]["label"] : json["translatedText"],
                classifies ? labels[which] : translations[which]);
      ++answered;
    }
  };
  std::vector<std::thread> clients;
  for (std::size_t i = 0; i < 24; ++i) clients.emplace_back(ask, i);
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(answered + refused, 24 * 12);
  EXPECT_GT(answered, 0);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(get("/ready").status, 200);
  stop();
  // A line for every request, none written into another.
  std::istringstream log(log_);
  int lines = 0;
  for (std::string line; std::getline(log, line); ++lines)
    EXPECT_TRUE(parse_json(line, "log")["status"].is_number());
  EXPECT_EQ(lines, 24 * 12 + 1);
}

TEST_F(Load, IdleConnectionsHarmNobody) {
  ServingOptions options;
  options.max_connections = 200;
  serve({"en-de"}, options);
  const std::int64_t before = resident_mebibytes();
  std::list<RawClient> idle;
  for (int i = 0; i < 450; ++i) {
    idle.emplace_back(server_->port());
    idle.back().send("GET / HTT");
    if (i % 50 == 0) {
      EXPECT_EQ(get("/health").status, 200);
    }
  }
  EXPECT_EQ(get("/health").status, 200);
  EXPECT_LT(resident_mebibytes() - before, 100);
}

TEST_F(Load, LargeRequestsTakeBoundedMemory) {
  ServingOptions options;
  options.max_body = 1 << 20;
  serve({"en-de"}, options);
  const std::int64_t before = resident_mebibytes();
  const std::string megabyte(1 << 20, 'x');
  for (int i = 0; i < 8; ++i) {
    RawClient body(server_->port()), chunks(server_->port()), header(server_->port());
    body.send("POST /translate HTTP/1.1\r\nHost: t\r\nContent-Length: 104857600\r\n\r\n");
    EXPECT_EQ(body.receive().status, 413);
    chunks.send("POST /translate HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int k = 0; k < 20 && chunks.send("100000\r\n" + megabyte + "\r\n"); ++k) {
    }
    EXPECT_EQ(chunks.receive().status, 413);
    header.send("GET / HTTP/1.1\r\nHost: t\r\n");
    for (int k = 0; k < 20 && header.send("X: " + megabyte + "\r\n"); ++k) {
    }
    EXPECT_EQ(header.receive().status, 431);
  }
  EXPECT_LT(resident_mebibytes() - before, 100);
  EXPECT_EQ(get("/health").status, 200);
}

TEST_F(Load, HostileTextsAreAnsweredOrRefused) {
  serve({"en-de", "lm", "classes"});
  const std::string pair = R"("source": "en", "target": "de")";
  const auto status = [&](const std::string& path, const std::string& body) {
    return post(path, body).status;
  };
  EXPECT_EQ(status("/translate", std::string(100000, '[')), 400);
  EXPECT_EQ(status("/translate", "{\"q\": " + std::string(1000, '{') + "}"), 400);
  EXPECT_EQ(status("/translate", "{\"q\": \"\xff\", " + pair + "}"), 400);
  EXPECT_EQ(status("/translate", R"({"q": "\ud800", )" + pair + "}"), 400);
  EXPECT_EQ(status("/translate", std::string("{\"q\": \"a\0b\"}", 13)), 400);
  EXPECT_EQ(status("/translate", R"({"q": "a\u0000b\u202e", )" + pair + "}"), 200);
  EXPECT_EQ(status("/predict", R"({"inputs": "<script>alert(1)</script>"})"), 200);
  EXPECT_EQ(status("/v1/completions", R"({"prompt": "a", "max_tokens": 99999999999})"), 400);
  EXPECT_EQ(status("/v1/completions", R"({"prompt": "a", "seed": 0.5})"), 400);
  EXPECT_EQ(post("/translate", "<q/>", "text/xml").status, 415);
  EXPECT_EQ(post("/translate", "--b", "multipart/form-data; boundary=b").status, 400);
}

}  // namespace
}  // namespace attend
