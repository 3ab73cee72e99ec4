// Clients that mean harm: each gets a correct status soon, and nobody else notices.
#include <gtest/gtest.h>
#include <zlib.h>

#include <chrono>
#include <fstream>
#include <list>

#include "attend/documents/markup/markup_document.h"
#include "attend/server/http/message.h"
#include "server/served_models.h"

namespace attend {
namespace {

using namespace std::chrono_literals;

// What ThreadSanitizer and emulators need more of time, and of memory.
#if defined(__SANITIZE_THREAD__) || defined(ATTEND_EMULATED)
constexpr int kSlowdown = 20, kMemory = 8;
#else
constexpr int kSlowdown = 1, kMemory = 1;
#endif

class Attacks : public ServingTest {
 protected:
  static std::int64_t resident() {  // in MiB
    std::ifstream file("/proc/self/statm");
    std::int64_t all = 0, pages = 0;
    file >> all >> pages;
    return pages * sysconf(_SC_PAGESIZE) >> 20;
  }
  RawResponse upload(const std::string& name, const std::string& content) {
    const auto part = [](const std::string& head, const std::string& value) {
      return "--b\r\nContent-Disposition: form-data; " + head + "\r\n\r\n" + value + "\r\n";
    };
    return post("/translate_file",
                part("name=source", "en") + part("name=target", "de") +
                    part("name=file; filename=\"" + name + "\"", content) + "--b--",
                "multipart/form-data; boundary=b");
  }
  int status_of(const std::string& path, const std::string& body) {
    return post(path, body).status;
  }
  // The status for a request of these bytes, and how long it took is no more than `most`.
  int status_within(const std::string& body, std::chrono::seconds most) {
    const auto begun = std::chrono::steady_clock::now();
    const int status = status_of("/translate", body);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, kSlowdown * most);
    return status;
  }
};

void put_bytes(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i, value >>= 8) out += static_cast<char>(value & 0xff);
}

// A part of an archive as its directory says.
struct ZipPart {
  std::string name;
  std::uint64_t begin = 0;  // of its header
  std::string packed = {};
  std::uint32_t checksum = 0;
  std::uint64_t size = 0;
};

