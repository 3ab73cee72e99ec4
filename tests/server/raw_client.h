// A client that sends any bytes and reads what comes back: for what well-behaved clients never do.
#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace attend {

struct RawResponse {
  int status = 0;  // 0: none, the connection was closed
  std::string head;
  std::string body;

  // The value of a field of the header.
  std::string field(const std::string& name) const {
    const std::size_t at = head.find("\r\n" + name + ": ");
    if (at == head.npos) return "";
    const std::size_t begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

class RawClient {
 public:
  explicit RawClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      ADD_FAILURE() << "cannot connect to port " << port;
    const timeval patience{.tv_sec = 120, .tv_usec = 0};  // of sanitizers
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~RawClient() { close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // Returns false if the server has closed the connection.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end_sending() { ::shutdown(socket_, SHUT_WR); }
  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

  // The next response. One in chunks is put together.
  RawResponse receive() {
    RawResponse response;
    while (buffer_.find("\r\n\r\n") == buffer_.npos)
      if (!read_more()) return response;
    const std::size_t end = buffer_.find("\r\n\r\n");
    response.head = take(end + 2);
    take(2);
    response.status = std::atoi(response.head.c_str() + std::string_view("HTTP/1.1 ").size());
    if (response.field("Transfer-Encoding") == "chunked") {
      for (std::size_t size = next_chunk(); size > 0; size = next_chunk()) {
        response.body += take_all(size);
        take_all(2);
      }
      take_all(2);
    } else {
      response.body =
          take_all(static_cast<std::size_t>(std::atoll(response.field("Content-Length").c_str())));
    }
    return response;
  }
  // Whether the server closes the connection without another byte.
  bool is_closed() { return buffer_.empty() && !read_more(); }

  RawResponse get(const std::string& path) {
    send(fmt::format("GET {} HTTP/1.1\r\nHost: test\r\n\r\n", path));
    return receive();
  }
  RawResponse post(const std::string& path, const std::string& body,
                   const std::string& type = "application/json") {
    send(
        fmt::format("POST {} HTTP/1.1\r\nHost: test\r\nContent-Type: {}\r\nContent-Length: "
                    "{}\r\n\r\n{}",
                    path, type, body.size(), body));
    return receive();
  }

 private:
  bool read_more() {
    char bytes[4096];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count > 0) buffer_.append(bytes, static_cast<std::size_t>(count));
    return count > 0;
  }
  std::string take(std::size_t count) {
    std::string taken = buffer_.substr(0, count);
    buffer_.erase(0, count);
    return taken;
  }
  std::string take_all(std::size_t count) {
    while (buffer_.size() < count && read_more()) {
    }
    return take(count);
  }
  std::size_t next_chunk() {
    while (buffer_.find("\r\n") == buffer_.npos && read_more()) {
    }
    const std::string line = take(buffer_.find("\r\n"));
    take(2);
    return static_cast<std::size_t>(std::strtoull(line.c_str(), nullptr, 16));
  }

  int socket_;
  std::string buffer_;
};

}  // namespace attend
