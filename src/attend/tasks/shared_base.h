// A model in memory, and what adapters make of it: models that share its weights.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "attend/checkpoint/checkpoint.h"
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

 private:
  SharedBase(Checkpoint file, std::shared_ptr<const SavedModel> model);

  Checkpoint file_;  // to read matrices from, as they were before they were packed
  std::shared_ptr<const SavedModel> model_;
  std::string checksum_;  // checksum_of() it
};

}  // namespace attend
