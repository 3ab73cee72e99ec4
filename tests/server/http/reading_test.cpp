// Requests as bytes: how the HTTP server reads them, and what it refuses.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "server/http/served_http.h"

namespace attend {
namespace {

class HttpReading : public HttpServerTest {};

TEST_P(HttpReading, ReadsChunksAndTheBodyOfAGet) {
  start();
  RawClient client(port());
  client.send(
      "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n"
      "\r\n");
  EXPECT_EQ(client.receive().body, "POST /  abcde");
  client.send("GET / HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_EQ(client.receive().body, "GET /  hi");
  EXPECT_EQ(client.get("/next").body, "GET /next  ");
}

TEST_P(HttpReading, RefusesWhatIsTooLarge) {
  start({.max_header = 1000, .max_body = 100});
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: t\r\nX: " + std::string(2000, 'a') + "\r\n\r\n"),
            431);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 101\r\n\r\n"), 413);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n70\r\n" +
                      std::string(0x70, 'a') + "\r\n0\r\n\r\n"),
            413);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n\r\n" +
                      std::string(100, 'a')),
            200);
}

TEST_P(HttpReading, RefusesWhatTwoServersCouldReadDifferently) {
  start();
  const std::string begin = "POST / HTTP/1.1\r\nHost: t\r\n";
  EXPECT_EQ(status_of(begin + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            400);
  EXPECT_EQ(status_of(begin + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"), 400);
  EXPECT_EQ(status_of(begin + "Content-Length: +3\r\n\r\nabc"), 400);
  EXPECT_EQ(status_of(begin + "Transfer-Encoding: xchunked\r\n\r\n"), 501);
  EXPECT_EQ(status_of(begin + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"), 501);
  EXPECT_EQ(status_of(begin + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"), 400);
  EXPECT_EQ(status_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(status_of(begin + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"), 400);
  EXPECT_EQ(status_of("\x16\x03\x01\x02\x05garbage\r\n\r\n"), 400);
}

// RFC 9112, sections 6.2 and 6.3.
TEST_P(HttpReading, ReadsALengthThatIsOneNumber) {
  start();
  const std::string begin = "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: ";
  for (const char* length : {"5", "005", "5, 5", "5 , 5", "5\r\nContent-Length: 5", " \t5 "})
    EXPECT_EQ(status_of(begin + length + "\r\n\r\nhello"), 200) << length;
  for (const char* length :
       {"+5", "-5", "5,6", "5, 5, 6", "5\r\nContent-Length: 6", "5,", ",5", "5 5", "0x5", "5_0",
        "5.0", "1e1", "", "five", "\"5\"", "99999999999999999999",
        "5\r\nTransfer-Encoding: chunked", "5\r\nTransfer-Encoding: identity"}) {
    const int status = status_of(begin + length + "\r\n\r\nhello");
    EXPECT_TRUE(status == 400 || status == 501) << length << ": " << status;
  }
}

// RFC 9112, section 7.1: 1*HEXDIG and extensions, at once and without the rest.
TEST_P(HttpReading, RefusesLinesOfChunksThatAreNone) {
  start();
  const std::string begin =
      "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n";
  const std::string first = begin.substr(0, begin.size() - 7);
  for (const char* line : {"5", "05", "000000000000000000005", "5;ext", "5 ; a=b;c",
                           "5;a=\"b;c\\\"d\"", "5\t;a = b"}) {
    const std::string rest = std::string(line) + "\r\nhello\r\n0\r\n\r\n";
    EXPECT_EQ(status_of(first + rest), 200) << line;
    EXPECT_EQ(status_of(begin + rest), 200) << line;
    RawClient client(port());
    client.send(begin + rest + begin + rest);
    EXPECT_EQ(client.receive().status, 200) << line;
    EXPECT_EQ(client.receive().status, 200) << line;
  }
  for (const char* line : {"0x5",
                           "0X5",
                           "+5",
                           "-5",
                           " 5",
                           "5_0",
                           "5 ",
                           "",
                           "5,5",
                           "5h",
                           "\t5",
                           "5;",
                           "5;=a",
                           "5;a b",
                           "5;a=\"b\nc\"",
                           "5;a=\"b\x01\"",
                           "5\n",
                           "5\r",
                           "11111111111111111",
                           "ffffffffffffffff",
                           "5;a=\"b",
                           "0+5",
                           "0_",
                           "\"5\"",
                           "\xef\xbc\x95"}) {
    for (const std::string& before : {first, begin}) {
      const int status = status_of(before + line + "\r\nhello\r\n");
      EXPECT_TRUE(status == 400 || status == 413) << line << ": " << status;
    }
  }
}

TEST_P(HttpReading, ReadsWholeAddressesAsProxiesGetThem) {
  start();
  RawClient client(port());
  client.send("GET http://example.org/a?x=1 HTTP/1.1\r\nHost: t\r\n\r\n");
  EXPECT_EQ(client.receive().body, "GET /a x=1 ");
  client.send("GET HTTPS://example.org:8080 HTTP/1.1\r\nHost: t\r\n\r\n");
  EXPECT_EQ(client.receive().body, "GET /  ");
  answer_ = [](const auto& exchange) {
    exchange->respond({.body = std::string(exchange->request().headers.find("host"))});
  };
  client.send("GET http://example.org/ HTTP/1.1\r\nHost: other\r\n\r\n");
  EXPECT_EQ(client.receive().body, "example.org") << "the address counts, not the field";
}

TEST_P(HttpReading, ReadsPathsWithNeedlessEscapes) {
  start();
  EXPECT_EQ(RawClient(port()).get("/%74ranslate%2Fa%7E").body, "GET /translate%2Fa~  ");
  EXPECT_EQ(RawClient(port()).get("/a%").status, 400);
}

TEST_P(HttpReading, SkipsEmptyLinesBeforeARequest) {
  start();
  RawClient client(port());
  client.send("\r\n\r\nGET /a HTTP/1.1\r\nHost: t\r\n\r\n");
  EXPECT_EQ(client.receive().body, "GET /a  ");
  client.send("POST /b HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\n\r\nx\r\n");
  EXPECT_EQ(client.receive().body, "POST /b  x");
  client.send("\r");
  client.send("\nGET /c HTTP/1.1\r\nHost: t\r\n\r\n");
  EXPECT_EQ(client.receive().body, "GET /c  ");
}

TEST_P(HttpReading, SaysWhichPartOfTheHeaderIsTooLong) {
  start({.max_header = 1000});
  const std::string longer(2000, 'a');
  EXPECT_EQ(status_of("GET /" + longer + " HTTP/1.1\r\nHost: t\r\n\r\n"), 414);
  EXPECT_EQ(status_of("GET /" + longer), 414);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: t\r\nX: " + longer + "\r\n\r\n"), 431);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: t\r\nX: " + longer), 431);
}

TEST_P(HttpReading, RefusesHostsThatAreNone) {
  start();
  for (const char* host : {"a b", "a/b", "user@a", "a\"b"})
    EXPECT_EQ(status_of(fmt::format("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", host)), 400) << host;
  for (const char* host : {"", "a.b:80", "[::1]:80", "127.0.0.1", "a_b"})
    EXPECT_EQ(status_of(fmt::format("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", host)), 200) << host;
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\n\r\n"), 200) << "HTTP/1.0 needs none";
}

TEST_P(HttpReading, RefusesCodingsOfBodiesByName) {
  start();
  const auto refusal = [&](const std::string& coding) {
    RawClient client(port());
    client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\nContent-Encoding: " + coding +
                "\r\n\r\nab");
    return client.receive();
  };
  for (const char* coding : {"gzip", "br", "GZIP", "gzip, identity"}) {
    EXPECT_EQ(refusal(coding).status, 415) << coding;
    EXPECT_NE(refusal(coding).body.find(coding), std::string::npos) << refusal(coding).body;
  }
  EXPECT_EQ(refusal("identity").status, 200);
}

TEST_P(HttpReading, ReadsOrRefusesFoldedFields) {
  start();
  const int status = status_of("GET / HTTP/1.1\r\nHost: t\r\nX: a\r\n b\r\n\r\n");
  EXPECT_TRUE(status == 200 || status == 400) << status;
}

INSTANTIATE_TEST_SUITE_P(OnThreads, HttpReading, testing::Values(1, 2));

}  // namespace
}  // namespace attend