ZipPart deflated_part(const std::string& name, const std::string& content) {
  ZipPart part{.name = name, .size = content.size()};
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  part.packed.resize(deflateBound(&stream, content.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(part.packed.data());
  stream.avail_out = static_cast<uInt>(part.packed.size());
  deflate(&stream, Z_FINISH);
  part.packed.resize(stream.total_out);
  deflateEnd(&stream);
  part.checksum = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
  return part;
}

std::string header_of(const ZipPart& part) {
  std::string header;
  put_bytes(header, 20, 2);
  put_bytes(header, 0, 2);
  put_bytes(header, 8, 2);
  put_bytes(header, 0, 4);
  put_bytes(header, part.checksum, 4);
  put_bytes(header, part.packed.size(), 4);
  put_bytes(header, part.size, 4);
  put_bytes(header, part.name.size(), 2);
  put_bytes(header, 0, 2);
  return header;
}

// An archive whose directory lists every part `times` times, at the same place.
std::string archive_of(std::vector<ZipPart> parts, int times = 1) {
  std::string out, directory;
  int count = 0;
  for (ZipPart& part : parts) {
    part.begin = out.size();
    put_bytes(out, 0x04034b50, 4);
    out += header_of(part) + part.name + part.packed;
    for (int i = 0; i < times; ++i, ++count) {
      ZipPart listed = part;
      if (i > 0) listed.name = part.name + std::to_string(i);
      put_bytes(directory, 0x02014b50, 4);
      put_bytes(directory, 20, 2);
      directory += header_of(listed);
      put_bytes(directory, 0, 10);
      put_bytes(directory, part.begin, 4);
      directory += listed.name;
    }
  }
  const std::size_t begin = out.size();
  out += directory;
  put_bytes(out, 0x06054b50, 4);
  put_bytes(out, 0, 4);
  put_bytes(out, static_cast<std::uint64_t>(count), 2);
  put_bytes(out, static_cast<std::uint64_t>(count), 2);
  put_bytes(out, directory.size(), 4);
  put_bytes(out, begin, 4);
  put_bytes(out, 0, 2);
  return out;
}

std::string repeated(std::string_view text, std::size_t bytes) {
  std::string all;
  while (all.size() < bytes) all += text;
  return all;
}

TEST_F(Attacks, AThousandIdleConnectionsLeaveRoom) {
  serve({"en-de"});
  const std::int64_t before = resident();
  std::list<RawClient> idle;
  for (int i = 0; i < 1000; ++i) {
    idle.emplace_back(server_->port());
    if (i % 2 == 0) idle.back().send("POST /translate HTTP/1.1\r\nHost: t\r\nContent-Le");
  }
  EXPECT_EQ(get("/health").status, 200);
  EXPECT_EQ(status_of("/translate", R"({"q": "the dog sleeps", "source": "en", "target": "de"})"),
            200);
  EXPECT_LT(resident() - before, 100);
}

TEST_F(Attacks, AHalfClosedConnectionEndsWithItsRequest) {
  serve({"en-de"});
  const std::string body = R"({"q": "the dog sleeps", "source": "en", "target": "de"})";
  const std::string head = "POST /translate HTTP/1.1\r\nHost: t\r\nContent-Length: ";
  RawClient silent(server_->port()), partial(server_->port()), whole(server_->port());
  silent.end_sending();
  EXPECT_TRUE(silent.is_closed());
  partial.send(head + "1000\r\n\r\n" + body);
  partial.end_sending();
  EXPECT_TRUE(partial.is_closed());
  // Who cannot send any more has hung up: there is no difference to be seen.
  whole.send(head + std::to_string(body.size()) + "\r\n\r\n" + body);
  whole.end_sending();
  const int status = whole.receive().status;
  EXPECT_TRUE(status == 200 || status == 0) << status;
  EXPECT_TRUE(whole.is_closed());
  bool is_alone = false;
  for (int i = 0; i < 500 && !is_alone; ++i) {
    is_alone = get("/metrics").body.find("\nattend_connections 1\n") != std::string::npos;
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_TRUE(is_alone);
}

TEST_F(Attacks, NoRequestIsSmuggledIntoAnother) {
  serve({"en-de"});
  const std::string hidden = "GET /models HTTP/1.1\r\nHost: t\r\n\r\n";
  // Each could be understood in two ways: refused, and the rest is never read as a request.
  for (const std::string& fields :
       {std::string("Content-Length: 4\r\nTransfer-Encoding: chunked"),
        std::string("Transfer-Encoding: chunked\r\nContent-Length: 4"),
        std::string("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"),
        std::string("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked"),
        std::string("Transfer-Encoding: chunked, identity"),
        std::string("Transfer-Encoding: \"chunked\""),
        std::string("Transfer-Encoding: chunked;x=y"),
        std::string("Transfer-Encoding:\x0b"
                    "chunked"),
        std::string("Transfer-Encoding\t: chunked"),
        std::string("X: y\nTransfer-Encoding: chunked"),
        std::string("X: y\rTransfer-Encoding: chunked"),
        std::string("Content-Length: 0\r\nContent-Length: 37"),
        std::string("Content-Length: 0, 37"), std::string("Content-Length: -1"),
        std::string("Content-Length: 0x4"), std::string("Content-Length: 18446744073709551616"),
        std::string("Content-Length: 4 4")}) {
    RawClient client(server_->port());
    client.send("POST /translate HTTP/1.1\r\nHost: t\r\n" + fields + "\r\n\r\n0\r\n\r\n" + hidden);
    const int status = client.receive().status;
    EXPECT_TRUE(status == 400 || status == 501 || status == 413) << fields << ": " << status;
    EXPECT_TRUE(client.is_closed()) << fields;
  }
  // Chunks of a wrong form.
  for (const std::string& chunks :
       {std::string("-1\r\n"), std::string("0x1\r\na\r\n0\r\n\r\n"), std::string("1\r\nabc\r\n"),
        std::string("ffffffffffffffff1\r\na\r\n"), std::string(" 1\r\na\r\n0\r\n\r\n"),
        std::string("\r\n\r\n")}) {
    RawClient client(server_->port());
    client.send("POST /translate HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n" +
                chunks + hidden);
    EXPECT_GE(client.receive().status, 400) << chunks;
    EXPECT_TRUE(client.is_closed()) << chunks;
  }
}

TEST_F(Attacks, PathsLeadNowhere) {
  serve({"en-de"});
  for (const char* path :
       {"/..", "/../../etc/passwd", "/page.css/..", "/page.css/../page.js", "/%2e%2e%2fetc/passwd",
        "/..%5cetc", "/\\etc", "/download_file/../../etc/passwd", "/download_file/%2e%2e",
        "/download_file/", "/translate%00.css", "/TRANSLATE", "/v1/../health", "/models//",
        "/./health", "/;/health", "/health;x"})
    EXPECT_EQ(get(path).status / 100, 4) << path;
  // What is no path, and no whole address either.
  for (const char* target : {"*", "health", "t:80", "?", "#", "http://", "http:///health",
                             "http://a@t/health", "ftp://t/health", "/%", "/%zz", "/health%2"})
    EXPECT_EQ(get(target).status / 100, 4) << target;
  EXPECT_EQ(status_of("/models/..%2f..%2fetc", R"({"inputs": "a"})"), 404);
}

TEST_F(Attacks, BodiesOfAWrongTypeAreRefused) {
  serve({"en-de"});
  const std::string json = R"({"q": "a dog", "source": "en", "target": "de"})";
  for (const char* type : {"application/xml", "application/octet-stream", "image/png", "text/html",
                           "application/jsonp", "*/*", "application/x-ndjson", "json"})
    EXPECT_EQ(post("/translate", json, type).status, 415) << type;
  for (const char* type : {"multipart/form-data",
                           "multipart/form-data; boundary=", "application/x-www-form-urlencoded"})
    EXPECT_EQ(post("/translate", "q", type).status, 400) << type;
  EXPECT_EQ(post("/translate", json, "application/json; charset=utf-8").status, 200);
}

TEST_F(Attacks, NoTextBecomesAPage) {
  serve({"en-de", "classes"});
  const std::string script = "<script>alert(1)</script>";
  for (const RawResponse& response :
       {get("/" + script), post("/predict", R"({"inputs": ")" + script + "\"}"),
        post("/predict", R"({"inputs": "a", "model": ")" + script + "\"}"),
        post("/translate", R"({"q": ")" + script + R"(", "source": "en", "target": "de"})"),
        post("/translate", R"({"q": "a", "source": ")" + script + R"(", "target": "de"})")}) {
    EXPECT_EQ(response.field("Content-Type"), "application/json");
    EXPECT_EQ(response.field("X-Content-Type-Options"), "nosniff");
  }
  // In HTML that is translated, a script stays what it was.
  const auto html = json_of(post("/translate", R"({"format": "html", "q": "<p>a dog</p>)" + script +
                                                   R"(", "source": "en", "target": "de"})"));
  EXPECT_NE(html["translatedText"].get<std::string>().find(script), std::string::npos);
}

