// What training from text and preparing text have in common: the files of sentence pairs, and the
// vocabularies that are learned from them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/data/corpus.h"
#include "attend/tasks/model_file/vocabularies.h"
#include "attend/text/text_kind.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct PairTextOptions {
  std::string data;
  std::vector<std::string> src_train;
  std::vector<std::string> tgt_train;
  std::string src_language;
  std::string tgt_language;
  LengthOptions length;
};

template <class Visitor>
void fields(PairTextOptions& o, Visitor&& visit) {
  visit("data", o.data, "folder that file names are relative to");
  visit("src-train", o.src_train,
        "source side of the training text, plain, gzip or zstd, one sentence per line; several "
        "files are read one after another");
  visit("tgt-train", o.tgt_train, "target side of the training text, line by line");
  visit("src-language", o.src_language,
        "language of the source text, stored in the model; default: the extension of the training "
        "files, as in train.en");
  visit("tgt-language", o.tgt_language,
        "language of the target text, stored in the model; default: the extension of the training "
        "files, as in train.de");
  fields(o.length, visit);
}

struct PairVocabularyOptions {
  bool joint_vocabulary = true;
  TokenizerOptions tokenizer;
};

template <class Visitor>
void fields(PairVocabularyOptions& o, Visitor&& visit) {
  visit("joint-vocabulary", o.joint_vocabulary, "one vocabulary for both languages");
  fields(o.tokenizer, visit);
}

// Throws ConfigError, with the name of the flag, unless both sides are given.
void require_files(const PairTextOptions& options);

// Learned from both sides of a text, or of a sample of it.
Vocabularies train_vocabularies(std::span<const std::string> src, std::span<const std::string> tgt,
                                const PairVocabularyOptions& options);

// The languages of a text, from the options or else its file names.
std::string src_language_of(const PairTextOptions& options);
std::string tgt_language_of(const PairTextOptions& options);

}  // namespace attend
