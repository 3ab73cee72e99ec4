#include "attend/inspect/head_importance.h"

#include <array>
#include <memory>

namespace attend {

std::vector<HeadEffect> head_effects(const SharedBase& base, const GoldenInput& input,
                                     std::size_t output, const std::function<void()>& done) {
  const auto answer = [&](const SavedModel& model) {
    return model.golden_outputs({input}).front().at(output);
  };
  const float whole = answer(*base.model());
  const int heads = attention_heads(*base.model());
  std::vector<HeadEffect> effects;
  for (const std::string& module : attention_modules(*base.model())) {
    for (int head = 0; head < heads; ++head) {
      const std::array<AttentionChange, 1> off{{{.modules = module, .head = head, .off = true}}};
      effects.push_back({module, head, answer(*base.with_attention(off)) - whole});
      if (done) done();
    }
  }
  return effects;
}

}  // namespace attend
