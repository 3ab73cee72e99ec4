#include "attend/cli/commands/backtranslate/augmentation_plan.h"

#include <fmt/format.h>

#include "attend/error.h"

namespace attend {

namespace {

void check_texts(const AugmentationTexts& o) {
  const bool both = !o.tgt_mono.empty() && !o.src_mono.empty();
  if (o.tgt_mono.empty() && o.src_mono.empty())
    throw ConfigError("--tgt-mono: expected the text to translate, or --src-mono, got none");
  if (both && o.rounds < 2)
    throw ConfigError(
        "--rounds: expected 2 or more with --src-mono beside --tgt-mono, as the first round has no "
        "translator of --src-mono; got 1");
  if (!o.tgt_mono.empty() && !both && o.rounds > 1)
    throw ConfigError(fmt::format(
        "--rounds: expected 1 without --src-mono, from which the reverse model would learn; got {}",
        o.rounds));
  if (!o.forward.empty() && !o.tgt_mono.empty())
    throw ConfigError("--forward: works only without --tgt-mono, which --reverse translates");
  if (!o.reverse.empty() && o.tgt_mono.empty())
    throw ConfigError("--reverse: works only with --tgt-mono, the text to translate");
  const bool trains_reverse = !o.tgt_mono.empty() && (o.reverse.empty() || o.rounds > 1);
  if (!o.reverse_options.empty() && !trains_reverse)
    throw ConfigError("--reverse-options: works only where a reverse model is trained");
}

// Adds parts and returns their numbers.
class Plan {
 public:
  std::vector<AugmentationPart> parts;

  int model(TranslationDirection direction, const std::string& given) {
    const bool is_given = !given.empty();
    return add({is_given ? AugmentationStep::given_model : AugmentationStep::training, direction,
                is_given                                     ? given
                : direction == TranslationDirection::forward ? "forward"
                                                             : "reverse",
                -1, 0});
  }
  // The model learns from what another one has written.
  int model(TranslationDirection direction, int translation, const std::string& folder, int round) {
    return add({AugmentationStep::training, direction, folder, translation, round});
  }
  int translation(TranslationDirection of_model, int model, int round) {
    const char* text = of_model == TranslationDirection::forward ? "src-mono" : "tgt-mono";
    return add({AugmentationStep::translation, of_model, fmt::format("round-{}/{}", round, text),
                model, round});
  }

 private:
  int add(AugmentationPart part) {
    parts.push_back(std::move(part));
    return static_cast<int>(parts.size()) - 1;
  }
};

}  // namespace

std::vector<AugmentationPart> augmentation_plan(const AugmentationTexts& texts) {
  check_texts(texts);
  Plan plan;
  const bool self_training = texts.tgt_mono.empty();
  int forward = self_training ? plan.model(TranslationDirection::forward, texts.forward) : -1;
  int reverse = self_training ? -1 : plan.model(TranslationDirection::reverse, texts.reverse);
  for (int round = 1; round <= texts.rounds; ++round) {
    int translated = -1;
    if (forward >= 0) translated = plan.translation(TranslationDirection::forward, forward, round);
    if (!self_training) {
      if (translated >= 0)
        reverse = plan.model(TranslationDirection::reverse, translated,
                             fmt::format("round-{}/reverse", round), round);
      translated = plan.translation(TranslationDirection::reverse, reverse, round);
    }
    const bool is_last = round == texts.rounds;
    forward = plan.model(TranslationDirection::forward, translated,
                         is_last ? "" : fmt::format("round-{}/forward", round), round);
  }
  return plan.parts;
}

}  // namespace attend
