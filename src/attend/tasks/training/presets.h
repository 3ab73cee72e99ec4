// Sizes of models, each with a vocabulary and with settings of training that suit it: `--preset`.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "attend/core/options/option_fields.h"
#include "attend/tasks/training/initial_model.h"

namespace attend {

// base and big: those of Vaswani et al. (2017), table 3.
enum class Preset { tiny, small, base, big };
inline std::span<const std::string_view> enum_names(Preset) {
  static constexpr std::array<std::string_view, 4> names{"tiny", "small", "base", "big"};
  return names;
}

// What `attend train` makes unless it is told otherwise: a model that is there in minutes, not in
// days as those of the paper.
inline constexpr Preset kUsualPreset = Preset::tiny;

// Sets what a preset settles of the options of a task, except for those that are set otherwise. All
// presets settle the same options, so that one replaces another. `task`: Trainable::name().
void apply_preset(Preset preset, std::string_view task, std::span<const OptionGroup> groups,
                  const IsSet& is_set);

}  // namespace attend
