#include "attend/inspect/scored_pair.h"

#include <fmt/format.h>

#include <span>

#include "attend/core/options/option_error.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/tasks/text_preparer.h"

namespace attend {

std::vector<std::int32_t> page_tokens(const Tokenizer& tokenizer, const std::string& text,
                                      std::string_view what) {
  if (!is_utf8(text))
    throw DataError(
        fmt::format("{}: expected UTF-8, found other bytes at {}", what, find_invalid_utf8(text)));
  std::vector<std::int32_t> ids = tokenizer.encode(text);
  if (ids.empty()) throw DataError(fmt::format("{}: expected some words, found none", what));
  return ids;
}

void require_page_length(const std::vector<std::int32_t>& ids, std::string_view what) {
  if (static_cast<std::int64_t>(ids.size()) > kMaxPageTokens)
    throw DataError(fmt::format(
        "{}: expected at most {} tokens, the limit of an attention page, found {}; shorten it",
        what, kMaxPageTokens, ids.size()));
}

std::vector<std::int32_t> page_source(const TranslationModel& model, const std::string& source,
                                      const LanguagePair& languages) {
  std::vector<std::int32_t> ids =
      model.format.of(languages).around(page_tokens(model.src_tokenizer, source, "the text"));
  require_page_length(ids, "the text");
  return ids;
}

ScoredPair translated_pair(const TranslationEngine& translator, const std::string& source,
                           const TranslationOptions& options) {
  const TranslationModel& model = translator.model();
  ScoredPair pair;
  pair.source = TextPreparer::of_input(model.text_kinds, options.preparation)(source);
  pair.src = page_source(model, pair.source, options.languages);
  pair.languages = options.languages;
  const std::vector<Translation> translations =
      translator.translate(std::span(&source, 1), options);
  const TranslationCandidate& best = translations.front().candidates.front();
  if (best.tokens.empty())
    throw OptionError<DataError>(
        "the translation is empty: there is no attention to show; give one with {}",
        as_flag("target"));
  pair.target = best.text;
  pair.log_probability = best.log_probability;
  pair.token_scores = best.token_scores;
  for (const std::string& token : best.tokens) pair.tgt.push_back(model.tgt_tokenizer.id(token));
  require_page_length(pair.tgt, "the translation");
  return pair;
}

ScoredPair given_pair(const TranslationEngine& translator, const std::string& source,
                      const std::string& target, const LanguagePair& languages,
                      const TextPreparation& preparation) {
  const TranslationModel& model = translator.model();
  ScoredPair pair;
  pair.source = TextPreparer::of_input(model.text_kinds, preparation)(source);
  pair.target = target;
  pair.src = page_source(model, pair.source, languages);
  pair.tgt =
      page_tokens(model.tgt_tokenizer,
                  TextPreparer::of_target(model.text_kinds, preparation)(target), "the target");
  pair.languages = languages;
  require_page_length(pair.tgt, "the target");
  SequenceScore score = translator
                            .score(std::span(&source, 1), std::span(&target, 1),
                                   {.preparation = preparation}, languages)
                            .front();
  pair.log_probability = score.log_probability;
  pair.token_scores = std::move(score.token_scores);
  return pair;
}

}  // namespace attend
