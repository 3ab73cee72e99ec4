#include "attend/nn/positional_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "attend/error.h"

namespace attend {

std::span<const std::string_view> enum_names(PositionKind) {
  static constexpr std::array<std::string_view, 3> names{"sinusoidal", "learned", "none"};
  return names;
}

Tensor sinusoids(std::int64_t length, std::int64_t width) {
  const Tensor table = Tensor::empty_on_host({length, width});
  for (std::int64_t d = 0; d < width; ++d) {
    const double wavelength =
        std::pow(10000.0, static_cast<double>(d - d % 2) / static_cast<double>(width));
    for (std::int64_t p = 0; p < length; ++p) {
      const double angle = static_cast<double>(p) / wavelength;
      table.row(p)[d] = static_cast<float>(d % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  return table.memory() == &current_memory() ? table : table.clone();
}

PositionalEncoding::PositionalEncoding(ParameterSet& parameters, const std::string& path,
                                       PositionKind kind, std::int64_t width,
                                       std::int64_t max_length)
    : kind_(kind), width_(width) {
  if (kind == PositionKind::learned)
    learned_ = parameters.add(path + ".weight", {max_length, width}, {Init::Kind::normal, 0.02f});
}

Positions PositionalEncoding::at(Ids positions) const {
  if (kind_ == PositionKind::none) return {};
  const std::int32_t last =
      positions->empty() ? 0 : *std::max_element(positions->begin(), positions->end());
  if (kind_ == PositionKind::learned) {
    const std::int64_t limit = learned_->dim(0);
    if (last >= limit)
      throw DataError(fmt::format(
          "a sequence of {} tokens is longer than the {} positions the model has learned", last + 1,
          limit));
    return {*learned_, std::move(positions)};
  }
  return {sinusoids_for(last), std::move(positions)};
}

Variable PositionalEncoding::sinusoids_for(std::int32_t last_position) const {
  const std::lock_guard lock(sinusoids_->mutex);
  Variable& table = sinusoids_->table;
  if (!table.defined() || table.dim(0) <= last_position) {
    const auto length = static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::max(last_position + 1, 64))));
    table = Variable(sinusoids(length, width_));
  }
  return table;
}

Positions PositionalEncoding::of(std::span<const std::int32_t> offsets) const {
  if (kind_ == PositionKind::none) return {};
  std::vector<std::int32_t> positions(static_cast<std::size_t>(offsets.back()));
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
    for (std::int32_t n = offsets[b]; n < offsets[b + 1]; ++n)
      positions[static_cast<std::size_t>(n)] = n - offsets[b];
  }
  return at(std::move(positions));
}

}  // namespace attend
