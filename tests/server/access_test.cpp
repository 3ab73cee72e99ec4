#include "attend/server/access.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "attend/core/json/json_text.h"
#include "attend/error.h"
#include "attend/generator.h"
#include "attend/server/http/message.h"
#include "server/served_models.h"

namespace attend {
namespace {

using namespace std::chrono_literals;

int status_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const HttpError& error) {
    return error.status;
  }
  return 200;
}

std::vector<ApiKey> read_keys(const std::string& text) {
  const auto path =
      std::filesystem::temp_directory_path() / ("attend_keys_" + std::to_string(getpid()));
  std::ofstream(path) << text;
  const auto keys = [&] {
    try {
      return read_api_keys(path);
    } catch (...) {
      std::filesystem::remove(path);
      throw;
    }
  }();
  std::filesystem::remove(path);
  return keys;
}

TEST(ApiKeys, AreReadWithTheirSettings) {
  const auto keys = read_keys("# comment\n\n  abcdefgh  name=site requests=0.5\nijklmnop\tadmin\n");
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[0].key, "abcdefgh");
  EXPECT_EQ(keys[0].name, "site");
  EXPECT_EQ(keys[0].requests, 0.5);
  EXPECT_FALSE(keys[0].admin);
  EXPECT_TRUE(keys[1].admin);
  EXPECT_EQ(keys[1].requests, 0);
}

TEST(ApiKeys, NameTheLineThatIsWrong) {
  for (const char* wrong : {"", "# none\n", "short\n", "abcdefgh x\n", "abcdefgh requests=0\n",
                            "abcdefgh requests=1x\n", "abcdefgh\nabcdefgh\n"})
    EXPECT_THROW(read_keys(wrong), DataError) << wrong;
  EXPECT_THROW(read_api_keys("/nowhere/keys"), IoError);
}

TEST(Access, IsFreeWithoutKeysExceptForAdministration) {
  Access access;
  EXPECT_FALSE(access.has_keys());
  EXPECT_EQ(status_of([&] { access.enter("", false); }), 200);
  EXPECT_EQ(status_of([&] { access.enter("anything", true); }), 403);
}

TEST(Access, TakesKnownKeysOnly) {
  Access access(read_keys("abcdefgh name=site\nijklmnop admin\n"));
  EXPECT_EQ(access.enter("abcdefgh", false), "site");
  EXPECT_EQ(status_of([&] { access.enter("", false); }), 401);
  for (const char* wrong : {"abcdefg", "abcdefgi", "abcdefghi"})
    EXPECT_EQ(status_of([&] { access.enter(wrong, false); }), 403) << wrong;
  EXPECT_EQ(status_of([&] { access.enter("abcdefgh", true); }), 403);
  EXPECT_EQ(status_of([&] { access.enter("ijklmnop", true); }), 200);
  access.replace(read_keys("ijklmnop\n"));
  EXPECT_EQ(status_of([&] { access.enter("abcdefgh", false); }), 403);
}

TEST(Access, CountsNothingWhenItOnlyChecks) {
  Access access(read_keys("abcdefgh requests=1\n"));
  for (int i = 0; i < 3; ++i) access.check("abcdefgh", false);
  EXPECT_EQ(status_of([&] { access.check("abcdefgh", true); }), 403);
  EXPECT_EQ(status_of([&] { access.check("", false); }), 401);
  EXPECT_EQ(status_of([&] { access.enter("abcdefgh", false); }), 200);
}

TEST(Access, CountsRequestsPerMinute) {
  Access access(read_keys("abcdefgh requests=2\n"));
  const auto now = std::chrono::steady_clock::now();
  const auto status = [&](std::chrono::seconds after) {
    return status_of([&] { access.enter("abcdefgh", false, now + after); });
  };
  EXPECT_EQ(status(0s), 200);
  EXPECT_EQ(status(0s), 200);
  EXPECT_EQ(status(1s), 429);
  EXPECT_EQ(status(31s), 200);
  EXPECT_EQ(status(31s), 429);
  EXPECT_EQ(status(3600s), 200);
  EXPECT_EQ(status(3600s), 200);
  EXPECT_EQ(status(3600s), 429) << "no more than a minute's worth is saved up";
  try {
    access.enter("abcdefgh", false, now + 3600s);
    ADD_FAILURE();
  } catch (const HttpError& error) {
    EXPECT_EQ(error.retry_after, 30);
  }
}

