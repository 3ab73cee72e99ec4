// Reads the body of a request, and checks the lines before its chunks (RFC 9112, section 7.1)
// beyond what Beast does. Includes Beast, as connection.cpp does.
#pragma once

#include <algorithm>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <string_view>

namespace attend {

// Beast takes any character in a quoted extension, line breaks included, and waits for the end of
// the quotation; and it reads "0x5" as the last chunk until the end of the trailer shows that it is
// none.
class BodyReader {
 public:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using Failure = boost::system::error_code;

  // The parser must have read the header, and outlive this.
  explicit BodyReader(Parser& parser) : parser_(parser) {
    parser_.eager(true);
    parser_.on_chunk_header(read_extension_);
  }
  BodyReader(const BodyReader&) = delete;
  BodyReader& operator=(const BodyReader&) = delete;

  // Moves what it can from the buffer to the body.
  void take(boost::beast::flat_buffer& buffer, Failure& failure) {
    if (buffer.size() > 0) buffer.consume(parser_.put(buffer.cdata(), failure));
    if (failure == boost::beast::http::error::need_more) failure = {};
    const auto rest = buffer.cdata();
    if (failure || parser_.is_done()) return;
    if (!may_follow({static_cast<const char*>(rest.data()), rest.size()}))
      failure = boost::beast::http::error::bad_chunk;
    else if (buffer.size() == buffer.max_size())
      failure = boost::beast::http::error::buffer_overflow;
  }

  // Where more bytes go.
  static auto room(boost::beast::flat_buffer& buffer) {
    constexpr std::size_t kMost = 64 << 10;
    return buffer.prepare(std::min(buffer.max_size() - buffer.size(), kMost));
  }

 private:
  // Whether the bytes can begin with the line of a chunk, if one is due.
  bool may_follow(std::string_view bytes) const {
    if (!parser_.chunked() || parser_.get().body().size() < announced_) return true;
    if (announced_ > 0 && bytes.starts_with("\r\n")) bytes.remove_prefix(2);
    const std::size_t size = bytes.find_first_not_of("0123456789abcdefABCDEF");
    if (size == bytes.npos) return true;
    if (std::string_view("\r; \t").find(bytes[size]) == std::string_view::npos) return false;
    const std::size_t line = bytes.find("\r\n");
    return line == bytes.npos || !ends_in_quotation(bytes.substr(0, line));
  }

  static bool ends_in_quotation(std::string_view line) {
    bool is_quoted = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (line[at] == '"') is_quoted = !is_quoted;
      if (line[at] == '\\' && is_quoted) ++at;
    }
    return is_quoted;
  }

  static bool is_control(unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; }

  struct ExtensionCheck {
    std::uint64_t& announced;
    void operator()(std::uint64_t size, boost::beast::string_view extension, Failure& failure) {
      announced += size;
      if (std::any_of(extension.begin(), extension.end(), is_control))
        failure = boost::beast::http::error::bad_chunk_extension;
    }
  };

  Parser& parser_;
  std::uint64_t announced_ = 0;  // bytes of all chunks so far
  ExtensionCheck read_extension_{announced_};
};

}  // namespace attend
