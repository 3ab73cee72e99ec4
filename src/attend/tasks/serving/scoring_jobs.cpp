#include "attend/tasks/serving/scoring_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attend/tasks/language/scoring.h"
#include "attend/tasks/serving/pass_job.h"
#include "attend/tasks/text_preparer.h"

namespace attend {

namespace {

// Beside the kinds of decoding jobs.
constexpr int kPairs = 2, kTexts = 3, kTokens = 4;

struct PairPass {
  using Input = PairToScore;
  using Answer = SequenceScore;
  static constexpr int kKind = kPairs;

  TranslationEngine engine;
  LanguagePair languages;

  const void* model() const { return &engine.ensemble(); }
  static std::int64_t tokens(const Input& pair) {
    return std::ssize(pair.source) + std::ssize(pair.target) + 1;
  }
  bool goes_with(const PairPass& other) const {
    return languages.source == other.languages.source && languages.target == other.languages.target;
  }
  std::vector<Answer> answers(std::span<const Input* const> pairs) const {
    std::vector<PairToScore> copies;
    for (const Input* pair : pairs) copies.push_back(*pair);
    return engine.score(copies, languages);
  }
};

struct TextPass {
  using Input = ScoredLine;
  using Answer = SequenceScore;
  static constexpr int kKind = kTexts;

  GenerationEngine engine;

  const void* model() const { return &engine.model(); }
  static std::int64_t tokens(const Input& line) {
    return std::max<std::int64_t>(1, std::ssize(line.ids));
  }
  static bool goes_with(const TextPass&) { return true; }
  std::vector<Answer> answers(std::span<const Input* const> lines) const {
    std::vector<ScoredLine> copies;
    for (const Input* line : lines) copies.push_back(*line);
    return score_lines(engine.model(), copies);
  }
};

struct TokenPass {
  using Input = std::vector<std::int32_t>;
  using Answer = std::vector<GeneratedToken>;
  static constexpr int kKind = kTokens;

  GenerationEngine engine;
  int likeliest;

  const void* model() const { return &engine.model(); }
  static std::int64_t tokens(const Input& ids) { return std::ssize(ids); }
  bool goes_with(const TokenPass& other) const { return likeliest == other.likeliest; }
  std::vector<Answer> answers(std::span<const Input* const> prompts) const {
    std::vector<Answer> answers;
    for (const Input* ids : prompts)
      answers.push_back(score_tokens(engine.model(), *ids, likeliest));
    return answers;
  }
};

}  // namespace

Jobs jobs_of(const TranslationEngine& engine, PairScoringRequest request,
             Receiver<SequenceScore> receiver, const std::shared_ptr<const RequestState>& state) {
  return pass_jobs(
      PairPass{engine, request.languages},
      engine.scored_pairs(request.sources, request.targets, request.options, request.languages),
      std::move(receiver), state);
}

Jobs jobs_of(const GenerationEngine& engine, TextScoringRequest request,
             Receiver<SequenceScore> receiver, const std::shared_ptr<const RequestState>& state) {
  const ScoringOptions& options = request.options;
  const TextPreparer prepare =
      TextPreparer::of_input(engine.model().text_kinds, options.preparation);
  std::vector<ScoredLine> lines;
  for (const std::string& text : request.texts)
    lines.push_back(scored_line(engine.model(), prepare(text),
                                fmt::format("line {}", lines.size() + 1), options.max_tokens));
  return pass_jobs(TextPass{engine}, std::move(lines), std::move(receiver), state);
}

Jobs jobs_of(const GenerationEngine& engine, TokenScoringRequest request,
             Receiver<std::vector<GeneratedToken>> receiver,
             const std::shared_ptr<const RequestState>& state) {
  for (std::vector<std::int32_t>& ids : request.prompts)
    ids = engine.ids_to_score(std::move(ids), request.likeliest);
  return pass_jobs(TokenPass{engine, request.likeliest}, std::move(request.prompts),
                   std::move(receiver), state);
}

}  // namespace attend
