#include "attend/tasks/translation/pair_text.h"

#include <fmt/format.h>

#include "attend/core/options/option_error.h"
#include "attend/error.h"

namespace attend {

namespace {

void require_one(const std::vector<std::string>& files, const char* option, const char* what) {
  if (files.empty())
    throw OptionError<ConfigError>("{}: expected {}, got none", as_flag(option), what);
}

std::string given_or_of_files(const std::string& given, const std::vector<std::string>& files) {
  return given.empty() ? language_of(files) : given;
}

}  // namespace

void require_files(const PairTextOptions& o) {
  require_one(o.src_train, "src-train", "the file to train on");
  require_one(o.tgt_train, "tgt-train", "the file with its translation");
}

Vocabularies train_vocabularies(std::span<const std::string> src, std::span<const std::string> tgt,
                                const PairVocabularyOptions& options) {
  if (!options.joint_vocabulary)
    return {Tokenizer::train(src, options.tokenizer), Tokenizer::train(tgt, options.tokenizer)};
  std::vector<std::string> both(src.begin(), src.end());
  both.insert(both.end(), tgt.begin(), tgt.end());
  Tokenizer joint = Tokenizer::train(both, options.tokenizer);
  return {joint, joint};
}

std::string src_language_of(const PairTextOptions& o) {
  return given_or_of_files(o.src_language, o.src_train);
}

std::string tgt_language_of(const PairTextOptions& o) {
  return given_or_of_files(o.tgt_language, o.tgt_train);
}

}  // namespace attend
