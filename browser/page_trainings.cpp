// What pages train: translators, with vocabularies of wordpiece or byte-bpe. The linker takes these
// functions for the engine of pages, and then leaves out those of the library
// (cmake/browser.cmake), with the trainings of other tasks and SentencePiece's trainer: together
// more than half of what training costs.
#include "attend/core/options/option_error.h"
#include "attend/error.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/training/usual_training.h"
#include "attend/tasks/translation/training/training.h"
#include "attend/text/sentencepiece/sentencepiece_training.h"

namespace attend {

std::vector<std::unique_ptr<Trainable>> trainable_tasks() {
  std::vector<std::unique_ptr<Trainable>> list;
  list.push_back(usual_training<TranslationTraining>());
  return list;
}

namespace detail {

std::string train_sentencepiece(std::span<const std::string>, const TokenizerOptions&) {
  throw OptionError<ConfigError>("{}: expected byte-bpe or wordpiece in a page",
                                 as_key("tokenizer"));
}

}  // namespace detail
}  // namespace attend
