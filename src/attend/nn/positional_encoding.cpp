#include "attend/nn/positional_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "attend/error.h"

namespace attend {

std::span<const std::string_view> enum_names(PositionKind) {
  static constexpr std::array<std::string_view, 8> names{
      "sinusoidal",     "learned", "none",     "sinusoidal_halves",
      "sinusoidal_t2t", "rotary",  "relative", "alibi"};
  return names;
}

bool is_added(PositionKind kind) {
  switch (kind) {
    case PositionKind::none:
    case PositionKind::rotary:
    case PositionKind::relative:
    case PositionKind::alibi:
      return false;
    default:
      return true;
  }
}

namespace {

// One column of sinusoids.
struct Sinusoid {
  double wavelength;  // over 2 pi
  bool is_sine;
};

Sinusoid sinusoid_of(PositionKind kind, std::int64_t column, std::int64_t width) {
  const auto d = static_cast<double>(width);
  if (kind == PositionKind::sinusoidal)
    return {std::pow(10000.0, static_cast<double>(column - column % 2) / d), column % 2 == 0};
  const std::int64_t half = (width + 1) / 2, i = column % half;  // of an odd width one sine more
  const double exponent = kind == PositionKind::sinusoidal_t2t
                              ? static_cast<double>(i) / std::max(d / 2 - 1, 1.0)
                              : static_cast<double>(2 * i) / d;
  return {std::pow(10000.0, exponent), column < half};
}

}  // namespace

Tensor sinusoids(PositionKind kind, std::int64_t length, std::int64_t width) {
  const Tensor table = Tensor::empty_on_host({length, width});
  for (std::int64_t d = 0; d < width; ++d) {
    const Sinusoid sinusoid = sinusoid_of(kind, d, width);
    for (std::int64_t p = 0; p < length; ++p) {
      const double angle = static_cast<double>(p) / sinusoid.wavelength;
      table.row(p)[d] = static_cast<float>(sinusoid.is_sine ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

PositionalEncoding::PositionalEncoding(ParameterSet& parameters, const std::string& path,
                                       const PositionOptions& options)
    : options_(options), first_row_(options.first) {
  if (options.kind != PositionKind::learned) return;
  first_row_ = options.uncounted >= 0 ? 1 : 0;
  learned_ = parameters.add(path + ".weight", {first_row_ + options.max_length, options.width},
                            {Init::Kind::normal, 0.02f});
}

Positions PositionalEncoding::at(Ids positions) const {
  if (!is_added(options_.kind)) return {};
  const std::int32_t last =
      positions->empty() ? 0 : *std::max_element(positions->begin(), positions->end());
  if (options_.kind == PositionKind::learned) {
    if (last >= options_.max_length)
      throw DataError(fmt::format(
          "a sequence of {} tokens is longer than the {} positions the model has learned", last + 1,
          options_.max_length));
  }
  const Variable table =
      options_.kind == PositionKind::learned ? *learned_ : sinusoids_for(last + first_row_);
  if (first_row_ == 0) return {table, std::move(positions)};
  std::vector<std::int32_t> rows(positions->begin(), positions->end());
  for (std::int32_t& row : rows) row += first_row_;
  return {table, std::move(rows)};
}

Variable PositionalEncoding::sinusoids_for(std::int32_t last_row) const {
  return Variable(sinusoids_->at_least(last_row + std::int64_t{1}, [this](std::int64_t length) {
    return sinusoids(options_.kind, length, options_.width);
  }));
}

Positions PositionalEncoding::of(const Ragged& text) const {
  if (!is_added(options_.kind)) return {};
  if (options_.uncounted < 0) return at(text.positions());
  std::vector<std::int32_t> positions;
  positions.reserve(text.ids->size());
  for (std::int64_t b = 0; b < text.sequences(); ++b) {
    std::int32_t next = 0;
    for (const std::int32_t id : text[b])
      positions.push_back(id == options_.uncounted ? -1 : next++);
  }
  return at(std::move(positions));
}

}  // namespace attend
