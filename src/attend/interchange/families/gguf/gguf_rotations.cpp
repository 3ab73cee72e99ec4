#include "attend/interchange/families/gguf/gguf_rotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "attend/error.h"

namespace attend {

namespace {

// Llama 3's own; files do not say them.
constexpr double kLowFactor = 1, kHighFactor = 4;
constexpr std::int64_t kOriginalLength = 8192;
// What llama.cpp has for YaRN.
constexpr double kYarnFast = 32, kYarnSlow = 1;

RotaryOptions llama3_scaling(double theta, double factor, std::int64_t length) {
  RotaryOptions rotary;
  rotary.theta = theta;
  rotary.scaling = RotaryScaling::llama3;
  rotary.factor = factor;
  rotary.low_factor = kLowFactor;
  rotary.high_factor = kHighFactor;
  rotary.original_length = static_cast<int>(length);
  return rotary;
}

bool are_near(std::span<const float> a, std::span<const float> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](float x, float y) {
    return std::abs(x - y) <= 1e-5f * std::max(1.0f, std::abs(x));
  });
}

// The settings whose rule gives these factors.
std::optional<RotaryOptions> rule_of(std::span<const float> factors, double theta,
                                     std::int64_t length, int width) {
  if (factors.empty()) return std::nullopt;
  const float largest = *std::max_element(factors.begin(), factors.end());
  if (!(largest >= 1) || !std::isfinite(largest)) return std::nullopt;
  for (const std::int64_t original : {length, kOriginalLength}) {
    if (original < 1 || original > 1000000000) continue;
    const RotaryOptions rotary = llama3_scaling(theta, largest, original);
    if (are_near(factors, llama3_factors(rotary, width))) return rotary;
  }
  return std::nullopt;
}

class RotationReader {
 public:
  RotationReader(ForeignConfig& metadata, TensorTable& tensors, const GgufRotation& rotation)
      : metadata_(metadata), tensors_(tensors), rotation_(rotation) {}

  void add_to(nlohmann::json& config) {
    config["rope_theta"] = theta_;
    metadata_.require(key("dimension_count"), rotation_.width);
    metadata_.ignore({key("scaling.finetuned")});
    metadata_.require_one_of(key("scaling.attn_factor"), std::vector<nlohmann::json>{1.0});
    const std::size_t type =
        metadata_.choice_or(key("scaling.type"), 1, {"none", "linear", "yarn"});
    const double factor = read_factor();
    if (tensors_.contains(kRopeFactors)) {
      if (type == 2 || (type == 1 && factor != 1))
        metadata_.refuse(key("scaling.type"),
                         fmt::format("beside {}, none is supported", kRopeFactors));
      return add_factors(config);
    }
    if (type == 1 && factor != 1)
      config["rope_scaling"] = {{"rope_type", "linear"}, {"factor", factor}};
    if (type == 2) config["rope_scaling"] = yarn(factor);
    metadata_.ignore({key("scaling.original_context_length")});
  }

 private:
  std::string key(std::string_view name) const {
    return fmt::format("{}rope.{}", rotation_.prefix, name);
  }

  // 0 is no factor, too.
  double read_factor() {
    const double older = metadata_.number_or(key("scale_linear"), 0, between(0, 1e6)),
                 factor = metadata_.number_or(key("scaling.factor"), older, between(0, 1e6));
    return factor == 0 ? 1 : factor;
  }

  std::int64_t original_length(std::int64_t otherwise) {
    return metadata_.integer_or(key("scaling.original_context_length"), otherwise, between(1, 1e9));
  }

  // llama.cpp reads no other bounds in these architectures.
  nlohmann::json yarn(double factor) {
    for (const auto& [name, only] : {std::pair{"scaling.yarn_ext_factor", 1.0},
                                     {"scaling.yarn_attn_factor", 1.0},
                                     {"scaling.yarn_log_multiplier", 0.0},
                                     {"scaling.yarn_beta_fast", kYarnFast},
                                     {"scaling.yarn_beta_slow", kYarnSlow}})
      metadata_.require(key(name), only);
    return {{"rope_type", "yarn"},
            {"factor", factor},
            {"beta_fast", kYarnFast},
            {"beta_slow", kYarnSlow},
            {"original_max_position_embeddings", original_length(rotation_.context)}};
  }

  void add_factors(nlohmann::json& config) {
    const Tensor factors = tensors_.read(kRopeFactors, {rotation_.width / 2});
    const auto rule =
        rule_of(factors.span(), theta_, original_length(kOriginalLength), rotation_.width);
    if (!rule)
      throw DataError(
          fmt::format("{}: tensor {}: expected the factors of Llama 3's rule, found "
                      "others",
                      tensors_.where(), kRopeFactors));
    if (rule->factor == 1) return;
    config["rope_scaling"] = {{"rope_type", "llama3"},
                              {"factor", rule->factor},
                              {"low_freq_factor", rule->low_factor},
                              {"high_freq_factor", rule->high_factor},
                              {"original_max_position_embeddings", rule->original_length}};
  }

  ForeignConfig& metadata_;
  TensorTable& tensors_;
  const GgufRotation& rotation_;
  double theta_ = metadata_.number_or(key("freq_base"), 10000.0, between(1, 1e9));
};

}  // namespace

void read_gguf_rotation(ForeignConfig& metadata, TensorTable& tensors, const GgufRotation& rotation,
                        nlohmann::json& config) {
  RotationReader(metadata, tensors, rotation).add_to(config);
}

std::vector<float> llama3_factors(const RotaryOptions& rotary, int width) {
  std::vector<float> factors;
  for (int i = 0; i < width / 2; ++i) {
    const double wave = 2 * std::numbers::pi * std::pow(rotary.theta, 2.0 * i / width);
    const double turns = rotary.original_length / wave;
    const double smooth = std::clamp(
        (turns - rotary.low_factor) / (rotary.high_factor - rotary.low_factor), 0.0, 1.0);
    factors.push_back(static_cast<float>(1 / ((1 - smooth) / rotary.factor + smooth)));
  }
  return factors;
}

}  // namespace attend
