// A model in memory, once, and the views of it: models with an adapter or with changes of the
// attention, which share its weights, and engines that answer.
//
// The public classes, those of Python, the server and the explorer hold one of these.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/threads/entered_runtime.h"
#include "attend/tasks/explanation/attention_change.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/model_file/saved_model.h"

namespace attend {

// Const members may be called from any number of threads at once.
class LoadedModel : public std::enable_shared_from_this<LoadedModel> {
 public:
  // Reads and checks a model file, or that of a run folder. The model computes on `runtime`, or on
  // the default one if that is null. Throws like load_model().
  static std::shared_ptr<const LoadedModel> load(const std::filesystem::path& path,
                                                 std::shared_ptr<Runtime> runtime = nullptr);

  const std::shared_ptr<const SavedModel>& model() const { return model_; }
  const std::shared_ptr<Runtime>& runtime() const { return runtime_; }
  // What use(model) returns, which computes on the model's runtime.
  template <class Use>
  auto call(const Use& use) const {
    const EnteredRuntime entered(runtime_);
    return use(*model_);
  }

  // The model with an adapter: a file or a run folder. It computes, bit for bit, what the model of
  // merge_adapter() does. Only matrices that the adapter changes, and the parameters that it was
  // trained with, have memory of their own; of queries, keys and values, which are one matrix, all
  // or none. Throws DataError if the adapter is none, or one of another model; IoError.
  std::shared_ptr<const LoadedModel> with_adapter(const std::filesystem::path& path) const;
  std::shared_ptr<const LoadedModel> with_adapter(Checkpoint adapter) const;

  // The model with changes of its attention. The matrices that they change have memory of their
  // own, as above. Throws ConfigError like changed_attention(), remove_positions() and
  // SavedModel::see_later_tokens(), and IoError if the file was written to since it was loaded.
  std::shared_ptr<const SavedModel> with_attention(const AttentionChanges& changes) const;
  // Frees what the two calls above have read of the file; the next one reads it again.
  void drop_content() const;

 private:
  LoadedModel(std::shared_ptr<const SavedModel> model, std::shared_ptr<Runtime> runtime)
      : model_(std::move(model)), runtime_(std::move(runtime)) {}
  static Checkpoint whole(const Checkpoint& opened);
  // What the model was made of: matrices as they were before they were packed. It stays in memory.
  std::shared_ptr<const Checkpoint> content() const;
  Checkpoint read_content() const;
  const std::string& checksum() const;
  // The model of `changed`, in which all but the tensors named are those of this one.
  std::unique_ptr<SavedModel> sharing(Checkpoint changed, std::set<std::string> own) const;

  std::shared_ptr<const SavedModel> model_;
  std::shared_ptr<Runtime> runtime_;                   // null: the default one
  Checkpoint file_ = {};                               // its own, or that of its adapter
  std::shared_ptr<const LoadedModel> base_ = nullptr;  // of an adapter
  mutable std::recursive_mutex mutex_;
  mutable std::shared_ptr<const Checkpoint> content_;  // null until it is asked for
  mutable std::string checksum_;  // checksum_of() it; empty until it is asked for
};

// An engine that answers for a model, and the runtime that its calls use.
template <class Engine>
struct ModelView {
  Engine engine;
  std::shared_ptr<Runtime> runtime;  // null: the default one

  // Throws DataError for a model of another task.
  explicit ModelView(const LoadedModel& loaded) : ModelView(*loaded.model(), loaded.runtime()) {}
  ModelView(const SavedModel& model, std::shared_ptr<Runtime> own_runtime)
      : ModelView(engine_of(model), std::move(own_runtime)) {}
  ModelView(Engine own_engine, std::shared_ptr<Runtime> own_runtime)
      : engine(std::move(own_engine)), runtime(std::move(own_runtime)) {}

 private:
  static Engine engine_of(const SavedModel& model) {
    if constexpr (std::is_constructible_v<Engine, const SavedModel&>) {
      return Engine(model);
    } else {
      using Model = std::remove_cvref_t<decltype(std::declval<const Engine&>().model())>;
      return Engine(model_as<Model>(model));
    }
  }
};

// The model of a file, or of a run folder, with changes of its attention, if there are any. Throws
// like load_model(), and ConfigError like attention_changes() and changed_attention().
std::shared_ptr<const SavedModel> load_model(const std::filesystem::path& path,
                                             const AttentionChangeOptions& changes);

}  // namespace attend
