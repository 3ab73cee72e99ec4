// Terms of a glossary where the translation has the words that they replace.
//
// A search that must write a rare term may leave the usual word where it is and write the term
// where it costs least: "The dog sleeps canine." Such a sentence is translated without its terms,
// too, and the terms are put in place of the words that translate the source's: "The canine
// sleeps." The model's probabilities of the other words say whether that reads well.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attend/decode/hypothesis.h"
#include "attend/tasks/translation/ensemble.h"
#include "attend/text/protection/glossary.h"

namespace attend {

struct SourceSentence;
struct TranslationCall;

// The terms of a sentence.
struct SentenceTerms {
  std::string text;                 // the sentence as the model reads it
  std::vector<GlossaryTerm> terms;  // in this text, with translations as the model writes them
  std::shared_ptr<const TranslationCall> without;  // translates the sentence without the terms
};

// Whether the model finds the terms of the sentence unlikely where a translation has them, and they
// may have other places: not if something else tells where they are.
bool has_unlikely_terms(const SourceSentence& sentence, const Hypothesis& found);

// `found` is a translation with unlikely terms, `usual` the one without terms. Returns the usual
// translation with the terms in place of the words that translate them, if `found` still has one of
// these words, and the other words are about as likely as those of `found`. Otherwise null.
std::optional<Hypothesis> with_terms_in_place(const TranslationEnsemble& ensemble,
                                              const SourceSentence& sentence,
                                              const Hypothesis& found, const Hypothesis& usual);

}  // namespace attend
