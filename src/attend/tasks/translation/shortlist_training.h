// A shortlist for a translation model, from sentence pairs.
#pragma once

#include "attend/core/options.h"
#include "attend/data/corpus.h"
#include "attend/decode/shortlist.h"
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

// From pairs without bos and eos. Of a source token that is a target token too, that one is among
// its translations: names stay as they are. Throws ConfigError.
Shortlist make_shortlist(const TranslationModel& model, const EncodedPairs& pairs,
                         const ShortlistOptions& options);

// How much a shortlist leaves of the pairs it is measured on.
struct ShortlistMeasure {
  double tokens = 0;  // that a sentence may use, in the mean
  double coverage =
      0;  // of the target tokens, the end included: those in the list of their sentence
};

ShortlistMeasure measure_shortlist(const TranslationModel& model, const Shortlist& shortlist,
                                   const EncodedPairs& pairs);

}  // namespace attend
