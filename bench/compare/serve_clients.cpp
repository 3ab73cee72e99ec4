// The clients of a comparison of servers: each sends a sentence to POST /translate, waits for the
// answer and takes the next. Prints what they measured as JSON.
//
//   compare_serve_clients OPTIONS.json   {"port": of a server on this machine, "source": file,
//                                         "out": file for the translations, "clients": n,
//                                         "seconds": most time to go on sending}
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

class Connection {
 public:
  explicit Connection(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("cannot connect");
    const int yes = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The body of the response.
  std::string ask(const std::string& request) {
    send(request);
    return receive();
  }

 private:
  void send(const std::string& bytes) {
    if (::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(bytes.size()))
      throw std::runtime_error("the server does not read");
  }
  // The body of a response with a length.
  std::string receive() {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == buffer_.npos) read_more();
    std::string head = buffer_.substr(0, end);
    std::transform(head.begin(), head.end(), head.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::size_t field = head.find("content-length: ");
    if (!head.starts_with("http/1.1 200") || field == head.npos)
      throw std::runtime_error("unexpected response: " + head);
    const std::size_t length = std::stoul(head.substr(field + 16));
    while (buffer_.size() < end + 4 + length) read_more();
    const std::string body = buffer_.substr(end + 4, length);
    buffer_.erase(0, end + 4 + length);
    return body;
  }
  void read_more() {
    char bytes[16384];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) throw std::runtime_error("the server has closed the connection");
    buffer_.append(bytes, static_cast<std::size_t>(count));
  }

  int socket_;
  std::string buffer_;
};

std::string request_for(const std::string& sentence) {
  const std::string body =
      nlohmann::json{{"q", sentence}, {"source", "en"}, {"target", "de"}}.dump();
  return "POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
         "Content-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

int measure(const nlohmann::json& options) {
  // What clients compute would count as the server's time: they share its cores.
  std::vector<std::string> requests;
  std::ifstream source(options.at("source").get<std::string>());
  for (std::string line; std::getline(source, line);) requests.push_back(request_for(line));
  std::vector<std::string> responses(requests.size());
  std::vector<double> latencies(requests.size());
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  const auto begun = Clock::now();
  const double most = options.value("seconds", 1e9);
  const auto work = [&] {
    try {
      Connection connection(options.at("port"));
      for (std::size_t i; (i = next++) < requests.size();) {
        const auto sent = Clock::now();
        if (seconds_between(begun, sent) > most) break;
        responses[i] = connection.ask(requests[i]);
        latencies[i] = seconds_between(sent, Clock::now());
      }
    } catch (const std::exception& error) {
      std::cerr << error.what() << "\n";
      failed = true;
    }
  };
  std::vector<std::thread> clients;
  for (int i = 0; i < options.value("clients", 16); ++i) clients.emplace_back(work);
  for (std::thread& client : clients) client.join();
  const double seconds = seconds_between(begun, Clock::now());
  if (failed) return 1;
  std::ofstream out(options.at("out").get<std::string>());
  std::vector<double> answered;
  for (std::size_t i = 0; i < requests.size() && latencies[i] > 0; ++i) {
    out << nlohmann::json::parse(responses[i]).at("translatedText").get<std::string>() << "\n";
    answered.push_back(latencies[i]);
  }
  std::sort(answered.begin(), answered.end());
  std::cout << nlohmann::json{{"seconds", seconds},
                              {"sentences", answered.size()},
                              {"latency_median", answered.at(answered.size() / 2)},
                              {"latency_99", answered.at(answered.size() * 99 / 100)}}
            << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    std::ifstream file(argv[1]);
    return measure(nlohmann::json::parse(file));
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
