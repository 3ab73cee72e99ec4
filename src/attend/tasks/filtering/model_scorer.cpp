#include "attend/tasks/filtering/model_scorer.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/threads/parallel.h"
#include "attend/error.h"
#include "attend/tasks/explanation/attention_maps.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/language/scoring.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/translation/model.h"
#include "attend/tasks/translation/scoring.h"

namespace attend {
namespace {

using TokenIds = std::vector<std::int32_t>;
using Verdicts = std::vector<PairScorer::Verdict>;

template <class Use>
void for_all(std::size_t count, const Use& use) {
  parallel_for(static_cast<std::int64_t>(count), 16, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) use(i);
  });
}

PairScorer::Verdict verdict_of(const SequenceScore& score, const ModelFilterOptions& options) {
  PairScorer::Verdict verdict;
  verdict.score = score.log_probability / static_cast<float>(score.token_scores.size());
  if (verdict.score < options.min_score) verdict.broken = FilterRule::min_score;
  return verdict;
}

std::vector<FilterRule> rules_of(const ModelFilterOptions& options) {
  std::vector<FilterRule> rules{FilterRule::max_tokens, FilterRule::min_score};
  if (options.max_unaligned < 1) rules.push_back(FilterRule::max_unaligned);
  return rules;
}

// Keeps the languages that the model leaves to choose: a model of one pair leaves none, others only
// the target.
LanguagePair choice_of(const PairFormat& format, const LanguagePair& languages) {
  const auto has = [&format](std::int32_t mark) {
    const PairSpecialTokens& marks = format.marks;
    for (const auto* side : {&marks.before_source, &marks.after_source, &marks.before_target})
      if (std::find(side->begin(), side->end(), mark) != side->end()) return true;
    return false;
  };
  return {has(PairFormat::kSourceLanguage) ? languages.source : "",
          has(PairFormat::kTargetLanguage) ? languages.target : ""};
}

class PairTranslationScorer final : public PairScorer {
 public:
  PairTranslationScorer(const TranslationModel& model, const ModelFilterOptions& options,
                        const LanguagePair& languages)
      : model_(model),
        options_(options),
        marks_(model.format.of(choice_of(model.format, languages))) {}

  std::vector<FilterRule> rules() const override { return rules_of(options_); }

  Verdicts judge(std::span<const TextPair* const> pairs) const override {
    Verdicts verdicts(pairs.size());
    std::vector<TokenIds> src(pairs.size()), tgt(pairs.size());
    for_all(pairs.size(), [&](std::size_t i) {
      src[i] = model_.src_tokenizer.encode(pairs[i]->src);
      tgt[i] = model_.tgt_tokenizer.encode(pairs[i]->tgt);
    });
    std::vector<TokenIds> read, written;  // those that fit
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (!fits(src[i], marks_.of_source()) || !fits(tgt[i], marks_.of_target())) {
        verdicts[i].broken = FilterRule::max_tokens;
        continue;
      }
      places.push_back(i);
      read.push_back(marks_.around(src[i]));
      written.push_back(std::move(tgt[i]));
    }
    const std::vector<SequenceScore> scores = score_pairs(model_, marks_, read, written);
    for (std::size_t i = 0; i < places.size(); ++i)
      verdicts[places[i]] = verdict_of(scores[i], options_);
    if (options_.max_unaligned == 1) return verdicts;
    for_all(places.size(), [&](std::size_t i) {
      PairScorer::Verdict& verdict = verdicts[places[i]];
      if (!verdict.broken && unaligned(read[i], written[i]) > options_.max_unaligned)
        verdict.broken = FilterRule::max_unaligned;
    });
    return verdicts;
  }

 private:
  bool fits(const TokenIds& ids, int marks) const {
    const std::int64_t positions = model_.longest_input();
    return std::ssize(ids) <= options_.scoring.max_tokens &&
           (positions == 0 || std::ssize(ids) + marks <= positions);
  }

  // The share of source words to which no target word is aligned.
  double unaligned(const TokenIds& read, const TokenIds& written) const {
    const auto before = static_cast<std::size_t>(marks_.before_source.size());
    const std::size_t words =
        model_.src_tokenizer
            .words(std::span(read).subspan(
                before, read.size() - static_cast<std::size_t>(marks_.of_source())))
            .size();
    if (words == 0) return 0;
    std::set<int> aligned;
    for (const auto& [source, target] : word_alignment(model_, marks_, read, written))
      aligned.insert(source);
    return 1 - static_cast<double>(aligned.size()) / static_cast<double>(words);
  }

  TranslationModel model_;
  ModelFilterOptions options_;
  PairSpecialTokens marks_;
};

class LineScorer final : public PairScorer {
 public:
  LineScorer(const LanguageModel& model, const ModelFilterOptions& options)
      : model_(model), options_(options) {}

  std::vector<FilterRule> rules() const override { return rules_of(options_); }

  Verdicts judge(std::span<const TextPair* const> pairs) const override {
    Verdicts verdicts(pairs.size());
    for_all(pairs.size(), [&](std::size_t i) {
      if (std::ssize(model_.tokenizer.encode(pairs[i]->src)) > options_.scoring.max_tokens)
        verdicts[i].broken = FilterRule::max_tokens;
    });
    std::vector<std::string> lines;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (verdicts[i].broken) continue;
      places.push_back(i);
      lines.push_back(pairs[i]->src);
    }
    const std::vector<SequenceScore> scores = score_lines(model_, lines, options_.scoring);
    for (std::size_t i = 0; i < places.size(); ++i)
      verdicts[places[i]] = verdict_of(scores[i], options_);
    return verdicts;
  }

 private:
  LanguageModel model_;
  ModelFilterOptions options_;
};

}  // namespace

std::unique_ptr<PairScorer> make_scorer(std::shared_ptr<const SavedModel> model, bool in_pairs,
                                        const ModelFilterOptions& options,
                                        const LanguagePair& languages) {
  check_options(options);
  if (in_pairs) {
    const auto* translation = dynamic_cast<const TranslationModel*>(model.get());
    if (translation == nullptr)
      throw wrong_task(model->source, TranslationModel::kTask, model->task());
    return std::make_unique<PairTranslationScorer>(*translation, options, languages);
  }
  const auto* language = dynamic_cast<const LanguageModel*>(model.get());
  if (language == nullptr) throw wrong_task(model->source, LanguageModel::kTask, model->task());
  if (options.max_unaligned < 1)
    throw OptionError<ConfigError>("{}: expected pairs of lines, which a translation model aligns",
                                   as_flag("max-unaligned"));
  return std::make_unique<LineScorer>(*language, options);
}

}  // namespace attend
