#include "attend/tasks/model_file/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "attend/error.h"
#include "attend/tasks/classification/model.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/model_file/adapter.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/quality/model.h"
#include "attend/tasks/tagging/model.h"
#include "attend/tasks/translation/model.h"

namespace attend {

namespace {

struct Task {
  std::string_view name;  // "attend.task" in its model files
  std::unique_ptr<SavedModel> (*load)(const Checkpoint&);
};

template <class Model, Model (*read)(const Checkpoint&)>
constexpr Task task() {
  return {Model::kTask, [](const Checkpoint& checkpoint) -> std::unique_ptr<SavedModel> {
            return std::make_unique<Model>(read(checkpoint));
          }};
}

constexpr std::array kTasks{
    task<TranslationModel, translation_model>(),       task<LanguageModel, language_model>(),
    task<ClassificationModel, classification_model>(), task<TaggingModel, tagging_model>(),
    task<EmbeddingModel, embedding_model>(),           task<QualityModel, quality_model>(),
};

const Task* find_task(std::string_view name) {
  const auto found = std::find_if(kTasks.begin(), kTasks.end(),
                                  [&](const Task& task) { return task.name == name; });
  return found == kTasks.end() ? nullptr : &*found;
}

}  // namespace

namespace {

// A model that only decodes with a tokenizer has not yet checked the rest of it.
void prepare_tokenizers(const SavedModel& model, std::string_view source) {
  for (const NamedTokenizer& named : model.tokenizers()) {
    try {
      named.tokenizer.prepare();
    } catch (const DataError& error) {
      throw DataError(fmt::format("{}: {}", source, error.what()));
    }
  }
}

}  // namespace

std::unique_ptr<SavedModel> load_model(const Checkpoint& checkpoint) {
  const std::string& name = checkpoint.text("attend.task");
  if (const Task* task = find_task(name)) return task->load(checkpoint);
  std::vector<std::string_view> names;
  for (const Task& task : kTasks) names.push_back(task.name);
  throw wrong_task(checkpoint.source, fmt::format("{}", fmt::join(names, " or ")), name);
}

std::unique_ptr<SavedModel> load_model(const std::filesystem::path& path) {
  return read_checkpoint(path, [](const Checkpoint& checkpoint) { return load_model(checkpoint); });
}

bool is_known_task(const Checkpoint& checkpoint) {
  const auto task = checkpoint.metadata.find("attend.task");
  return task != checkpoint.metadata.end() && find_task(task->second) != nullptr;
}

std::optional<ModelCheck> check_model(const Checkpoint& checkpoint) {
  const Task* const task = find_task(checkpoint.text("attend.task"));
  if (task == nullptr || is_adapter(checkpoint) || !checkpoint.metadata.contains(kGoldenKey))
    return std::nullopt;
  const std::unique_ptr<SavedModel> model = task->load(checkpoint);
  checkpoint.require_intact();
  prepare_tokenizers(*model, checkpoint.source);
  return check_golden_samples(*model, golden_samples(checkpoint, *model));
}

}  // namespace attend
