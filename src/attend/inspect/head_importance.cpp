#include "attend/inspect/head_importance.h"

#include <memory>
#include <utility>

namespace attend {

HeadTrials::HeadTrials(const LoadedModel& base, GoldenInput input, std::size_t output,
                       AttentionChanges changes)
    : base_(base),
      input_(std::move(input)),
      output_(output),
      changes_(std::move(changes)),
      whole_(changes_.empty() ? answer(*base.model()) : answer(*base.with_attention(changes_))) {
  attention_heads(*base.model(), "");  // throws without heads
  for (const std::string& module : attention_modules(*base.model()))
    for (int head = 0; head < attention_heads(*base.model(), module); ++head)
      heads_.emplace_back(module, head);
}

float HeadTrials::answer(const SavedModel& model) const {
  return model.golden_outputs({input_}).front().at(output_);
}

HeadEffect HeadTrials::effect(std::size_t number) const {
  HeadEffect effect{heads_.at(number).first, heads_.at(number).second, 0.0f};
  AttentionChanges without = changes_;
  without.heads.push_back({.modules = effect.module, .head = effect.head, .off = true});
  effect.change = answer(*base_.with_attention(without)) - whole_;
  return effect;
}

std::vector<HeadEffect> head_effects(const LoadedModel& base, const GoldenInput& input,
                                     std::size_t output, const std::function<void()>& done) {
  const HeadTrials trials(base, input, output);
  std::vector<HeadEffect> effects;
  for (std::size_t number = 0; number < trials.size(); ++number) {
    effects.push_back(trials.effect(number));
    if (done) done();
  }
  return effects;
}

}  // namespace attend
