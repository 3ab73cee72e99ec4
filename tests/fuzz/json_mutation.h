// Changes that keep a JSON object one: members gone, doubled or exchanged, numbers and texts turned
// into others.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace attend {

class JsonMutation {
 public:
  JsonMutation(std::uint64_t seed, const std::vector<std::string>& words)
      : random_(seed), words_(words) {}

  void operator()(nlohmann::json& json) {
    if (json.is_structured() && !json.empty() && below(5) != 0) {
      auto child = json.begin();
      std::advance(child, static_cast<std::ptrdiff_t>(below(json.size())));
      if (below(8) == 0) {
        json.erase(child);
      } else if (below(8) == 0 && json.is_array()) {
        json.push_back(*child);
      } else {
        (*this)(*child);
      }
      return;
    }
    constexpr std::int64_t kNumbers[] = {-1, 0, 1, 2, 3, 60, 259, 300, 1 << 24, 1LL << 40};
    switch (below(5)) {
      case 0:
        json = kNumbers[below(std::size(kNumbers))];
        break;
      case 1:
        json = below(2) == 0;
        break;
      case 2:
        json = nullptr;
        break;
      default:
        json = words_[below(words_.size())];
    }
  }

 private:
  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }

  std::mt19937_64 random_;
  const std::vector<std::string>& words_;
};

// An input is a JSON object and, after a zero byte, a text. One that is none any more gives way to
// a changed object of the corpus.
inline void repair_json(std::string& input, const std::vector<std::string>& corpus,
                        const std::vector<std::string>& words) {
  const std::size_t seed = std::hash<std::string>()(input);
  const std::size_t end = input.find('\0');
  const std::string text = end == input.npos ? "" : input.substr(end);
  nlohmann::json json = nlohmann::json::parse(input.substr(0, end), nullptr, false);
  if (json.is_discarded())
    json = nlohmann::json::parse(
        corpus[seed % corpus.size()].substr(0, corpus[seed % corpus.size()].find('\0')));
  JsonMutation mutation(seed, words);
  for (std::size_t i = 0; i <= seed % 3; ++i) mutation(json);
  input = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + text;
}

}  // namespace attend
