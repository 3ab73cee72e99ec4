#include "attend/core/strings/counted.h"

#include <fmt/format.h>

namespace attend {

std::string readable_count(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string counted(std::int64_t count, std::string_view noun) {
  return counted(count, noun, fmt::format("{}s", noun));
}

std::string counted(std::int64_t count, std::string_view noun, std::string_view plural) {
  return fmt::format("{} {}", readable_count(count), count == 1 ? noun : plural);
}

std::string with_article(std::string_view name) {
  const bool begins_with_vowel =
      !name.empty() && std::string_view("aeioAEIO").find(name[0]) != std::string_view::npos;
  return fmt::format("{} {}", begins_with_vowel ? "an" : "a", name);
}

}  // namespace attend