TEST(Access, CountsTokensPerMinute) {
  Access access(read_keys("abcdefgh tokens=60\nijklmnop\n"));
  const auto now = std::chrono::steady_clock::now();
  const auto status = [&](std::chrono::seconds after) {
    return status_of([&] { access.enter("abcdefgh", false, now + after); });
  };
  EXPECT_EQ(status(0s), 200);
  access.spend("abcdefgh", 50, now);
  EXPECT_EQ(status(0s), 200);
  access.spend("abcdefgh", 30, now);
  EXPECT_EQ(status(0s), 429) << "in debt";
  EXPECT_EQ(status(20s), 429);
  EXPECT_EQ(status(21s), 200);
  access.spend("abcdefgh", 1000, now + 21s);
  EXPECT_EQ(status(1000s), 429);
  EXPECT_EQ(status(1021s), 200);
  access.spend("ijklmnop", 1000000, now);
  access.spend("unknown!", 1000000, now);
  EXPECT_EQ(status_of([&] { access.enter("ijklmnop", false, now); }), 200);
}

class KeysOfServer : public ServingTest {
 protected:
  RawResponse post_with(const std::string& field, const std::string& body) {
    RawClient client(server_->port());
    client.send(fmt::format("POST /detect HTTP/1.1\r\nHost: t\r\n{}Content-Length: {}\r\n\r\n{}",
                            field, body.size(), body));
    return client.receive();
  }
};

TEST_F(KeysOfServer, AreTakenFromHeadersAndBodies) {
  const std::string keys = testing::TempDir() + "attend_server_keys" + std::to_string(getpid());
  std::ofstream(keys) << "abcdefgh requests=4\n";
  ServingOptions options;
  options.api_key = keys;
  serve({"en-de"}, options);
  EXPECT_EQ(get("/health").status, 200);
  EXPECT_EQ(get("/languages").status, 200);
  const RawResponse none = post_with("", R"({"q": "the"})");
  EXPECT_EQ(none.status, 401);
  EXPECT_EQ(none.field("WWW-Authenticate"), "Bearer");
  EXPECT_EQ(post_with("Authorization: Bearer wrong123\r\n", R"({"q": "the"})").status, 403);
  EXPECT_EQ(post_with("Authorization: bearer abcdefgh\r\n", R"({"q": "the"})").status, 200);
  EXPECT_EQ(post_with("X-Api-Key: abcdefgh\r\n", R"({"q": "the"})").status, 200);
  EXPECT_EQ(post_with("", R"({"q": "the", "api_key": "abcdefgh"})").status, 200);
  EXPECT_EQ(
      post_with("Content-Type: application/x-www-form-urlencoded\r\n", "q=the&api_key=abcdefgh")
          .status,
      200);
  const RawResponse more = post_with("X-Api-Key: abcdefgh\r\n", R"({"q": "the"})");
  EXPECT_EQ(more.status, 429);
  EXPECT_FALSE(more.field("Retry-After").empty());
  std::filesystem::remove(keys);
}

TEST_F(KeysOfServer, AreCheckedBeforeABodyIsRead) {
  const std::string keys = testing::TempDir() + "attend_early_keys" + std::to_string(getpid());
  std::ofstream(keys) << "abcdefgh\n";
  ServingOptions options;
  options.api_key = keys;
  serve({"en-de"}, options);
  for (const char* body :
       {"{", "[]", "{\"q\": 3}", "{\"q\": {\"api_key\": \"abcdefgh\"}}", "[[[[[["})
    EXPECT_EQ(post_with("", body).status, 401) << body;
  for (const char* type : {"application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
                           "image/png", "text/plain"})
    EXPECT_EQ(post_with(fmt::format("Content-Type: {}\r\n", type), "q=%zz").status, 401) << type;
  EXPECT_EQ(post_with("X-Api-Key: abcdefgh\r\n", "{").status, 400);
  EXPECT_EQ(post_with("", "{\"api_key\": \"abcdefgh\", \"q\": [").status, 400);
  EXPECT_EQ(post_with("", R"({"a": [{"b": []}], "q": "the", "api_key": "abcdefgh"})").status, 400)
      << "a field that the route does not have, not a key that is missing";
  RawClient client(server_->port());
  client.send(
      "POST /detect HTTP/1.1\r\nHost: t\r\nX-Api-Key: wrong123\r\nContent-Length: 999\r\n\r\n");
  EXPECT_EQ(client.receive().status, 403) << "without the body";
  std::filesystem::remove(keys);
}

