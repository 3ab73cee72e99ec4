#include "attend/server/serving.h"

#include <gtest/gtest.h>

#include <regex>

#include "attend/error.h"
#include "server/served_models.h"

namespace attend {
namespace {

class Serving : public ServingTest {};

TEST_F(Serving, SaysHowItIs) {
  serve({"en-de"});
  EXPECT_EQ(get("/health").body, R"({"status":"ok"})");
  EXPECT_EQ(get("/ready").status, 200);
}

TEST_F(Serving, CountsForPrometheus) {
  serve({"en-de", "lm"});
  get("/health");
  get("/nowhere");
  post("/translate", R"({"q": "a dog", "source": "en", "target": "de"})");
  // The work is counted after its answer is on its way.
  RawResponse response = get("/metrics");
  for (int i = 0; i < 1000 && response.body.find("{outcome=\"answered\"} 1\n") == std::string::npos;
       ++i)
    response = get("/metrics");
  EXPECT_EQ(response.field("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  const std::string& text = response.body;
  for (const char* line :
       {"attend_http_requests_total{route=\"/health\",code=\"200\"} 1\n",
        "attend_http_requests_total{route=\"other\",code=\"404\"} 1\n",
        "attend_http_request_duration_seconds_count{route=\"/translate\"} 1\n",
        "attend_http_request_duration_seconds_bucket{route=\"/translate\",le=\"+Inf\"} 1\n",
        "attend_items_total{outcome=\"answered\"} 1\n", "attend_models 2\n",
        "attend_queue_limit_tokens 65536\n", "attend_build_info{version="})
    EXPECT_NE(text.find(line), std::string::npos) << line << " is not in\n" << text;
  // Every line is a comment or a sample, and every sample has a type.
  const std::regex line(
      "# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\\{[a-z]+=\"[^\"]*\"(,[a-z]+=\"[^\"]*\")*\\})? "
      "[0-9.e+-]+");
  std::istringstream lines(text);
  for (std::string one; std::getline(lines, one);) EXPECT_TRUE(std::regex_match(one, line)) << one;
}

TEST_F(Serving, DocumentsEveryRoute) {
  serve({"en-de"});
  const auto json = json_of(get("/openapi.json"));
  const std::string page = get("/docs").body;
  for (const Route& route : all_routes()) {
    std::string method(route.method);
    for (char& c : method) c = static_cast<char>(std::tolower(c));
    const auto& operation = json["paths"][std::string(route.path)][method];
    EXPECT_EQ(operation["summary"], route.summary);
    EXPECT_NE(page.find(fmt::format("<code>{} {}</code>", route.method, route.path)), page.npos);
    for (const RouteField& field : route.fields)
      EXPECT_FALSE(field.help.empty()) << route.path << " " << field.name;
  }
}

TEST_F(Serving, HasAPageThatRunsNothingButItsOwnScript) {
  serve({"en-de"});
  std::size_t bytes = 0;
  for (const char* path : {"/", "/page.css", "/page.js", "/translation.js", "/words.js"}) {
    const RawResponse response = get(path);
    EXPECT_EQ(response.status, 200);
    EXPECT_FALSE(response.body.empty()) << path;
    EXPECT_NE(response.field("Content-Security-Policy").find("script-src 'self'"),
              std::string::npos);
    bytes += response.body.size();
  }
  EXPECT_LT(bytes, 30000u);
  EXPECT_EQ(get("/").body.find("<script>"), std::string::npos);
}

TEST_F(Serving, RefusesOtherMethodsAndPaths) {
  serve({"en-de"});
  const RawResponse refused = get("/translate");
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.field("Allow"), "POST, OPTIONS");
  for (const char* path : {"/translat", "/translate/", "/../etc/passwd", "/%2e%2e/etc/passwd",
                           "//health", "/health%00"})
    EXPECT_EQ(get(path).status, 404) << path;
  EXPECT_EQ(json_of(get("/v1/nothing"), 404)["error"]["type"], "invalid_request_error");
  RawClient client(server_->port());
  client.send("OPTIONS /translate HTTP/1.1\r\nHost: t\r\n\r\n");
  const RawResponse options = client.receive();
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.field("Allow"), "POST, OPTIONS");
  EXPECT_EQ(options.field("Access-Control-Allow-Methods"), "");
}

TEST_F(Serving, AllowsBrowsersTheHeadersThatTheyAskFor) {
  ServingOptions options;
  options.cors = "*";
  serve({"en-de"}, options);
  RawClient client(server_->port());
  const auto allowed = [&](const std::string& asked) {
    client.send("OPTIONS /translate HTTP/1.1\r\nHost: t\r\n" + asked + "\r\n");
    return client.receive().field("Access-Control-Allow-Headers");
  };
  EXPECT_EQ(allowed(""), "Authorization, Content-Type");
  EXPECT_EQ(allowed("Access-Control-Request-Headers: x-api-key\r\n"), "x-api-key");
}

TEST_F(Serving, LogsRequestsWithoutTheirTexts) {
  serve({"en-de"});
  post("/translate", R"({"q": "a secret", "source": "en", "target": "de"})");
  get("/nowhere?key=hidden\"");
  stop();
  const auto first = parse_json(log_.substr(0, log_.find('\n')), "log");
  EXPECT_EQ(first["method"], "POST");
  EXPECT_EQ(first["path"], "/translate");
  EXPECT_EQ(first["status"], 200);
  EXPECT_EQ(first["client"], "127.0.0.1");
  EXPECT_TRUE(std::regex_match(first["time"].get<std::string>(),
                               std::regex("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z")));
  EXPECT_EQ(log_.find("secret"), std::string::npos);
  EXPECT_EQ(log_.find("hidden"), std::string::npos);
}

TEST_F(Serving, NamesModelsAndTheirLanguages) {
  serve({"en-de,name=small,src=eng,tgt=deu"});
  const ServedModelPointer model = server_->models().front();
  EXPECT_EQ(model->name, "small");
  EXPECT_EQ(get("/languages").body, R"([{"code":"eng","name":"eng","targets":["deu"]}])");
}

TEST_F(Serving, RefusesModelsThatCannotBeServed) {
  EXPECT_THROW(serve({"en-de", "en-de"}), ConfigError);
  EXPECT_THROW(serve({"lm,src=en"}), ConfigError);
  EXPECT_THROW(serve({"nothing"}), IoError);
  EXPECT_THROW(serve({"train.en"}), DataError);
  EXPECT_THROW(serve({"lm"}, {.timeout = -1}), ConfigError);
}

TEST(ModelPlace, TakesSettingsAfterThePath) {
  const ModelPlace place = parse_model_place("a/b.safetensors,tgt=de,src=en,name=x y");
  EXPECT_EQ(place.path, "a/b.safetensors");
  EXPECT_EQ(place.source, "en");
  EXPECT_EQ(place.target, "de");
  EXPECT_EQ(place.name, "x y");
  EXPECT_EQ(parse_model_place("a").name, "");
  EXPECT_EQ(parse_model_place("a,adapter=b/c").adapter, "b/c");
  for (const char* wrong : {"", ",name=x", "a,", "a,name", "a,name=", "a,lang=en"})
    EXPECT_THROW(parse_model_place(wrong), ConfigError) << wrong;
}

}  // namespace
}  // namespace attend
