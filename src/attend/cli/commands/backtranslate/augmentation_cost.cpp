// The cost of `attend backtranslate`, by a few steps of each of its parts.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/backtranslate/augmentation_run.h"
#include "attend/cli/commands/parts/translating.h"
#include "attend/cli/commands/train/task_run.h"
#include "attend/interchange/any_model.h"

namespace attend {

PartCost AugmentationRun::translation_cost(const AugmentationPart& part, const Teachers& translator,
                                           TeacherState state) const {
  PartCost cost = targets_cost(ensemble_of(translator), state, source_of(part, ""),
                               arguments_.options.search.targets());
  cost.name = name_of(part);
  cost.disk_bytes *= 2;  // all of it, and what the filters leave
  return cost;
}

PartCosts AugmentationRun::cost() {
  const RuntimeScope runtime = enter_runtime(arguments_.session.run.threads);
  struct KnownCost {
    PartCost cost;
    Teachers model;
  };
  // Parts with the same direction and the same kind of text take the same.
  std::map<std::pair<TranslationDirection, bool>, KnownCost> known;
  std::vector<std::pair<Teachers, TeacherState>> models(plan_.size());
  PartCosts costs;
  for (std::size_t i = 0; i < plan_.size(); ++i) {
    const AugmentationPart& part = plan_[i];
    const auto from = static_cast<std::size_t>(part.from);
    if (part.step == AugmentationStep::given_model) {
      models[i] = {{std::make_shared<const Checkpoint>(load_any_model(part.folder))},
                   TeacherState::trained};
    } else if (part.step == AugmentationStep::translation) {
      costs.push_back(translation_cost(part, models[from].first, models[from].second));
    } else {
      const bool learns_more = part.from >= 0;
      auto found = known.find({part.direction, learns_more});
      if (found == known.end()) {
        // A text stands for its translation, which is about as long.
        const std::vector<std::string> mono =
            learns_more ? mono_of(plan_[from].direction) : std::vector<std::string>{};
        Training training = training_of(part, {mono, mono});
        RunVariant& variant = training.variant;
        TrainingTask task =
            prepare_task(*variant.task, variant.session, variant.is_set, Teachers{});
        const Teachers model{std::make_shared<const Checkpoint>(untrained_model(task))};
        PartCost cost = training_cost("", task, variant.task->trainer());
        found = known.emplace(std::pair(part.direction, learns_more), KnownCost{cost, model}).first;
      }
      costs.push_back(found->second.cost);
      costs.back().name = name_of(part);
      models[i] = {found->second.model, TeacherState::untrained};
    }
  }
  return costs;
}

}  // namespace attend
