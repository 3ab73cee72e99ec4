// How requests find their routes: methods, paths and kinds of bodies.
#include "attend/server/service.h"

#include <gtest/gtest.h>

#include "server/served_models.h"

namespace attend {
namespace {

class Routing : public ServingTest {
 protected:
  Routing() { serve({"en-de"}); }

  RawResponse sent(const std::string& line, const std::string& fields = "") {
    RawClient client(server_->port());
    client.send(line + " HTTP/1.1\r\nHost: t\r\n" + fields + "\r\n");
    return client.receive();
  }
};

TEST_F(Routing, NamesTheMethodsOfAPath) {
  for (const char* line : {"DELETE /translate", "GET /translate", "PUT /translate"}) {
    const RawResponse refused = sent(line, "Content-Length: 0\r\n");
    EXPECT_EQ(refused.status, 405) << line;
    EXPECT_EQ(refused.field("Allow"), "POST, OPTIONS") << line;
  }
  EXPECT_EQ(sent("POST /health", "Content-Length: 0\r\n").field("Allow"), "GET, HEAD, OPTIONS");
  const RawResponse options = sent("OPTIONS /languages");
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.field("Allow"), "GET, HEAD, OPTIONS");
}

TEST_F(Routing, AnswersForTheWholeServer) {
  const RawResponse all = sent("OPTIONS *");
  EXPECT_EQ(all.status, 204);
  for (const char* method : {"GET", "HEAD", "POST", "DELETE", "OPTIONS"})
    EXPECT_NE(all.field("Allow").find(method), std::string::npos) << all.field("Allow");
  EXPECT_EQ(sent("GET *").status, 400);
}

TEST_F(Routing, TakesWholeAddressesAndNeedlessEscapes) {
  EXPECT_EQ(sent("GET http://example.org/health").status, 200);
  EXPECT_EQ(sent("GET /%68ealth").status, 200);
}

TEST_F(Routing, NamesThePathThatIsMeant) {
  for (const char* path : {"/health/", "//health", "/health//"}) {
    const RawResponse refused = get(path);
    EXPECT_EQ(refused.status, 404);
    EXPECT_NE(refused.body.find("there is '/health'"), std::string::npos) << refused.body;
  }
  EXPECT_EQ(get("/nowhere/").body.find("there is '/nowhere'"), std::string::npos);
}

TEST_F(Routing, ReadsBodiesByTheirTypeInAnyForm) {
  const std::string json = R"({"q": "the dog", "source": "en", "target": "de"})";
  for (const char* type :
       {"application/json", "application/json; charset=utf-8", "APPLICATION/JSON;charset=UTF-8",
        "text/json", "text/plain", "application/vnd.api+json", "application/json ;x", ""})
    EXPECT_EQ(post("/translate", json, type).status, 200) << type;
  for (const char* type : {"image/png", "application/octet-stream", "application/xml"}) {
    const RawResponse refused = post("/translate", json, type);
    EXPECT_EQ(refused.status, 415) << type;
    EXPECT_NE(refused.body.find(type), std::string::npos) << refused.body;
  }
}

TEST_F(Routing, DistinguishesTextsThatAreTooLongFromOthersThatAreWrong) {
  EXPECT_EQ(post("/score", R"({"sources": ["a"], "targets": [")" + std::string(9000, 'a') + "\"]}")
                .status,
            413);
  EXPECT_EQ(post("/translate", R"({"q": "a\u0000b", "source": "en", "target": "de"})").status / 100,
            2);
}

}  // namespace
}  // namespace attend
