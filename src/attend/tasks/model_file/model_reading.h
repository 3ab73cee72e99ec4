// Reads and checks parts of a model file, for the load functions of all tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/checkpoint/options_json.h"
#include "attend/checkpoint/parameters.h"
#include "attend/core/options/option_error.h"
#include "attend/error.h"
#include "attend/tasks/model_file/saved_model.h"
#include "attend/text/text_kind.h"
#include "attend/text/tokenizer.h"

namespace attend {

// "model.safetensors: expected a model for translation, found one for classification".
DataError wrong_task(std::string_view source, std::string_view expected, std::string_view found);

// The model as one of its kind. Throws DataError for another kind.
template <class Model>
const Model& model_as(const SavedModel& model) {
  const auto* const own = dynamic_cast<const Model*>(&model);
  if (own == nullptr) throw wrong_task(model.source, Model::kTask, model.task());
  return *own;
}

// Throws DataError unless the file is a model for `task`.
void require_task(const Checkpoint& checkpoint, std::string_view task);
// The DataError of require_task() for a file that is none. `tasks`: "embedding or classification".
[[noreturn]] void refuse_task(const Checkpoint& checkpoint, std::string_view tasks);
// Whether a file is for the task of Model. Throws DataError if it names none.
template <class Model>
bool is_for(const Checkpoint& checkpoint) {
  return checkpoint.text("attend.task") == Model::kTask;
}

// The tokenizer in the tensor `name`. Throws DataError if it is missing or damaged, or
// has no eos.
Tokenizer read_tokenizer(const Checkpoint& checkpoint, std::string_view name = "tokenizer");
// The same with Tokenizer::for_decoding().
Tokenizer read_decoding_tokenizer(const Checkpoint& checkpoint, std::string_view name);

// The options under the metadata key `key`. Throws DataError if they are missing, misspelled or out
// of range.
template <class Options>
Options read_options(const Checkpoint& checkpoint, const std::string& key) {
  Options options;
  options_from_json(checkpoint.text(key), options, checkpoint.source + ": " + key);
  return options;
}

// The same for a key that older files lack; they mean the defaults.
template <class Options>
Options read_options_if_any(const Checkpoint& checkpoint, const std::string& key) {
  return checkpoint.metadata.contains(key) ? read_options<Options>(checkpoint, key) : Options{};
}

// Throws DataError if the file has fewer tensors than layers: the number of layers is wrong, and
// would only cost memory.
void require_layers(const Checkpoint& checkpoint, std::int64_t layers);

// The result of `make`. Its errors become a DataError that names attend.config: an invalid
// configuration, or one too large for memory.
template <class Make>
auto from_configuration(const Checkpoint& checkpoint, const Make& make) {
  try {
    return make();
  } catch (const DataError&) {
    throw;
  } catch (const Error& error) {
    throw OptionError<DataError>("{}: attend.config: {}", checkpoint.source, message_of(error));
  }
}

// The network that `make` creates for inference, with the parameters in the file. Throws DataError.
template <class Make>
auto read_network(const Checkpoint& checkpoint, std::int64_t layers, const Make& make) {
  require_layers(checkpoint, layers);
  return from_configuration(checkpoint, [&] {
    auto network = make();
    load_parameters(checkpoint, network->parameters());
    return network;
  });
}

// How a model reads special tokens in a text: "attend.special_tokens" is "read" if as tokens, as
// imported encoders do. Throws DataError for another value.
SpecialText read_special_text(const Checkpoint& checkpoint);
void write_special_text(SpecialText special, Metadata& metadata);

// SavedModel::text_kinds. Throws DataError for invalid ones.
inline constexpr std::string_view kTextKindKey = "attend.text_kind.";
std::map<std::string, TextKind> read_text_kinds(const Checkpoint& checkpoint);

// The names of the labels of a model, "attend.labels": a JSON array in the order of the logits.
// Throws DataError unless there are at least `least` different names that a line of a text file can
// have.
std::vector<std::string> read_label_names(const Checkpoint& checkpoint, std::size_t least);

bool is_in_vocabulary(const std::vector<std::int32_t>& ids, const Tokenizer& tokenizer);

}  // namespace attend
