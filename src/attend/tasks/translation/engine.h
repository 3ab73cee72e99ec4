// Implements attend/translator.h, for code that holds the model itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attend/answers.h"
#include "attend/core/files/lines.h"
#include "attend/core/options/options.h"
#include "attend/decode/beam_search.h"
#include "attend/decode/sampling.h"
#include "attend/metrics/expected_utility.h"
#include "attend/tasks/translation/ensemble.h"
#include "attend/tasks/translation/running_translations.h"
#include "attend/tasks/translation/scoring.h"
#include "attend/text/preparation.h"
#include "attend/translator.h"

namespace attend {

inline constexpr int kMostSamples = 1024;  // of a sentence

template <class Visitor>
void fields(TranslationOptions& o, Visitor&& visit) {
  fields(o.beam, visit);
  visit("mbr", o.mbr,
        "minimum Bayes risk: prefer the translation with the best expected chrf, bleu or comet "
        "against all of the beam or of --samples; or none");
  visit("samples", o.samples, between(0, kMostSamples),
        "translations drawn at random for --mbr or --rerank to choose from; 0: those of the beam");
  visit("batch-size", o.batch_size, between(1, 65536),
        "sentences decoded together; fewer when long, or with a wide beam");
  visit("window", o.window, between(1, 1e6),
        "most sentences to read ahead and sort by length; sentences that have arrived are answered "
        "without waiting for more");
  visit("shortlist", o.shortlist,
        "score only the tokens of the model's shortlist: faster (see attend shortlist)");
  visit("alignment", o.alignment,
        "also print the source word that each word of a translation attends to most, as pairs of "
        "numbers from 0");
  visit("trust", o.trust,
        "also tell how far to trust each translation: a confidence, from 0 to 1, for a model with "
        "attend calibrate, and flags for what looks wrong");
  visit(
      "prefix-weight", o.prefix_weight, above(0, 1),
      "weight of --prefix: 1 makes translations begin with the prefix, lower values only raise the "
      "probability of its tokens in beam search");
  visit("must-contain", o.must_contain,
        "phrases that every translation must contain, one per argument; the beam size should "
        "exceed their number of tokens");
  visit("must-not-contain", o.must_not_contain,
        "phrases that no translation may contain, one per argument");
  visit("protect", o.protect,
        "regular expressions of what translations keep, or common ({x}, %s, URLs, tags, code), or "
        "none; of whole texts, pages and files: common");
  visit(
      "glossary", o.glossary,
      "files with a term, a tab and its translation in each line, or of TBX: how to translate the "
      "term");
  visit("context", o.context, between(0, kMostContext),
        "sentences before a sentence that a model trained with --context also reads; an empty line "
        "ends a document; default: as in training");
  visit("forbid-unknown", o.forbid_unknown, "never write the token for unknown words");
  visit("max-source-tokens", o.max_source_tokens, between(1, 1e6),
        "longest source sentence in tokens");
  fields(o.languages, visit);
  fields(o.preparation, visit);
  target_fields(o.preparation, visit);
}

// The tokens of a sentence, and those that its translation begins with.
struct TokenizedSentence {
  std::vector<std::int32_t> ids;  // with the marks of the languages around them, or none, and
                                  // within the model's learned positions
  std::vector<std::int32_t> prefix = {};
};

// The tokens of a pair to score: the source with its marks, the target without.
struct PairToScore {
  std::vector<std::int32_t> source, target;
  std::string source_text = {}, target_text = {};     // for the judge
  std::shared_ptr<const TrustJudge> judge = nullptr;  // null: nobody asked how far to trust it
};

// The ids of the tokens of a translation by this model.
std::vector<std::int32_t> target_ids(const TranslationModel& model,
                                     const TranslationCandidate& translation);

// Const members may be called from any number of threads at once; each call gets the answer it
// would get alone.
class TranslationEngine {
 public:
  // Throws IoError or DataError.
  static TranslationEngine load(const std::filesystem::path& path);
  explicit TranslationEngine(TranslationModel model)
      : TranslationEngine(
            TranslationEnsemble({std::make_shared<const TranslationModel>(std::move(model))})) {}
  explicit TranslationEngine(TranslationEnsemble ensemble)
      : ensemble_(std::make_shared<const TranslationEnsemble>(std::move(ensemble))) {}

  const TranslationEnsemble& ensemble() const { return *ensemble_; }
  // All models of these engines, as one. Throws DataError for models that do not fit together.
  static TranslationEngine ensemble_of(std::span<const TranslationEngine* const> members);
  // The only model, or the first of an ensemble.
  const TranslationModel& model() const { return ensemble_->first(); }
  // The tokens of the longest sentence that the models have positions for; 0: any number.
  std::int64_t longest_source() const;
  // The defaults stored in the model.
  TranslationOptions default_options() const;

