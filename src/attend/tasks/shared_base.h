// A model in memory, and what adapters or changes of its attention make of it: models that share
// its weights.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>

#include "attend/checkpoint/checkpoint.h"
#include "attend/tasks/attention_change.h"
#include "attend/tasks/saved_model.h"

namespace attend {

class SharedBase {
 public:
  // Reads and checks a model file, or that of a run folder. Throws like load_model().
  static SharedBase load(const std::filesystem::path& path);

  const std::shared_ptr<const SavedModel>& model() const { return model_; }

  // The model with an adapter: a file or a run folder. It computes, bit for bit, what the model of
  // merge_adapter() does. Only matrices that the adapter changes, and the parameters that it was
  // trained with, have memory of their own; of queries, keys and values, which are one matrix, all
  // or none. Throws DataError if the adapter is none, or one of another model; IoError.
  std::unique_ptr<SavedModel> with_adapter(const std::filesystem::path& path) const;
  std::unique_ptr<SavedModel> with_adapter(const Checkpoint& adapter) const;

  // The model with changes of its attention. The matrices that they change have memory of their
  // own, as above. Throws ConfigError like changed_attention().
  std::unique_ptr<SavedModel> with_attention(std::span<const AttentionChange> changes) const;

 private:
  // The model of `changed`, in which all but the tensors named are those of the base.
  std::unique_ptr<SavedModel> sharing(Checkpoint changed, std::set<std::string> own) const;
  SharedBase(Checkpoint file, std::shared_ptr<const SavedModel> model);

  Checkpoint file_;  // to read matrices from, as they were before they were packed
  std::shared_ptr<const SavedModel> model_;
  std::string checksum_;  // checksum_of() it
};

// The model of a file, or of a run folder, with changes of its attention, if there are any. Throws
// like load_model(), and ConfigError like attention_changes() and changed_attention().
std::unique_ptr<SavedModel> load_model(const std::filesystem::path& path,
                                       const AttentionChangeOptions& changes);

}  // namespace attend
