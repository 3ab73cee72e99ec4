// Forms and multipart forms, as requests bring them, against hostile bytes.
#include "attend/server/parameters.h"
#include "fuzz/fuzz_target.h"

namespace attend::http_form_fuzz {
namespace {

const std::vector<RouteField> kFields{{"q", FieldType::texts, ""},
                                      {"n", FieldType::whole, ""},
                                      {"p", FieldType::number, ""},
                                      {"on", FieldType::flag, ""},
                                      {"file", FieldType::file, ""}};

std::vector<std::string> corpus() {
  return {"0q=a+b%20c&n=3&p=0.5&on=true",
          "1--b\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\ntext\r\n--b\r\n"
          "Content-Disposition: form-data; name=file; filename=\"a.txt\"\r\n\r\ncontent\r\n--b--",
          "2{\"q\": [\"a\", \"b\"], \"n\": 3, \"p\": 0.5, \"on\": true, \"other\": {}}",
          "3multipart/form-data; boundary=\"x y\"; other=1"};
}

std::vector<std::string> dictionary() {
  return {"&",    "=",    "%",      "+",    "%00",    "%ff", "q=",    "\r\n--b",   "--b--",
          "\r\n", "name", "\"",     "\\\"", ";",      "[",   "{",     "\"q\":",    "null",
          "1e9",  "-1",   "1e-400", "true", "\xff",   ":",   "--b\r", "api_key=x", "}",
          "]",    "n=",   "p=",     "on=",  "n=1e99", "file"};
}

// The first byte selects the kind of body.
void use(std::string_view input) {
  if (input.empty()) return;
  const char kind = input.front();
  const std::string_view rest = input.substr(1);
  HttpRequest request{.method = "POST", .path = "/", .query = std::string(rest)};
  request.body = rest;
  if (kind != '0') request.query.clear();
  const std::string type = kind == '0'   ? "application/x-www-form-urlencoded"
                           : kind == '1' ? "multipart/form-data; boundary=b"
                           : kind == '2' ? "application/json"
                                         : std::string(rest);
  request.headers.add("Content-Type", type);
  try {
    const Parameters p(request, kFields);
    p.texts("q");
    p.whole("n", -5, 5, 0);
    p.number("p", -1, 1, 0);
    p.flag("on", true);
    p.text(kApiKeyField);
  } catch (const HttpError&) {  // what clients get
  }
}

const RegisteredFuzzTarget registered{{"http_form", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::http_form_fuzz
