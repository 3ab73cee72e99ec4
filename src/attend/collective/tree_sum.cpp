#include "attend/collective/tree_sum.h"

#include <cstdint>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/collective/tensor_exchange.h"

namespace attend {

namespace {

struct Part {
  std::int64_t begin = 0, end = 0;
};

struct Halves {
  Part kept, given;
};

// Of two partners, the one with the lower rank keeps the lower half.
Halves halves_of(const Part& part, bool is_upper) {
  const std::int64_t middle = part.begin + (part.end - part.begin) / 2;
  const Part lower{part.begin, middle}, upper{middle, part.end};
  return is_upper ? Halves{upper, lower} : Halves{lower, upper};
}

Tensor part_of(const Tensor& values, const Part& part) {
  return values.slice_rows(part.begin, part.end);
}

}  // namespace

void sum_over_processes(Collective& processes, const Tensor& values) {
  const int size = processes.size(), rank = processes.rank();
  require_power_of_two(processes, "sum_over_processes");
  if (size == 1) return;
  const Tensor sums = Tensor::empty({(values.size() + 1) / 2});
  Part part{0, values.size()};
  std::vector<Halves> levels;
  for (int distance = 1; distance < size; distance *= 2) {
    const Halves& halves = levels.emplace_back(halves_of(part, (rank & distance) != 0));
    const Tensor kept = part_of(values, halves.kept);
    const Tensor received = sums.slice_rows(0, kept.size());
    exchange(processes, rank ^ distance, part_of(values, halves.given), received);
    if (kept.size() > 0) backend().add(kept, received, kept);
    part = halves.kept;
  }
  for (int distance = size / 2; distance > 0; distance /= 2) {
    const Halves& halves = levels.back();
    exchange(processes, rank ^ distance, part_of(values, halves.kept),
             part_of(values, halves.given));
    levels.pop_back();
  }
}

}  // namespace attend
