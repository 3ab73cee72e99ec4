#include "attend/tasks/loaded_model.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "attend/tasks/model_file/adapter.h"
#include "attend/tasks/model_file/registry.h"

namespace attend {

std::shared_ptr<const LoadedModel> LoadedModel::load(const std::filesystem::path& path,
                                                     std::shared_ptr<Runtime> runtime) {
  const EnteredRuntime entered(runtime);
  return read_checkpoint(path, [&](const Checkpoint& checkpoint) {
    const std::shared_ptr<LoadedModel> loaded(
        new LoadedModel(load_model(checkpoint), std::move(runtime)));
    loaded->file_ = checkpoint;
    return std::shared_ptr<const LoadedModel>(loaded);
  });
}

// A file whose tensors are not in memory, as it was when it was opened.
Checkpoint LoadedModel::whole(const Checkpoint& opened) {
  if (!opened.file) return opened;
  opened.file->file().require_in_place();
  opened.file->file().require_unchanged();
  return load_checkpoint(opened.source);
}

// Matrices are changed row by row.
Checkpoint LoadedModel::read_content() const {
  if (base_) return adapted_model(*base_->content(), base_->checksum(), whole(file_)).checkpoint;
  return file_.layout.empty() ? file_ : whole(file_);
}

std::shared_ptr<const Checkpoint> LoadedModel::content() const {
  const std::lock_guard lock(mutex_);
  if (!content_) content_ = std::make_shared<const Checkpoint>(read_content());
  if (content_->file) content_->file->file().require_unchanged();
  return content_;
}

void LoadedModel::drop_content() const {
  const std::lock_guard lock(mutex_);
  content_ = nullptr;
  if (base_) base_->drop_content();
}

const std::string& LoadedModel::checksum() const {
  const std::lock_guard lock(mutex_);
  if (checksum_.empty()) checksum_ = checksum_of(*content());
  return checksum_;
}

std::shared_ptr<const LoadedModel> LoadedModel::with_adapter(
    const std::filesystem::path& path) const {
  return with_adapter(open_checkpoint(path));
}

std::shared_ptr<const LoadedModel> LoadedModel::with_adapter(Checkpoint adapter) const {
  const EnteredRuntime entered(runtime_);
  AdaptedModel adapted = adapted_model(*content(), checksum(), whole(adapter));
  const std::shared_ptr<LoadedModel> loaded(new LoadedModel(
      sharing(std::move(adapted.checkpoint), std::move(adapted.changed)), runtime_));
  loaded->file_ = std::move(adapter);
  loaded->base_ = shared_from_this();
  return loaded;
}

std::shared_ptr<const SavedModel> LoadedModel::with_attention(
    const AttentionChanges& changes) const {
  const EnteredRuntime entered(runtime_);
  const std::shared_ptr<const Checkpoint> before_changes = content();
  Checkpoint changed = *before_changes;
  std::set<std::string> own;
  for (NamedTensor& tensor : changed_attention(*before_changes, *model_, changes.heads)) {
    const auto place =
        std::find_if(changed.tensors.begin(), changed.tensors.end(),
                     [&](const NamedTensor& before) { return before.name == tensor.name; });
    own.insert(tensor.name);
    *place = std::move(tensor);
  }
  if (changes.positions_off) remove_positions(changed, *model_);
  std::unique_ptr<SavedModel> model = sharing(std::move(changed), std::move(own));
  if (changes.mask_off) model->see_later_tokens();
  return model;
}

std::unique_ptr<SavedModel> LoadedModel::sharing(Checkpoint changed,
                                                 std::set<std::string> own) const {
  changed.shared = {
      std::shared_ptr<const ParameterSet>(model_, &model_->parameters()),  // as long as the model
      std::move(own)};
  return load_model(changed);
}

std::shared_ptr<const SavedModel> load_model(const std::filesystem::path& path,
                                             const AttentionChangeOptions& changes) {
  const AttentionChanges wanted = attention_changes(changes);
  const std::shared_ptr<const LoadedModel> loaded = LoadedModel::load(path);
  return wanted.empty() ? loaded->model() : loaded->with_attention(wanted);
}

}  // namespace attend
