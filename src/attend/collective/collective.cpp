#include "attend/collective/collective.h"

#include <algorithm>

#include "attend/error.h"

namespace attend {

void SingleProcess::exchange(int, std::span<const std::byte>, std::span<std::byte>) {
  throw ConfigError("[exchange] expected another process, found one alone");
}

void SingleProcess::gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  std::copy(mine.begin(), mine.end(), all.begin());
}

std::vector<double> gather_numbers(Collective& processes, std::span<const double> mine) {
  std::vector<double> all(mine.size() * static_cast<std::size_t>(processes.size()));
  processes.gather(std::as_bytes(mine), std::as_writable_bytes(std::span(all)));
  return all;
}

double largest_number(Collective& processes, double mine) {
  const std::vector<double> all = gather_numbers(processes, {&mine, 1});
  return *std::max_element(all.begin(), all.end());
}

}  // namespace attend
