#include "attend/server/routes/vectors.h"

#include <cmath>
#include <cstddef>

namespace attend {

std::vector<float> first_values(const Embedding& embedding, std::int64_t width, bool normalize) {
  std::vector<float> values = embedding.values;
  if (width > 0 && width < std::ssize(values)) values.resize(static_cast<std::size_t>(width));
  if (!normalize) return values;
  double squares = 0;
  for (const float value : values) squares += double{value} * double{value};
  const double length = squares > 0 ? std::sqrt(squares) : 1.0;
  for (float& value : values) value = static_cast<float>(value / length);
  return values;
}

}  // namespace attend
