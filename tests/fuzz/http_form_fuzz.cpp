// Forms and multipart forms, as requests bring them, against hostile bytes. What was read from one
// is read again from a form made of it.
#include <algorithm>
#include <cstdlib>

#include "attend/server/http/form.h"
#include "attend/server/parameters.h"
#include "fuzz/fuzz_target.h"

namespace attend::http_form_fuzz {
namespace {

const std::vector<RouteField> kFields{{"q", FieldType::texts, ""},
                                      {"n", FieldType::whole, ""},
                                      {"p", FieldType::number, ""},
                                      {"on", FieldType::flag, ""},
                                      {"file", FieldType::file, ""}};

constexpr std::string_view kMultipart = "multipart/form-data; boundary=b";

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

bool are_equal(const std::vector<FormField>& a, const std::vector<FormField>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const FormField& x, const FormField& y) {
                      return x.name == y.name && x.value == y.value && x.file == y.file;
                    });
}

// Every byte as an escape.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    constexpr std::string_view kDigits = "0123456789aBcDeF";
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return out;
}

std::string in_quotes(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return '"' + out + '"';
}

void read_form(std::string_view body) {
  const std::vector<FormField> fields = parse_form(body);
  std::string again;
  for (const FormField& field : fields)
    again += escaped(field.name) + "=" + escaped(field.value) + "&";
  if (!are_equal(parse_form(again), fields)) std::abort();
}

void read_multipart(std::string_view body) {
  const std::vector<FormField> fields = parse_multipart(body, kMultipart);
  std::string again;
  for (const FormField& field : fields) {
    again += "--b\r\nContent-Disposition: form-data; name=" + in_quotes(field.name);
    if (!field.file.empty()) again += "; filename=" + in_quotes(field.file);
    again += "\r\n\r\n" + field.value + "\r\n";
  }
  if (!are_equal(parse_multipart(again + "--b--", kMultipart), fields)) std::abort();
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
                           : kind == '1' ? std::string(kMultipart)
                           : kind == '2' ? "application/json"
                                         : std::string(rest);
  request.headers.add("Content-Type", type);
  try {
    if (kind == '0') read_form(rest);
    if (kind == '1') read_multipart(rest);
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
