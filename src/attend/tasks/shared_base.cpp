#include "attend/tasks/shared_base.h"

#include <utility>

#include "attend/tasks/adapter.h"
#include "attend/tasks/registry.h"

namespace attend {

SharedBase::SharedBase(Checkpoint file, std::shared_ptr<const SavedModel> model)
    : file_(std::move(file)), model_(std::move(model)), checksum_(checksum_of(file_)) {}

SharedBase SharedBase::load(const std::filesystem::path& path) {
  return read_checkpoint(path, [](const Checkpoint& checkpoint) {
    return SharedBase(checkpoint, load_model(checkpoint));
  });
}

std::unique_ptr<SavedModel> SharedBase::with_adapter(const std::filesystem::path& path) const {
  return with_adapter(load_checkpoint(path));
}

std::unique_ptr<SavedModel> SharedBase::with_adapter(const Checkpoint& adapter) const {
  AdaptedModel adapted = adapted_model(file_, checksum_, adapter);
  adapted.checkpoint.shared = {
      std::shared_ptr<const ParameterSet>(model_, &model_->parameters()),  // as long as the model
      std::move(adapted.changed)};
  return load_model(adapted.checkpoint);
}

}  // namespace attend
