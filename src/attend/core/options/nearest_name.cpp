#include "attend/core/options/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "attend/core/strings/ascii.h"

namespace attend {
namespace {

std::string plain(std::string_view name) {
  std::string out = ascii_lower(name);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table: distances between the first i letters of a and the first j of b, for i
  // - 2, i - 1 and i.
  std::vector<int> two_before(b.size() + 1), before(b.size() + 1), now(b.size() + 1);
  std::iota(now.begin(), now.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_before.swap(before);
    before.swap(now);
    now[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({before[j] + 1, now[j - 1] + 1, before[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], two_before[j - 2] + 1);
    }
  }
  return now[b.size()];
}

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates) {
  const std::string wanted = plain(name);
  std::optional<std::string> best;
  int best_distance = 0;
  for (const std::string& candidate : candidates) {
    const int allowed = std::max(1, static_cast<int>(candidate.size()) / 3);
    if (wanted.size() > candidate.size() + static_cast<std::size_t>(allowed))
      continue;  // one extra letter is a distance of 1
    const int distance = edit_distance(wanted, plain(candidate));
    if (distance > allowed || (best && distance >= best_distance)) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates,
                         std::string_view prefix) {
  const auto nearest = nearest_name(name, candidates);
  return nearest ? fmt::format("; did you mean {}{}?", prefix, *nearest) : std::string();
}

}  // namespace attend