  // The tokens of texts, for RunningTranslations. Throws like translate().
  std::vector<SourceSentence> sentences(std::span<const std::string> texts,
                                        const TranslationOptions& options) const;
  // For these and other sentences; `shortlist`: as in the options of all of them.
  std::unique_ptr<RunningTranslations> running(bool shortlist) const {
    return std::make_unique<RunningTranslations>(ensemble_, shortlist);
  }

  // Returns one result per text, in order, independent of the other texts. Throws LineError for one
  // that is too long, ConfigError for a language that the model does not have.
  std::vector<Translation> translate(std::span<const std::string> texts,
                                     const TranslationOptions& options) const;
  std::vector<Translation> translate(std::span<const std::string> texts) const {
    return translate(texts, default_options());
  }

  // The same for tokenized sentences; the options have no prefixes.
  std::vector<Translation> translate_ids(std::vector<TokenizedSentence> sentences,
                                         const TranslationOptions& options) const;

  // Translates line by line to the end of `lines`, in bounded memory. A line that cannot be
  // translated is a LineError, whose message begins with file and line; AnswerSink decides what
  // happens to it. `prefixes`: a text with what each translation begins with; null: they begin as
  // the options say. Throws DataError unless it has as many lines.
  void translate(LineReader& lines, const AnswerSink<Translation>& sink,
                 const TranslationOptions& options, LineReader* prefixes = nullptr) const;

  // The same for texts in memory, which may have line breaks; `name` stands for the file. The
  // options may have a prefix for each.
  void translate(std::span<const std::string> texts, const std::string& name,
                 const AnswerSink<Translation>& sink, const TranslationOptions& options) const;

  // The log-probabilities of given pairs. Throws LineError for a text that is too long, DataError
  // unless there are as many targets as sources.
  std::vector<SequenceScore> score(std::span<const std::string> src,
                                   std::span<const std::string> tgt,
                                   const ScoringOptions& options = {},
                                   const LanguagePair& languages = {}) const;

  // The tokens of such pairs, and their log-probabilities.
  std::vector<PairToScore> scored_pairs(std::span<const std::string> src,
                                        std::span<const std::string> tgt,
                                        const ScoringOptions& options,
                                        const LanguagePair& languages) const;
  std::vector<SequenceScore> score(std::span<const PairToScore> pairs,
                                   const LanguagePair& languages) const;

  // The same for texts with equally many lines, line by line like translate().
  void score(LineReader& src, LineReader& tgt, const AnswerSink<SequenceScore>& sink,
             const ScoringOptions& options = {}, const LanguagePair& languages = {}) const;

  // The most likely tokens at the position of each target token and of the end, as
  // Translator::alternatives().
  std::vector<TokenAlternatives> alternatives(const std::string& source,
                                              const std::vector<std::int32_t>& target, int count,
                                              const LanguagePair& languages = {}) const;

 private:
  // Fills the trust of the pairs that have a judge.
  void judge(std::span<const PairToScore> pairs, const PairSpecialTokens& marks,
             std::vector<SequenceScore>& scores) const;
  // Null unless the options ask for it.
  std::shared_ptr<const TrustJudge> judge_of(const ScoringOptions& options,
                                             const LanguagePair& languages) const;
  // Prepare sources and targets to score. Throws ConfigError.
  std::pair<TextPreparer, TextPreparer> preparers(const ScoringOptions& options) const;
  // Gives the pair its marks. Throws LineError for a text that is too long, by its name.
  PairToScore with_marks(PairToScore pair, const std::string& source_name,
                         const std::string& target_name, const PairSpecialTokens& marks,
                         const ScoringOptions& options) const;
  // A sentence with its position, and its prefix with its own.
  struct SentenceText {
    std::string text, where;
    std::uint64_t number = 0;
    std::string prefix = {}, prefix_where = {};
    std::vector<std::int32_t> prefix_ids = {};  // instead of the prefix
    bool aligned = false;
    std::vector<std::string> before = {};  // sentences that are read with it, oldest first
  };
  // Throws ConfigError unless there are as many prefixes as texts, or one, or none, and of
  // `aligned` as many or none.
  static SentenceText text_with_options(std::span<const std::string> texts, std::size_t i,
                                        const TranslationOptions& options);
  SourceSentence sentence(const SentenceText& text,
                          const std::shared_ptr<const TranslationCall>& call) const;
  // Translates what `next` reads, in windows.
  struct SentenceSource {
    std::function<std::optional<SourceSentence>()> next;
    std::function<bool()> has_arrived;
    std::function<std::string()> where;
  };
  void translate_all(const SentenceSource& source, const AnswerSink<Translation>& sink,
                     const TranslationOptions& options) const;
  std::vector<Translation> translate_sentences(std::span<const SourceSentence> sentences,
                                               const TranslationOptions& options) const;

  std::shared_ptr<const TranslationEnsemble> ensemble_;
};

}  // namespace attend
