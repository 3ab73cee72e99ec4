// How good models are on held-out data, for `attend average --greedy`.
#pragma once

#include <functional>
#include <string>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/options/options.h"
#include "attend/metrics/bleu.h"

namespace attend {

struct HeldOutData {
  std::string src, tgt;  // of a translator
  BleuTokenization tokenization = BleuTokenization::k13a;
  std::string labeled;  // of a classifier
  std::string text;     // of a language model
};

template <class Visitor>
void fields(HeldOutData& o, Visitor&& visit) {
  visit("src", o.src, "with --greedy, for translators: held-out source text");
  visit("tgt", o.tgt, "reference translation of --src, line by line, for its BLEU");
  visit("tokenize", o.tokenization,
        "tokenization of BLEU on --src: 13a, none (the text is tokenized already), intl or char");
  visit("labeled", o.labeled,
        "with --greedy, for classifiers: held-out labeled texts, for their accuracy");
  visit("text", o.text, "with --greedy, for language models: held-out text, for its perplexity");
}

// A measure of models of one kind.
struct HeldOutScore {
  std::string name;                             // "BLEU", "accuracy" or "log-probability per token"
  std::function<double(const Checkpoint&)> of;  // higher is better
};

// `model`: one of those to measure. Throws ConfigError without data for its kind, and for data of
// another one; IoError and DataError for the files.
HeldOutScore held_out_score(const HeldOutData& data, const Checkpoint& model);

}  // namespace attend
