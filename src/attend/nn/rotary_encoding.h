// Rotary position encoding: rotations of queries and keys (Su et al. 2021, RoFormer).
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/nn/attention/growing_table.h"
#include "attend/ops/attention/rotary.h"

namespace attend {

// The scaling of angles for texts longer than in training.
enum class RotaryScaling {
  none,
  linear,   // positions divided by the factor (Chen et al. 2023)
  llama3,   // long wavelengths divided by the factor, short ones kept, others between (Llama 3.1)
  yarn,     // the same with another transition, and larger scores (Peng et al. 2023)
  longrope  // a factor for each pair, others for longer texts, and larger scores (Ding et al. 2024)
};
inline std::span<const std::string_view> enum_names(RotaryScaling) {
  static constexpr std::array<std::string_view, 5> names{"none", "linear", "llama3", "yarn",
                                                         "longrope"};
  return names;
}

struct RotaryOptions {
  double theta = 10000.0;
  int width = 0;  // of the part of a head that is rotated; 0: all of it
  RotaryScaling scaling = RotaryScaling::none;
  double factor = 1.0;
  double low_factor = 1.0;
  double high_factor = 4.0;
  int original_length = 8192;
  std::string short_factors = {};  // of longrope, a number for each pair; empty: ones
  std::string long_factors = {};
};

template <class Visitor>
void fields(RotaryOptions& o, Visitor&& visit) {
  visit("rotary-theta", o.theta, between(1, 1e9), "base of the wavelengths of rotary positions");
  visit("rotary-width", o.width, between(0, 65536),
        "columns of each head that rotary positions rotate, an even number; 0: all");
  visit("rotary-scaling", o.scaling,
        "stretch rotary positions for longer texts: none, linear, llama3, yarn or longrope");
  visit("rotary-factor", o.factor, between(1, 1e6),
        "factor by which rotary positions are stretched; longrope: by which the length grew");
  visit("rotary-low-factor", o.low_factor, between(0.001, 1e6),
        "llama3 and yarn scaling: wavelengths above original-length / low-factor are stretched by "
        "the whole factor");
  visit(
      "rotary-high-factor", o.high_factor, between(0.001, 1e6),
      "llama3 and yarn scaling: wavelengths below original-length / high-factor are not stretched");
  visit("rotary-original-length", o.original_length, between(1, 1e9),
        "llama3, yarn and longrope scaling: longest text, in tokens, before the stretching");
  visit("rotary-short-factors", o.short_factors,
        "longrope: what divides the frequency of each pair in texts up to original-length, such as "
        "1,1.5,2");
  visit("rotary-long-factors", o.long_factors,
        "longrope: what divides the frequency of each pair in texts longer than original-length");
}

// The factor of queries and keys: with yarn 0.1 ln(factor) + 1, with longrope sqrt(1 + ln(factor) /
// ln(original length)), else 1.
double rotary_magnitude(const RotaryOptions& options);

// The numbers of a list such as "1,1.5,2", and the list of numbers. Throws ConfigError for another
// text; `option` names it.
std::vector<double> rotary_factors(const std::string& list, std::string_view option);
std::string rotary_factors_text(std::span<const double> factors);

// Pair i of a head of width W, columns i and W/2 + i, turns by p / theta^(2i/R) at position p,
// before scaling, if R of its columns are rotated. Pairs from R/2 on keep their place.
//
// With longrope, texts longer than the original length have other frequencies from their first
// token on.
class RotaryEncoding {
 public:
  // Throws ConfigError for a head of odd width, and for factors that do not go together.
  RotaryEncoding(std::int64_t width, const RotaryOptions& options);

  // Rotates the first `columns` of x [N, .], whole heads, by these positions. Every sequence begins
  // with position 0, unless none reaches positions_alike().
  Variable rotate(const Variable& x, std::int64_t columns, const Ids& positions) const;

  // Positions below this one have the same angles in sequences of any length up to it; 0: all have.
  std::int64_t positions_alike() const { return alike_; }

 private:
  // cos and sin of positions 0 to length - 1 -> [length, W]. Those of longer texts are behind the
  // positions that are alike in shorter ones.
  Tensor angles(std::int64_t length) const;
  // The rows of the table for these positions.
  Ids rows_of(const Ids& positions) const;

  std::int64_t width_;
  std::vector<double> frequencies_;       // of the R/2 pairs that turn, radians per position
  std::vector<double> long_frequencies_;  // of longer texts, if they differ
  std::int64_t alike_ = 0;
  double magnitude_;  // of what is rotated
  std::shared_ptr<GrowingTable> angles_ = std::make_shared<GrowingTable>();
};

}  // namespace attend