TEST_F(Attacks, BombsOfFilesAreRefused) {
  serve({"en-de"});
  const std::int64_t before = resident();
  const std::string spaces(100 << 20, ' ');
  for (const auto& [file, part] :
       {std::pair("a.odt", "content.xml"), std::pair("a.docx", "word/document.xml")}) {
    const RawResponse response = upload(file, archive_of({deflated_part(part, spaces)}));
    EXPECT_EQ(response.status, 400);
    EXPECT_NE(response.body.find("unpack to more than 100 times"), std::string::npos);
    EXPECT_EQ(response.body.find("/proc"), std::string::npos);
  }
  // A size that is not the one it says.
  ZipPart liar = deflated_part("content.xml", spaces);
  liar.size = 100;
  EXPECT_EQ(upload("a.odt", archive_of({liar})).status, 400);
  // One part, listed twenty thousand times.
  std::string noise;
  for (unsigned i = 0; i < 200000; ++i) noise += static_cast<char>(i * i >> 3);
  EXPECT_EQ(upload("a.docx", archive_of({deflated_part("word/media/x", noise)}, 20000)).status,
            400);
  // As many tags as fit.
  const auto status_of = [&](const std::string& text) {
    return upload("a.odt", archive_of({deflated_part("content.xml", text)})).status;
  };
  EXPECT_EQ(status_of("<a>" + repeated("<b/>", 30 << 20) + "</a>"), 413);
  EXPECT_EQ(status_of(repeated("<b>", 30 << 20)), 400) << "within one another";
  EXPECT_LT(resident() - before, kMemory * 300);
  EXPECT_EQ(get("/health").status, 200);
}

