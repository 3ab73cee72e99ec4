#include "attend/interchange/families/decoders/rotary_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace attend {

namespace {

using RotaryJson = nlohmann::ordered_json;

constexpr const char *kOriginalLength = "original_max_position_embeddings",
                     *kShortFactors = "short_factor", *kLongFactors = "long_factor";
constexpr NumberRange kThetas = between(1, 1e9), kLengths = between(1, 1e9);

void require_usual_magnitude(ForeignConfig& rope, const RotaryOptions& rotary) {
  constexpr const char* kMagnitude = "attention_factor";
  const double usual = rotary_magnitude(rotary);
  if (std::abs(rope.number_or(kMagnitude, usual, between(0, 1e6)) - usual) > 1e-6)
    rope.refuse(kMagnitude,
                fmt::format("only the value for the factor, {:.6g}, is supported", usual));
}

// One for each pair.
std::string read_factors(ForeignConfig& rope, const char* key, int pairs) {
  const std::vector<double> factors = rope.numbers(key);
  if (std::ssize(factors) != pairs)
    rope.refuse(key, fmt::format("expected {} numbers, one for each pair of columns", pairs));
  if (std::any_of(factors.begin(), factors.end(),
                  [](double factor) { return !(factor >= 0.001 && factor <= 1e6); }))
    rope.refuse(key, "expected numbers from 0.001 to 1e6");
  return rotary_factors_text(factors);
}

// What Phi-3 calls longrope, once su or yarn. The length before the scaling is beside the object,
// which counts, or in it.
RotaryOptions read_growing(ForeignConfig& config, ForeignConfig& rope, RotaryOptions rotary,
                           int width) {
  const char* type = rope.has("rope_type") ? "rope_type" : "type";
  rope.ignore({"type", "rope_type"});
  if (rope.choice(type, {"default", "longrope", "su", "yarn"}) == 0) return rotary;
  rotary.scaling = RotaryScaling::longrope;
  const std::int64_t inside = rope.integer_or(kOriginalLength, 4096, kLengths);
  rotary.original_length =
      static_cast<int>(config.integer_or(kOriginalLength, 4096, between(2, 1e9)));
  if (rope.has(kOriginalLength) && !config.has(kOriginalLength) && inside != rotary.original_length)
    rope.refuse(kOriginalLength, "expected the same beside this object");
  const auto length =
      static_cast<double>(config.integer_or("max_position_embeddings", 4096, kLengths));
  rotary.factor =
      std::max(1.0, rope.number_or("factor", length / rotary.original_length, between(1e-6, 1e6)));
  const int pairs = (rotary.width > 0 ? rotary.width : width) / 2;
  rotary.short_factors = read_factors(rope, kShortFactors, pairs);
  rotary.long_factors = read_factors(rope, kLongFactors, pairs);
  require_usual_magnitude(rope, rotary);
  return rotary;
}

// The rotated columns of a head; 0: all.
int read_rotated(ForeignConfig& config, ForeignConfig* rope, const RotaryRules& rules, int width) {
  constexpr const char* kShare = "partial_rotary_factor";
  constexpr NumberRange kShares = above(0, 1);
  double share = config.number_or(rules.share_key, rules.share, kShares);
  if (rope != nullptr) share = rope->number_or(kShare, share, kShares);
  const int rotated = static_cast<int>(width * share);
  if (rotated % 2 != 0 || rotated == 0)
    (rope != nullptr && rope->has(kShare) ? *rope : config)
        .refuse(rope != nullptr && rope->has(kShare) ? kShare : rules.share_key,
                fmt::format("expected an even part of the {} columns of a head", width));
  return rotated == width ? 0 : rotated;
}

}  // namespace

