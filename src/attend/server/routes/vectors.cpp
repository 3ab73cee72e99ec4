#include "attend/server/routes/vectors.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace attend {

std::int64_t dimensions_of(const Parameters& parameters, const Embedder& embedder) {
  const std::int64_t width = parameters.whole("dimensions", 0, 1 << 20, 0);
  if (width == 0 || width <= embedder.vector_width()) return width;
  throw HttpError{400, fmt::format("dimensions: expected at most {}, the width of the vectors of "
                                   "the model, got {}",
                                   embedder.vector_width(), width)};
}

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