TEST_F(Attacks, LongTextsTakeShortTime) {
  serve({"en-de"});
  const std::string html = R"({"format": "html", "source": "en", "target": "de", "q": ")";
  const std::string text = R"({"source": "en", "target": "de", "q": ")";
  const std::size_t size = 1000000;
  for (const char* piece : {"<a ", "<a '", "<!--", "</", "<b>", "<p>", "<b>a", "&", "&#", "<"}) {
    SCOPED_TRACE(piece);
    EXPECT_GE(status_within(html + repeated(piece, size) + "\"}", 20s), 200);
    EXPECT_GE(status_within(html + "<script>" + repeated(piece, size) + "\"}", 20s), 200);
    EXPECT_GE(status_within(html + "<svg>" + repeated(piece, size) + "\"}", 20s), 200);
  }
  for (const char* piece : {"a", "a ", "a, ", "a. ", ".", "\\n", "\\u00e9", "\\u6f22"}) {
    SCOPED_TRACE(piece);
    EXPECT_GE(status_within(text + repeated(piece, size) + "\"}", 20s), 200);
  }
}

TEST_F(Attacks, NoRequestAsksForGigabytes) {
  serve({"en-de", "lm"});
  const auto status = [&](const std::string& path, const std::string& body) {
    return status_of(path, body);
  };
  const std::string many = R"(["a")" + repeated(R"(,"a")", 4 * 1999) + "]";
  EXPECT_EQ(status("/v1/completions", R"({"n": 129, "prompt": "a"})"), 400);
  EXPECT_EQ(status("/v1/completions", R"({"n": 128, "prompt": )" + many + "}"), 400);
  EXPECT_EQ(status("/v1/completions", R"({"max_tokens": 1048577, "prompt": "a"})"), 400);
  EXPECT_EQ(
      status("/v1/completions", R"({"prompt": "a", "stop": ")" + std::string(2000, 'x') + "\"}"),
      400);
  EXPECT_EQ(status("/v1/completions", R"({"prompt": "a", "stop": )" + many + "}"), 400);
  EXPECT_EQ(status("/v1/completions", R"({"prompt": "a", "best_of": 1000000})"), 400);
  EXPECT_EQ(status("/translate", R"({"q": "a", "source": "en", "target": "de",
                                     "alternatives": 101})"),
            400);
  EXPECT_EQ(status("/translate", R"({"q": )" + repeated("[", 60) + R"("a")" + repeated("]", 60) +
                                     R"(, "source": "en", "target": "de"})"),
            400);
  // More tokens than may wait, each of which would become an object of JSON.
  EXPECT_EQ(status("/tokenize", R"({"inputs": ")" + repeated("a b ", 1 << 20) + "\"}"), 413);
}

// Those who do not read their responses.
TEST_F(Attacks, ResponsesThatNobodyReadsTakeBoundedMemory) {
  ServingOptions options;
  options.max_body = 20000;  // and 64 times as much for all
  serve({"en-de"}, options);
  const std::string texts = R"(["a b c d")" + repeated(R"(,"a b c d")", 15000) + "]";
  const std::string body = R"({"inputs": )" + texts + "}";
  std::list<RawClient> clients;
  for (int i = 0; i < 40; ++i) {
    clients.emplace_back(server_->port());
    clients.back().send("POST /tokenize HTTP/1.1\r\nHost: t\r\nContent-Length: " +
                        std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  int answered = 0, refused = 0;
  for (RawClient& client : clients) {
    const int status = client.receive().status;
    answered += status == 200 ? 1 : 0;
    refused += status == 503 ? 1 : 0;
  }
  EXPECT_EQ(answered + refused, 40);
  EXPECT_GT(answered, 0);
  EXPECT_EQ(get("/health").status, 200);
}

}  // namespace
}  // namespace attend
