#include "attend/cli/commands/backtranslate/augmentation_options.h"

#include <fmt/format.h>

#include "attend/error.h"

namespace attend {

TargetOptions AugmentationSearch::targets() const {
  TargetOptions options;
  options.beam_size = beam_size;
  if (decoding == AugmentationDecoding::sample) {
    options.targets = TargetChoice::sample;
    options.samples = translations;
    options.sampling = sampling;
    return options;
  }
  if (translations > beam_size)
    throw ConfigError(
        fmt::format("--mono-translations: expected at most --mono-beam-size ({}), got {}",
                    beam_size, translations));
  options.n_best = translations;
  if (decoding == AugmentationDecoding::noised) options.noise = noise;
  return options;
}

}  // namespace attend
