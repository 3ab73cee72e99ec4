// `attend attention --importance`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/cli/binding/model_path.h"
#include "attend/cli/commands/attention/attention.h"
#include "attend/cli/output.h"
#include "attend/cli/progress_line.h"

namespace attend {

namespace {

constexpr std::size_t kListedHeads = 10;

std::vector<HeadEffect> by_size(std::vector<HeadEffect> effects) {
  std::stable_sort(effects.begin(), effects.end(), [](const HeadEffect& a, const HeadEffect& b) {
    return std::abs(a.change) > std::abs(b.change);
  });
  return effects;
}

}  // namespace

std::vector<HeadEffect> head_effects(const AttentionArguments& arguments, const GoldenInput& input,
                                     std::size_t output) {
  if (!arguments.importance) return {};
  const std::shared_ptr<const LoadedModel> base = LoadedModel::load(model_path(arguments.model));
  const SavedModel& model = *base->model();
  std::int64_t heads = 0;
  for (const std::string& module : attention_modules(model))
    heads += attention_heads(model, module);
  ProgressLine progress = ProgressLine::counting("heads", heads);
  return head_effects(*base, input, output, [&] { progress.add(1); });
}

void print(const std::vector<HeadEffect>& effects) {
  if (effects.empty()) return;
  answer("\nchange of the log-probability without a head: below 0, the head helps\n");
  std::vector<HeadEffect> listed = by_size(effects);
  listed.resize(std::min(listed.size(), kListedHeads));
  for (const HeadEffect& effect : listed)
    answer("  {:+.4f}  {}:{}\n", effect.change, effect.module, effect.head);
  if (listed.size() < effects.size())
    answer("  and {} heads that change it less\n", effects.size() - listed.size());
  answer("\n");
}

nlohmann::ordered_json to_json(const std::vector<HeadEffect>& effects) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const HeadEffect& effect : effects)
    list.push_back({{"module", effect.module}, {"head", effect.head}, {"change", effect.change}});
  return list;
}

}  // namespace attend
