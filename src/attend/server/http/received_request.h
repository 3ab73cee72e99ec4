// What Beast has read as a request of ours. Includes Beast, as connection.cpp does.
#pragma once

#include <fmt/format.h>

#include <boost/beast/core/string_type.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "attend/server/http/form.h"
#include "attend/server/http/server.h"

namespace attend {

namespace http = boost::beast::http;

inline std::string_view view_of(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

// Rules for requests that could be understood in two ways, and those that Beast leaves to us.
template <class Message>
std::optional<HttpError> misread(const Message& message) {
  const auto transfer = message.find(http::field::transfer_encoding);
  if (transfer != message.end() && !same_field(view_of(transfer->value()), "chunked"))
    return HttpError{501, "Transfer-Encoding: only chunked is supported"};
  if (transfer != message.end() && message.version() < 11)
    return HttpError{400, "Transfer-Encoding: HTTP/1.0 has none"};
  const auto hosts = message.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && message.version() >= 11))
    return HttpError{400, fmt::format("Host: expected one such field, got {}", hosts)};
  return std::nullopt;
}

// Without the body.
template <class Message>
HttpRequest request_of(const Message& message) {
  const std::string_view target = view_of(message.target());
  const std::size_t question = target.find('?');
  HttpRequest request{.method = std::string(view_of(message.method_string())),
                      .path = std::string(target.substr(0, question)),
                      .query = {}};
  if (question != target.npos) request.query = target.substr(question + 1);
  for (const auto& field : message)
    request.headers.add(std::string(view_of(field.name_string())),
                        std::string(view_of(field.value())));
  return request;
}

inline constexpr std::size_t kLongBody = 8 << 10;  // bytes

// Whether it may take a millisecond or more to read and tokenize. A file may unpack to many times
// its size.
inline bool takes_long(const HttpRequest& request) {
  return request.body.size() > kLongBody ||
         media_type(request.headers.find("content-type")) == "multipart/form-data";
}

inline HttpError error_of(const boost::system::error_code& failure, const HttpOptions& options) {
  if (failure == http::error::body_limit)
    return {413, fmt::format("the body is larger than {} bytes", options.max_body)};
  if (failure == http::error::header_limit || failure == http::error::buffer_overflow)
    return {431, fmt::format("the header is larger than {} bytes", options.max_header)};
  return {400, fmt::format("not a valid HTTP request: {}", failure.message())};
}

}  // namespace attend
