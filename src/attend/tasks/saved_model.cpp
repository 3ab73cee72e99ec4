#include "attend/tasks/saved_model.h"

#include <utility>

namespace attend {

void SavedModel::describe(Checkpoint& checkpoint) const {
  checkpoint.metadata["attend.task"] = task();
  for (auto& [key, value] : configuration()) checkpoint.metadata[key] = value;
  for (const NamedTokenizer& one : tokenizers()) checkpoint.tensors.push_back({one.name, bytes_tensor(one.tokenizer.bytes())});
  for (NamedTensor& tensor : other_tensors()) checkpoint.tensors.push_back(std::move(tensor));
}

}  // namespace attend
