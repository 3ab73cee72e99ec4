#include "attend/cli/commands/distill/taught_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "attend/core/strings/counted.h"

namespace attend {

namespace {

constexpr std::size_t kMeasuredTexts = 128;

std::int64_t bytes_in(const std::filesystem::path& folder) {
  std::int64_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    bytes += static_cast<std::int64_t>(file.file_size());
  return bytes;
}

}  // namespace

PartCost taught_cost(std::span<const std::string> texts, const TaughtKind& kind,
                     const TeachTexts& teach, const std::filesystem::path& folder) {
  const auto first = texts.first(std::min(kMeasuredTexts, texts.size()));
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<float> answers = first.empty() ? std::vector<float>{} : teach(first);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto repeated = [&](std::span<const std::string> part) {
    std::vector<float> all(part.size() * answers.size() / first.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = answers[i % answers.size()];
    return all;
  };
  write_taught_texts(texts, kind, repeated, "", folder, [](std::int64_t) {});
  const double each = seconds / static_cast<double>(first.size());
  return {fmt::format("answers to {}", counted(std::ssize(texts), "text")),
          each * static_cast<double>(texts.size()), 0, bytes_in(folder)};
}

}  // namespace attend
