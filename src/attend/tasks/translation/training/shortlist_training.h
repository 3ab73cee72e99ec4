// Learns the shortlist of a translation model from sentence pairs.
#pragma once

#include <string>
#include <vector>

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

// A shortlist from files of sentences and their translations, and its effect on these.
struct TextShortlist {
  ReadReport report;
  Shortlist shortlist;
  ShortlistMeasure measure;
};

// Throws DataError for a text without a pair to learn from, and like read_parallel() and
// make_shortlist().
TextShortlist shortlist_of_text(const TranslationModel& model, const std::vector<std::string>& src,
                                const std::vector<std::string>& tgt,
                                const ShortlistOptions& options);

}  // namespace attend
