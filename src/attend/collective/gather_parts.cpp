#include "attend/collective/gather_parts.h"

#include "attend/collective/tensor_exchange.h"

namespace attend {

void gather_parts(Collective& processes, const Tensor& values,
                  std::span<const std::int64_t> begins) {
  require_power_of_two(processes, "gather_parts");
  const auto of_group = [&](int first, int count) {
    return values.slice_rows(begins[static_cast<std::size_t>(first)],
                             begins[static_cast<std::size_t>(first + count)]);
  };
  for (int count = 1; count < processes.size(); count *= 2) {
    const int first = processes.rank() / count * count;
    exchange(processes, processes.rank() ^ count, of_group(first, count),
             of_group(first ^ count, count));
  }
}

}  // namespace attend
