// Learns the shortlist of a translation model from sentence pairs.
#pragma once

#include "attend/core/options/options.h"
#include "attend/data/corpus.h"
#include "attend/decode/scorers/shortlist.h"
#include "attend/tasks/translation/model.h"

namespace attend {

struct ShortlistOptions {
  int translations = 40;
  int frequent = 100;
};

template <class Visitor>
void fields(ShortlistOptions& o, Visitor&& visit) {
  visit("translations", o.translations, between(1, kVocabularySizes.most),
        "most likely translations of each source token to put on the shortlist");
  visit("frequent", o.frequent, between(0, kVocabularySizes.most),
        "most frequent target tokens, which every translation may use");
}

// `pairs` are without bos and eos. If a source token is also a target token, it is among its
// translations, so that names can be copied. Throws ConfigError.
Shortlist make_shortlist(const TranslationModel& model, const EncodedPairs& pairs,
                         const ShortlistOptions& options);

// The effect of a shortlist on the pairs it is measured on.
struct ShortlistMeasure {
  double tokens = 0;  // average number of tokens allowed per sentence
  // Share of the target tokens, end included, that are in the list of their sentence.
  double coverage = 0;
};

ShortlistMeasure measure_shortlist(const TranslationModel& model, const Shortlist& shortlist,
                                   const EncodedPairs& pairs);

}  // namespace attend
