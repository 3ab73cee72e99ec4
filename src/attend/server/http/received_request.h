// What Beast has read as a request of ours. Includes Beast, as connection.cpp does.
#pragma once

#include <fmt/format.h>

#include <boost/beast/core/string_type.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "attend/core/strings/quote.h"
#include "attend/server/http/form.h"
#include "attend/server/http/request_target.h"
#include "attend/server/http/server.h"

namespace attend {

namespace http = boost::beast::http;

inline std::string_view view_of(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

// Whether the client waits for "100 Continue" before it sends the body. HTTP/1.0 knows none.
template <class Message>
bool invites(const Message& message) {
  return message.version() >= 11 &&
         same_field(view_of(message[http::field::expect]), "100-continue");
}

// Rules for requests that could be understood in two ways, and those that Beast leaves to us.
template <class Message>
std::optional<HttpError> misread(const Message& message) {
  if (message.count(http::field::transfer_encoding) > 1)
    return HttpError{400, "Transfer-Encoding: expected one such field"};
  const auto transfer = message.find(http::field::transfer_encoding);
  if (transfer != message.end() && !same_field(view_of(transfer->value()), "chunked"))
    return HttpError{501, "Transfer-Encoding: only chunked is supported"};
  if (transfer != message.end() && message.version() < 11)
    return HttpError{400, "Transfer-Encoding: HTTP/1.0 has none"};
  const auto hosts = message.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && message.version() >= 11))
    return HttpError{400, fmt::format("Host: expected one such field, got {}", hosts)};
  if (hosts == 1 && !is_host(view_of(message[http::field::host])))
    return HttpError{400, "Host: expected a name or an address, and perhaps a port"};
  const std::string_view coding = view_of(message[http::field::content_encoding]);
  if (!coding.empty() && !same_field(coding, "identity"))
    return HttpError{415, fmt::format("Content-Encoding: expected none, got {}; send the body as "
                                      "it is",
                                      quote(coding))};
  if (message.version() >= 11 && message.count(http::field::expect) > 0 && !invites(message))
    return HttpError{417, "Expect: only 100-continue is supported"};
  return std::nullopt;
}

// Without the body, with the whole target as its path.
template <class Message>
HttpRequest request_of(const Message& message) {
  HttpRequest request{.method = std::string(view_of(message.method_string())),
                      .path = std::string(view_of(message.target())),
                      .query = {}};
  for (const auto& field : message)
    request.headers.add(std::string(view_of(field.name_string())),
                        std::string(view_of(field.value())));
  return request;
}

// Reads the target of the request. The host in it counts more than the field. Throws HttpError.
inline void read_target(HttpRequest& request) {
  RequestTarget target = parse_target(request.method, request.path);
  request.path = std::move(target.path);
  request.query = std::move(target.query);
  if (!target.host.empty()) request.headers.set("Host", std::move(target.host));
}

inline constexpr std::size_t kLongBody = 8 << 10;  // bytes

// Whether it may take a millisecond or more to read and tokenize. A file may unpack to many times
// its size.
inline bool takes_long(const HttpRequest& request) {
  return request.body.size() > kLongBody ||
         media_type(request.headers.find("content-type")) == "multipart/form-data";
}

// `in_first_line`: the target of the request has not been read yet.
inline HttpError error_of(const boost::system::error_code& failure, const HttpOptions& options,
                          bool in_first_line) {
  if (failure == http::error::body_limit)
    return {413, fmt::format("the body is larger than {} bytes", options.max_body)};
  const bool too_large =
      failure == http::error::header_limit || failure == http::error::buffer_overflow;
  if (too_large && in_first_line)
    return {414, fmt::format("the address is longer than {} bytes", options.max_header)};
  if (too_large)
    return {431, fmt::format("the header is larger than {} bytes", options.max_header)};
  return {400, fmt::format("not a valid HTTP request: {}", failure.message())};
}

}  // namespace attend
