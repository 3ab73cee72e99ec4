// A trained model in one file: network, parameters, tokenizers and configuration.
//
// Each task has one kind of saved model: translation/model.h, classification/model.h,
// language/model.h, embedding/model.h. Code for every kind (loading, checking, quantizing,
// embedding) uses the functions of this class; registry.h lists the kinds. In a file, a Checkpoint:
//
//   metadata   attend.task    task()
//              attend.*       configuration(), entry by entry
//              attend.golden  golden samples (golden.h), in finished models
//              attend.text_kind.SIDE  text_kinds, each as JSON; not in older files
//   tensors    the parameters by module path, tokenizers() (u8), other_tensors()
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/random/random.h"
#include "attend/models/stack/stack_config.h"
#include "attend/nn/parameters/parameters.h"
#include "attend/tasks/text_encoder.h"
#include "attend/text/text_kind.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct NamedTokenizer {
  std::string name;  // of its tensor
  Tokenizer tokenizer;
};

// The form of golden samples (golden.h): an input has one id sequence per side, for example "src"
// and "tgt".
struct GoldenFormat {
  struct Side {
    const char* name;
    const Tokenizer* tokenizer;  // lives as long as the model
  };
  std::vector<Side> sides;
  const char* output;   // the name of what the model answers: its log-probabilities
  const char* samples;  // the kind of samples, for messages: "translations"
};
using GoldenInput = std::vector<std::vector<std::int32_t>>;  // the ids of each side

class SavedModel {
 public:
  virtual ~SavedModel() = default;

  virtual std::string_view task() const = 0;
  virtual ParameterSet& parameters() const = 0;
  // A shared vocabulary appears once.
  virtual std::vector<NamedTokenizer> tokenizers() const = 0;
  // Metadata besides the task, most of it options as JSON.
  virtual Metadata configuration() const = 0;
  virtual std::vector<NamedTensor> other_tensors() const { return {}; }

  // Tokens that the network has positions for, special tokens included; 0: unlimited.
  virtual std::int64_t longest_input() const = 0;
  virtual TextEncoder text_encoder() const = 0;
  // The configuration of its Transformer; none for a recurrent network.
  virtual std::optional<StackConfig> stack() const = 0;

  // Lets the tokens of a decoder see later ones of a whole text, for lessons; it then writes no
  // text. Throws ConfigError for models without self-attention in a decoder.
  virtual void see_later_tokens();

  virtual GoldenFormat golden_format() const = 0;
  // A valid input of random ids.
  virtual GoldenInput random_input(Random& random) const = 0;
  // What the model answers to each input, equally many numbers for all: log-probabilities, or a
  // vector. Ids are in the vocabularies, no side is empty. Throws DataError for an invalid input,
  // NotFiniteError if a number is not finite.
  virtual std::vector<std::vector<float>> golden_outputs(
      const std::vector<GoldenInput>& inputs) const = 0;

  // Writes everything except parameters and golden samples.
  void describe(Checkpoint& checkpoint) const;

  std::string source = {};  // the file it was read from, for messages
  // The kinds of training text, by side: "src" and "tgt", or "text" if there is one. Empty for
  // older files.
  TextKinds text_kinds = {};

 protected:
  SavedModel() = default;
  SavedModel(const SavedModel&) = default;
  SavedModel& operator=(const SavedModel&) = default;
};

namespace detail {

template <class Case, class Result, class Model>
const Model* argument_of(Result (Case::*)(const Model&) const);

}  // namespace detail

// Dispatches on the kind of model: calls the first of `cases`, functions of one kind of model each,
// that accepts this one. The last accepts every model.
//
//   visit_model(model, [](const TranslationModel& m) { ... },
//               [](const SavedModel& m) { throw ... });
template <class Case, class... Rest>
auto visit_model(const SavedModel& model, const Case& one, const Rest&... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return one(model);
  } else {
    using Model = decltype(detail::argument_of(&Case::operator()));
    if (const auto found = dynamic_cast<Model>(&model)) return one(*found);
    return visit_model(model, rest...);
  }
}

}  // namespace attend
