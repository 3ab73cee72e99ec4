#include "attend/interchange/families/layer_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

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

nlohmann::ordered_json layer_types_json(std::span<const LayerKind> kinds) {
  nlohmann::ordered_json types = nlohmann::ordered_json::array();
  for (const LayerKind kind : kinds)
    types.push_back(kind == LayerKind::local ? kSlidingAttention : kFullAttention);
  return types;
}

}  // namespace attend
