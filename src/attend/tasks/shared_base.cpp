#include "attend/tasks/shared_base.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "attend/tasks/adapter.h"
#include "attend/tasks/registry.h"

namespace attend {

SharedBase::SharedBase(Checkpoint file, std::shared_ptr<const SavedModel> model)
    : file_(std::move(file)), model_(std::move(model)), checksum_(checksum_of(file_)) {}

SharedBase SharedBase::load(const std::filesystem::path& path) {
  return read_checkpoint(path, [&](const Checkpoint& checkpoint) {
    // Matrices are changed row by row.
    return SharedBase(checkpoint.layout.empty() ? checkpoint : load_checkpoint(path),
                      load_model(checkpoint));
  });
}

std::unique_ptr<SavedModel> SharedBase::with_adapter(const std::filesystem::path& path) const {
  return with_adapter(load_checkpoint(path));
}

std::unique_ptr<SavedModel> SharedBase::with_adapter(const Checkpoint& adapter) const {
  AdaptedModel adapted = adapted_model(file_, checksum_, adapter);
  return sharing(std::move(adapted.checkpoint), std::move(adapted.changed));
}

std::unique_ptr<SavedModel> SharedBase::with_attention(
    std::span<const AttentionChange> changes) const {
  Checkpoint changed = file_;
  std::set<std::string> own;
  for (NamedTensor& tensor : changed_attention(file_, *model_, changes)) {
    const auto place =
        std::find_if(changed.tensors.begin(), changed.tensors.end(),
                     [&](const NamedTensor& before) { return before.name == tensor.name; });
    own.insert(tensor.name);
    *place = std::move(tensor);
  }
  return sharing(std::move(changed), std::move(own));
}

std::unique_ptr<SavedModel> SharedBase::sharing(Checkpoint changed,
                                                std::set<std::string> own) const {
  changed.shared = {
      std::shared_ptr<const ParameterSet>(model_, &model_->parameters()),  // as long as the model
      std::move(own)};
  return load_model(changed);
}

std::unique_ptr<SavedModel> load_model(const std::filesystem::path& path,
                                       const AttentionChangeOptions& changes) {
  const std::vector<AttentionChange> wanted = attention_changes(changes);
  return wanted.empty() ? load_model(path) : SharedBase::load(path).with_attention(wanted);
}

}  // namespace attend
