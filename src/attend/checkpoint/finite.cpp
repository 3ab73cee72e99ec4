#include "attend/checkpoint/finite.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <string>

#include "attend/backend/bytes.h"

namespace attend {

float first_not_finite(std::span<const std::byte> numbers) {
  float number = 0;
  for (std::size_t i = 0; i + 4 <= numbers.size() && std::isfinite(number); i += sizeof number)
    std::memcpy(&number, numbers.data() + i, sizeof number);
  return number;
}

void require_finite(std::span<const float> numbers, std::string_view what, std::string_view where) {
  const auto bytes = std::as_bytes(numbers);
  if (all_finite(bytes)) return;
  throw NotFiniteError(
      fmt::format("{}{}{}: expected finite numbers, found {}: the model's weights are damaged, or "
                  "its training diverged; use another one",
                  where, where.empty() ? "" : ": ", what, first_not_finite(bytes)));
}

}  // namespace attend
