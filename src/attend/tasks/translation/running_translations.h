// Sentences of a translation model that are decoded together. They join at any step and leave when
// done.
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <vector>

#include "attend/data/terms/inline_terms.h"
#include "attend/decode/running_batch.h"
#include "attend/decode/scorers/translation_scorer.h"
#include "attend/tasks/text_preparer.h"
#include "attend/tasks/translation/ensemble.h"
#include "attend/tasks/translation/protected_sentence.h"
#include "attend/tasks/translation/stand_ins.h"
#include "attend/tasks/translation/term_places.h"
#include "attend/tasks/translation/trust/trust.h"
#include "attend/text/protection/glossary.h"
#include "attend/text/protection/span_patterns.h"
#include "attend/translator.h"

namespace attend {

// What holds for all sentences of a call.
struct TranslationCall {
  TranslationOptions options;  // with prepared phrases
  PairSpecialTokens marks;
  std::shared_ptr<const PhraseRules> rules = nullptr;  // of the search; null: none
  TextPreparer source = {};                            // of sentences
  TextPreparer target = {};                            // of prefixes, phrases and translations
  SpanPatterns patterns = {};                          // of what stays as it is
  StandIns stand_ins = {};                             // for that
  std::shared_ptr<const Glossary> glossary = nullptr;  // of terms in the sentences; null: none
  std::shared_ptr<const TrustJudge> trust = nullptr;   // of translations; null: not asked for
  int answers = 1;  // translations of a sentence, chosen from the n_best of the options
};

// A sentence to translate.
struct SourceSentence {
  std::vector<std::int32_t> ids;  // with the marks around them; none for an empty line
  std::uint64_t number = 0;       // position in the input, which selects the stream for sampling
  std::shared_ptr<const TranslationCall> call = nullptr;
  std::vector<std::int32_t> prefix = {};  // what its translation begins with
  // What of it the model does not see; null: nothing
  std::shared_ptr<const ProtectedSentence> protection = nullptr;
  bool aligned = false;     // whether its translations get alignments
  std::size_t context = 0;  // tokens of the sentences before it, after the marks
  std::string text = {};    // for call->trust and models that choose
  std::shared_ptr<const SentenceTerms> terms = nullptr;  // of the glossary; null: none
  std::vector<TokenRange> inline_terms = {};             // in ids, of a model that reads them
};

class RunningTranslations {
 public:
  // shortlist: decodes with the shortlist of the model, which has one and is alone.
  RunningTranslations(std::shared_ptr<const TranslationEnsemble> ensemble, bool shortlist);

  // Sentences with ids join and are numbered consecutively. Returns the first number. If this
  // throws, none has joined.
  std::size_t join(std::vector<SourceSentence> sentences);
  // A sentence leaves without an outcome.
  void leave(std::size_t sentence);
  bool empty() const { return running_.empty(); }

  // One token for every sentence. Returns those that are done. If this throws, all others are lost.
  std::vector<Outcome<Translation>> step();

 private:
  void search_again(std::size_t number, const TranslationCall& call);
  bool has_terms_in_place(RunningBatch::Decoded& decoded);
  RunningBatch::Search search(const SourceSentence& sentence, const TranslationCall& call,
                              const DecodeRequest& arrival) const;
  // Leaves the best, if the call of the sentence asks for a choice (candidate_choice.h).
  void choose(const SourceSentence& sentence, std::vector<Hypothesis>& found) const;
  // A sentence that is done but for the alignments of its candidates.
  struct Unaligned {
    Outcome<Translation> outcome;
    std::vector<Hypothesis> found;
  };
  void align_waiting(std::vector<Outcome<Translation>>& done);
  void finish(Outcome<Translation> outcome, std::vector<Outcome<Translation>>& done);
  Translation translation(const SourceSentence& sentence,
                          const std::vector<Hypothesis>& found) const;
  std::string text_of(const Hypothesis& hypothesis) const;
  TranslationCandidate candidate(const Hypothesis& hypothesis, const TextPreparer& target) const;

  std::shared_ptr<const TranslationEnsemble> ensemble_;
  const TranslationModel& model_;         // the first of them
  std::vector<std::int32_t> suppressed_;  // target tokens that none of them writes
  std::unique_ptr<TranslationScorer> scorer_;
  RunningBatch batch_;
  std::map<std::size_t, SourceSentence> running_;
  // What was found for sentences that are translated again, without their terms
  std::map<std::size_t, std::vector<Hypothesis>> found_with_terms_;
  std::vector<Unaligned> waiting_;  // to be aligned together, which is faster
  int waited_ = 0;                  // steps
  std::size_t next_ = 0;
};

// The translation of a sentence without ids: an empty line, or nothing but protected spans.
Translation untranslated(const SourceSentence& sentence);

// The most hypotheses that a sentence has at a time.
std::int64_t hypotheses_of(const TranslationOptions& options);

}  // namespace attend
