// Rotary position encoding: rotations of queries and keys (Su et al. 2021, RoFormer).
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "attend/core/options/options.h"
#include "attend/nn/attention/growing_table.h"
#include "attend/ops/attention/rotary.h"

namespace attend {

// The scaling of angles for texts longer than in training.
enum class RotaryScaling {
  none,
  linear,  // positions divided by the factor (Chen et al. 2023)
  llama3,  // long wavelengths divided by the factor, short ones kept, others between (Llama 3.1)
  yarn     // the same with another transition, and larger scores (Peng et al. 2023)
};
inline std::span<const std::string_view> enum_names(RotaryScaling) {
  static constexpr std::array<std::string_view, 4> names{"none", "linear", "llama3", "yarn"};
  return names;
}

struct RotaryOptions {
  double theta = 10000.0;
  RotaryScaling scaling = RotaryScaling::none;
  double factor = 1.0;
  double low_factor = 1.0;
  double high_factor = 4.0;
  int original_length = 8192;
};

template <class Visitor>
void fields(RotaryOptions& o, Visitor&& visit) {
  visit("rotary-theta", o.theta, between(1, 1e9), "base of the wavelengths of rotary positions");
  visit("rotary-scaling", o.scaling,
        "stretch rotary positions for longer texts: none, linear, llama3 or yarn");
  visit("rotary-factor", o.factor, between(1, 1e6),
        "factor by which rotary positions are stretched");
  visit("rotary-low-factor", o.low_factor, between(0.001, 1e6),
        "llama3 and yarn scaling: wavelengths above original-length / low-factor are stretched by "
        "the whole factor");
  visit(
      "rotary-high-factor", o.high_factor, between(0.001, 1e6),
      "llama3 and yarn scaling: wavelengths below original-length / high-factor are not stretched");
  visit("rotary-original-length", o.original_length, between(1, 1e9),
        "llama3 and yarn scaling: longest text, in tokens, before the stretching");
}

// The factor of queries and keys with yarn: 0.1 ln(factor) + 1.
double yarn_magnitude(double factor);

// Pair i of a head of width W turns by p / theta^(2i/W) at position p, before scaling.
class RotaryEncoding {
 public:
  // Throws ConfigError for a head of odd width, and for factors that do not go together.
  RotaryEncoding(std::int64_t width, const RotaryOptions& options);

  // Rotates the first `columns` of x [N, .], whole heads, by these positions.
  Variable rotate(const Variable& x, std::int64_t columns, const Ids& positions) const;

 private:
  // cos and sin of positions 0 to length - 1 -> [length, W].
  Tensor angles(std::int64_t length) const;

  std::int64_t width_;
  std::vector<double> frequencies_;  // W/2, radians per position
  double magnitude_;                 // of what is rotated
  std::shared_ptr<GrowingTable> angles_ = std::make_shared<GrowingTable>();
};

}  // namespace attend
