#include "attend/interchange/families/layer_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "attend/interchange/families/decoders/rotary_settings.h"

namespace attend {

namespace {

constexpr const char *kLayerTypes = "layer_types", *kFullAttention = "full_attention",
                     *kSlidingAttention = "sliding_attention";

}  // namespace

std::vector<LayerKind> read_layer_types(ForeignConfig& config, std::vector<LayerKind> otherwise) {
  if (!config.has(kLayerTypes)) return otherwise;
  std::vector<LayerKind> kinds;
  for (const std::string& type : config.texts(kLayerTypes)) {
    if (type != kFullAttention && type != kSlidingAttention)
      config.refuse(kLayerTypes,
                    fmt::format("only {} and {} are supported", kFullAttention, kSlidingAttention));
    kinds.push_back(type == kSlidingAttention ? LayerKind::local : LayerKind::global);
  }
  if (kinds.size() != otherwise.size())
    config.refuse(kLayerTypes, fmt::format("expected one for each of {} layers", otherwise.size()));
  return kinds;
}

void set_layers(std::span<const LayerKind> kinds, int window, StackConfig& shape) {
  const auto count = [&](LayerKind kind) { return std::count(kinds.begin(), kinds.end(), kind); };
  const std::ptrdiff_t local = count(LayerKind::local);
  shape.attention_window = local > 0 ? window : 0;
  const bool alike = local == std::ssize(kinds) || count(LayerKind::global) == std::ssize(kinds);
  shape.attention_layers = alike ? "" : layer_pattern(kinds);
}

void read_layered_rotary(ForeignConfig& config, const LayeredRotaryRules& rules,
                         StackConfig& shape) {
  constexpr NumberRange kBases = between(1, 1e9);
  constexpr const char *kBoth = "rope_parameters", *kGlobal = "full_attention",
                       *kLocal = "sliding_attention", *kScaling = "rope_scaling";
  RotaryOptions global, local;
  global.theta = config.number_or(rules.global_key, rules.global_theta, kBases);
  local.theta = config.number_or(rules.local_key, rules.local_theta, kBases);
  if (config.has(kBoth)) {
    ForeignConfig& both = config.object(kBoth);
    config.require(kScaling, nullptr);
    if (both.has(kGlobal)) global = read_rotary_of(both.object(kGlobal), global);
    if (both.has(kLocal)) local = read_rotary_of(both.object(kLocal), local);
    both.ignore({kGlobal, kLocal});
    if (local.scaling != RotaryScaling::none)
      both.refuse(kLocal, "only the rope_type default is supported there");
  } else if (config.has(kScaling)) {
    global = read_rotary_of(config.object(kScaling), global);
  }
  config.ignore({kBoth, kScaling});
  shape.rotary = global;
  if (shape.attention_window > 0) shape.local_rotary_theta = local.theta;
}

nlohmann::ordered_json layer_types_json(std::span<const LayerKind> kinds) {
  nlohmann::ordered_json types = nlohmann::ordered_json::array();
  for (const LayerKind kind : kinds)
    types.push_back(kind == LayerKind::local ? kSlidingAttention : kFullAttention);
  return types;
}

}  // namespace attend
