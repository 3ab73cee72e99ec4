#include "attend/tasks/model_file/saved_model.h"

#include <utility>

#include "attend/checkpoint/options_json.h"
#include "attend/core/options/option_error.h"
#include "attend/error.h"
#include "attend/tasks/model_file/model_reading.h"

namespace attend {

void SavedModel::describe(Checkpoint& checkpoint) const {
  checkpoint.metadata["attend.task"] = task();
  for (auto& [key, value] : configuration()) checkpoint.metadata[key] = value;
  for (const auto& [side, kind] : text_kinds)
    checkpoint.metadata[std::string(kTextKindKey) + side] = options_to_json(kind);
  for (const NamedTokenizer& one : tokenizers())
    checkpoint.tensors.push_back({one.name, bytes_tensor(one.tokenizer.bytes())});
  for (NamedTensor& tensor : other_tensors()) checkpoint.tensors.push_back(std::move(tensor));
}

void SavedModel::see_later_tokens() {
  throw OptionError<ConfigError>("{}: {}: expected a model with a decoder, found one for {}",
                                 as_key("mask-off"), source, task());
}

}  // namespace attend