TEST_F(KeysOfServer, PayForWhatIsReadAndWritten) {
  const std::string keys = testing::TempDir() + "attend_token_keys" + std::to_string(getpid());
  std::ofstream(keys) << "abcdefgh tokens=20 name=site\n";
  ServingOptions options;
  options.api_key = keys;
  serve({"en-de", "lm"}, options);
  const auto send = [&](const std::string& path, const std::string& body) {
    RawClient client(server_->port());
    client.send(
        fmt::format("POST {} HTTP/1.1\r\nHost: t\r\nX-Api-Key: abcdefgh\r\n"
                    "Content-Length: {}\r\n\r\n{}",
                    path, body.size(), body));
    return client.receive();
  };
  EXPECT_EQ(send("/v1/completions", R"({"prompt": "the", "max_tokens": 40})").status, 200);
  const RawResponse more =
      send("/translate", R"({"q": "the dog sleeps", "source": "en", "target": "de"})");
  EXPECT_EQ(more.status, 429);
  EXPECT_NE(more.body.find("more than 20 tokens per minute"), std::string::npos) << more.body;
  EXPECT_GT(std::stoi(more.field("Retry-After")), 30);
  stop();
  EXPECT_NE(log_.find("\"key\":\"site\""), std::string::npos) << log_;
  std::filesystem::remove(keys);
}

TEST_F(KeysOfServer, PayForWhatIsWrittenBeforeAStop) {
  const Generator own = Generator::load(SmallModels::shared().file("lm"));
  GenerationOptions options = own.default_options();
  options.max_tokens = 40;
  options.sampling.top_k = 1;
  const std::string whole = own.generate("the", options).text;
  std::size_t begin = whole.size() - 2;  // of an end that stands nowhere else
  while (whole.find(whole.substr(begin)) != begin) --begin;
  const std::string keys = testing::TempDir() + "attend_stop_keys" + std::to_string(getpid());
  std::ofstream(keys) << "abcdefgh tokens=20\n";
  ServingOptions serving;
  serving.api_key = keys;
  serve({"lm"}, serving);
  const std::string body = json_text(nlohmann::ordered_json{{"prompt", "the"},
                                                            {"max_tokens", 40},
                                                            {"temperature", 0},
                                                            {"api_key", "abcdefgh"},
                                                            {"stop", whole.substr(begin)}});
  EXPECT_EQ(json_of(post("/v1/completions", body))["choices"][0]["text"], whole.substr(0, begin));
  EXPECT_EQ(post("/v1/completions", body).status, 429);
  std::filesystem::remove(keys);
}

// The first request of a key is more than its minute has; each route is asked with a key of its
// own.
TEST_F(KeysOfServer, PayForLookingIntoAModel) {
  const std::vector<std::pair<std::string, std::string>> requests{
      {"/explore", R"({"text": "the dog sleeps"})"},
      {"/explore/heads", R"({"text": "the dog sleeps"})"},
      {"/explore/inside", R"({"text": "the dog sleeps"})"},
      {"/explore/draw", R"({"text": "the dog sleeps"})"},
      {"/explore/words", R"({"texts": ["the dog sleeps"], "word": "dog"})"},
      {"/explain", R"({"text": "the dog sleeps"})"},
      {"/attend/v1/alternatives", R"({"text": "the dog", "target": "der hund"})"},
      {"/attend/v1/beam", R"({"text": "the dog sleeps", "attention_beta": "0"})"}};
  const std::string keys = testing::TempDir() + "attend_lookers" + std::to_string(getpid());
  std::string lines;
  for (std::size_t i = 0; i < requests.size(); ++i)
    lines += fmt::format("abcdefgh{} tokens=2\n", i);
  std::ofstream(keys) << lines;
  ServingOptions options;
  options.api_key = keys;
  serve({"en-de"}, options);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto& [path, body] = requests[i];
    for (const int status : {200, 429}) {
      RawClient client(server_->port());
      client.send(
          fmt::format("POST {} HTTP/1.1\r\nHost: t\r\nX-Api-Key: abcdefgh{}\r\n"
                      "Content-Length: {}\r\n\r\n{}",
                      path, i, body.size(), body));
      const RawResponse response = client.receive();
      EXPECT_EQ(response.status, status) << path << ": " << response.body;
    }
  }
  std::filesystem::remove(keys);
}

}  // namespace
}  // namespace attend