RotaryOptions read_rotary(ForeignConfig& config, const RotaryRules& rules, int width) {
  RotaryOptions rotary;
  rotary.theta = config.number_or(rules.theta_key, rules.theta, kThetas);
  // The older name counts if a file has both.
  const bool has_older =
      config.has("rope_scaling") && !config.object("rope_scaling").keys().empty();
  const char* key = has_older ? "rope_scaling" : "rope_parameters";
  config.ignore({"rope_parameters", "rope_scaling"});
  if (rules.grows) config.ignore({kOriginalLength});
  ForeignConfig* const rope = config.has(key) ? &config.object(key) : nullptr;
  if (rules.share > 0) rotary.width = read_rotated(config, rope, rules, width);
  if (rope == nullptr) return rotary;
  rotary.theta = rope->number_or("rope_theta", rotary.theta, kThetas);
  return rules.grows ? read_growing(config, *rope, rotary, width) : read_rotary_of(*rope, rotary);
}

RotaryOptions read_rotary_of(ForeignConfig& rope, RotaryOptions rotary) {
  rotary.theta = rope.number_or("rope_theta", rotary.theta, kThetas);
  const char* type = rope.has("rope_type") ? "rope_type" : "type";
  rope.ignore({"type", "rope_type"});
  rotary.scaling =
      static_cast<RotaryScaling>(rope.choice(type, {"default", "linear", "llama3", "yarn"}));
  if (rotary.scaling == RotaryScaling::none) return rotary;
  rotary.factor = rope.number("factor", between(1, 1e6));
  if (rotary.scaling == RotaryScaling::linear) return rotary;
  constexpr NumberRange kTurns = between(0.001, 1e6);
  if (rotary.scaling == RotaryScaling::llama3) {
    rotary.low_factor = rope.number("low_freq_factor", kTurns);
    rotary.high_factor = rope.number("high_freq_factor", kTurns);
  } else {
    rotary.low_factor = rope.number_or("beta_slow", 1, kTurns);
    rotary.high_factor = rope.number_or("beta_fast", 32, kTurns);
    require_usual_magnitude(rope, rotary);
    rope.require("truncate", true);
    for (const char* other : {"mscale", "mscale_all_dim"}) rope.require(other, nullptr);
  }
  rotary.original_length = static_cast<int>(rope.integer(kOriginalLength, kLengths));
  return rotary;
}

namespace {

// A share whose product with the width is not below the columns, whatever is rounded.
double rotated_share(const StackConfig& shape) {
  const int width = shape.key_width(), rotated = shape.rotary.width;
  if (rotated == 0) return 1.0;
  double share = static_cast<double>(rotated) / width;
  while (static_cast<int>(width * share) < rotated) share = std::nextafter(share, 1.0);
  return share;
}

}  // namespace

void add_rotary(RotaryJson& config, const StackConfig& shape, const RotaryRules& rules) {
  const RotaryOptions& rotary = shape.rotary;
  config[std::string(rules.theta_key)] = rotary.theta;
  if (rules.share > 0) config[std::string(rules.share_key)] = rotated_share(shape);
  if (rotary.scaling == RotaryScaling::none) return;
  RotaryJson scaling{
      {"rope_type", enum_names(rotary.scaling)[static_cast<std::size_t>(rotary.scaling)]},
      {"factor", rotary.factor}};
  if (rotary.scaling == RotaryScaling::llama3) {
    scaling["low_freq_factor"] = rotary.low_factor;
    scaling["high_freq_factor"] = rotary.high_factor;
  }
  if (rotary.scaling == RotaryScaling::yarn) {
    scaling["beta_slow"] = rotary.low_factor;
    scaling["beta_fast"] = rotary.high_factor;
  }
  if (rotary.scaling == RotaryScaling::longrope) {
    scaling[kShortFactors] = rotary_factors(rotary.short_factors, "rotary-short-factors");
    scaling[kLongFactors] = rotary_factors(rotary.long_factors, "rotary-long-factors");
  }
  if (rotary.scaling != RotaryScaling::linear) scaling[kOriginalLength] = rotary.original_length;
  if (rules.grows) config[kOriginalLength] = rotary.original_length;
  config["rope_scaling"] = scaling;
}

ForeignHeads rotated_heads(const StackConfig& shape, int heads, bool adjacent) {
  const int width = shape.key_width(), rotated = shape.rotary.width;
  if (!adjacent && (rotated == 0 || rotated == width)) return {};
  return {heads, rotated > 0 ? rotated : width, adjacent};
}

}  // namespace attend
