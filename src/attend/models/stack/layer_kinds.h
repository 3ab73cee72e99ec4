// The kinds of layers of a stack, by what their self-attention sees and by their feed-forward
// networks.
//
// A pattern of kinds is repeated over the layers: "local:5,global" are five local layers and a
// global one, again and again.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attend {

enum class LayerKind {
  global,    // sees all tokens that its stack allows
  local,     // sees those within a window
  unrotated  // global, without rotary positions (NoPE, Kazemnejad et al. 2023)
};

enum class FeedForwardKind { dense, experts };

// The kinds of `layers` layers. Of an empty pattern all are `otherwise`. Throws ConfigError for
// what is no pattern.
std::vector<LayerKind> layer_kinds(std::string_view pattern, int layers, LayerKind otherwise);
std::vector<FeedForwardKind> feed_forward_kinds(std::string_view pattern, int layers,
                                                FeedForwardKind otherwise);

// The shortest pattern for these layers.
std::string layer_pattern(std::span<const LayerKind> kinds);
std::string layer_pattern(std::span<const FeedForwardKind> kinds);

}  // namespace attend
