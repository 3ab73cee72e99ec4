#include "attend/models/stack/stack_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "attend/core/options/option_error.h"
#include "attend/error.h"

namespace attend {

bool StackConfig::has_layers(LayerKind kind) const {
  const std::vector<LayerKind> kinds = kinds_of_layers(static_cast<int>(kLayerCounts.most));
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

void validate_stack(const StackConfig& c) {
  if (c.d_model % c.n_heads != 0 && (c.d_key == 0 || c.d_value == 0))
    throw OptionError<ConfigError>(
        "{}: {} does not divide {} {}; choose a divisor, or set {} and {}", as_key("n-heads"),
        c.n_heads, as_key("d-model"), c.d_model, as_key("d-key"), as_key("d-value"));
  const auto has = [&](LayerKind kind) { return c.has_layers(kind); };
  const bool rotary = c.positions == PositionKind::rotary;
  if (has(LayerKind::local) != (c.attention_window > 0))
    throw OptionError<ConfigError>("{}: {} layers need {}, and only they have one",
                                   as_key("attention-layers"), "local", as_key("attention-window"));
  if (has(LayerKind::unrotated) && !rotary)
    throw OptionError<ConfigError>("{}: unrotated layers need rotary {}",
                                   as_key("attention-layers"), as_key("positions"));
  if (c.local_rotary_theta > 0 && (!rotary || !has(LayerKind::local)))
    throw OptionError<ConfigError>("{} needs rotary {} and local layers, which {} makes",
                                   as_key("local-rotary-theta"), as_key("positions"),
                                   as_key("attention-window"));
  if (c.sublayers != Sublayers::sequential && !c.norm_first)
    throw OptionError<ConfigError>("{}: parallel ones need {}", as_key("sublayers"),
                                   as_key("norm-first"));
  if (!c.norm_input && !c.norm_first)
    throw OptionError<ConfigError>("{}: only {} normalizes before the first sublayer",
                                   as_key("norm-input"), as_key("norm-first"));
  if (!c.norm_input && c.layer_groups > 0)
    throw OptionError<ConfigError>("{}: layers of {} are alike", as_key("norm-input"),
                                   as_key("layer-groups"));
  const std::vector<FeedForwardKind> networks =
      c.kinds_of_networks(static_cast<int>(kLayerCounts.most));
  const bool has_experts =
      std::find(networks.begin(), networks.end(), FeedForwardKind::experts) != networks.end();
  if (has_experts != (c.experts > 0))
    throw OptionError<ConfigError>("{}: some layers need {}, and only they have some",
                                   as_key("expert-layers"), as_key("experts"));
  if (!c.expert_layers.empty() && c.layer_groups > 0)
    throw OptionError<ConfigError>("{}: layers of {} are alike", as_key("expert-layers"),
                                   as_key("layer-groups"));
  if (c.experts > 0 && c.experts_per_token > c.experts)
    throw OptionError<ConfigError>("{}: {} of {} {}", as_key("experts-per-token"),
                                   c.experts_per_token, c.experts, as_key("experts"));
  const bool are_biases =
      c.positions == PositionKind::relative || c.positions == PositionKind::alibi;
  if (are_biases && c.distance_biases != DistanceBiases::standard)
    throw OptionError<ConfigError>("{}: {} {} has biases already", as_key("distance-biases"),
                                   as_key("positions"),
                                   enum_names(c.positions)[static_cast<std::size_t>(c.positions)]);
}

}  // namespace attend
