// A trained model as users keep it: a network with its parameters, its tokenizers and its
// configuration, in one file.
//
// Each task has one kind of saved model: translation/model.h, classification/model.h,
// language/model.h. What works for every kind (loading, checking, quantizing, embedding) asks the
// functions of this class; registry.h lists the kinds. In a file, a Checkpoint:
//
//   metadata   attend.task    task()
//              attend.*       configuration(), entry by entry
//              attend.golden  golden samples (golden.h), in finished models
//              attend.text_kind.SIDE  text_kinds, each as JSON; not in older files
//   tensors    the parameters under their module paths, tokenizers() (u8), other_tensors()
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/random.h"
#include "attend/nn/parameters.h"
#include "attend/tasks/text_encoder.h"
#include "attend/text/text_kind.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct NamedTokenizer {
  std::string name;  // of its tensor
  Tokenizer tokenizer;
};

// How the golden samples of a kind of model look (golden.h): an input has a sequence of ids for
// every side, "src" and "tgt" for example.
struct GoldenFormat {
  struct Side {
    const char* name;
    const Tokenizer* tokenizer;  // of its ids; lives as long as the model
  };
  std::vector<Side> sides;
  const char* output;   // the name of the log-probabilities
  const char* samples;  // what they are, for people: "translations"
};
using GoldenInput = std::vector<std::vector<std::int32_t>>;  // the ids of each side

class SavedModel {
 public:
  virtual ~SavedModel() = default;

  virtual std::string_view task() const = 0;
  virtual ParameterSet& parameters() const = 0;
  // One where two sides share a vocabulary.
  virtual std::vector<NamedTokenizer> tokenizers() const = 0;
  // Metadata besides the task, most of them options as JSON.
  virtual Metadata configuration() const = 0;
  virtual std::vector<NamedTensor> other_tensors() const { return {}; }

  // Tokens of an input that the network has positions for, special tokens included; 0: any number.
  virtual std::int64_t longest_input() const = 0;
  virtual TextEncoder text_encoder() const = 0;

  virtual GoldenFormat golden_format() const = 0;
  // An input that the network takes, made of random ids.
  virtual GoldenInput random_input(Random& random) const = 0;
  // The log-probabilities that the network gives each input; their number is the same for all. The
  // ids are of the vocabularies, no side is empty. Throws DataError for an input that does not fit,
  // NotFiniteError when a log-probability is not finite.
  virtual std::vector<std::vector<float>> golden_outputs(
      const std::vector<GoldenInput>& inputs) const = 0;

  // Writes everything but the parameters and the golden samples.
  void describe(Checkpoint& checkpoint) const;

  std::string source = {};  // the file it was read from, for messages
  // The kinds of text that it was trained on, by side: "src" and "tgt", or "text" where there is
  // one. Empty for older files.
  std::map<std::string, TextKind> text_kinds = {};

 protected:
  SavedModel() = default;
  SavedModel(const SavedModel&) = default;
  SavedModel& operator=(const SavedModel&) = default;
};

namespace detail {

template <class Case, class Result, class Model>
const Model* argument_of(Result (Case::*)(const Model&) const);

}  // namespace detail

// For code that does something else for each kind of model: calls the first of `cases`, functions
// of a kind of model each, that takes this one. The last takes every model.
//
//   visit_model(model, [](const TranslationModel& m) { ... }, [](const SavedModel& m) { throw ...
//   });
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
