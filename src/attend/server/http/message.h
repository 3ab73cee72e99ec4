// Requests and responses of HTTP, as handlers see them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attend {

// Fields of a header, in order. Names have any case.
class HttpHeaders {
 public:
  void add(std::string name, std::string value) {
    fields_.emplace_back(std::move(name), std::move(value));
  }
  // Instead of all fields of that name.
  void set(std::string_view name, std::string value);
  // The value of the first field of that name; empty if there is none.
  std::string_view find(std::string_view name) const;
  std::size_t count(std::string_view name) const;
  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

struct HttpRequest {
  std::string method;  // "GET"
  std::string path;    // without the query: "/translate"
  std::string query;   // after the question mark, still encoded
  HttpHeaders headers = {};
  std::string body = {};
  std::string client = {};  // the address of the peer
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body = {};
  HttpHeaders headers = {};  // besides type and length
};

// A request that cannot be answered, with the status that says why.
struct HttpError {
  int status = 400;
  std::string message;
  int retry_after = 0;  // seconds until the client may try again; 0: not said
};

// "Content Too Large" for 413.
std::string_view status_text(int status);

// Whether two names of fields, which have no case, are the same.
bool same_field(std::string_view a, std::string_view b);

}  // namespace attend
