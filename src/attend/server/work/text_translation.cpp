#include "attend/server/work/text_translation.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/strings/quote.h"
#include "attend/server/work/preparation.h"
#include "attend/server/work/submission.h"
#include "attend/tasks/translation/document_translation.h"

namespace attend {
namespace {

// Bytes that are encoded at once to count tokens: of a long text without spaces, SentencePiece
// takes quadratic time.
constexpr std::size_t kCountedAtOnce = 4096;
// Bytes of texts per token that may wait. Real text has about four.
constexpr std::int64_t kMostBytesOfToken = 16;

// Refuses long texts that cannot be queued in any case, without the time that cutting them takes.
void require_sensible_length(std::span<const SourceText> texts, const Tokenizer& tokenizer,
                             std::int64_t most_tokens) {
  std::int64_t bytes = 0, tokens = 0;
  for (const SourceText& one : texts) bytes += std::ssize(one.text);
  if (bytes <= most_tokens) return;
  if (bytes > kMostBytesOfToken * most_tokens)
    throw HttpError{413, fmt::format("the texts have {} bytes; {} tokens may wait "
                                     "(max-tokens-in-queue)",
                                     bytes, most_tokens)};
  for (const SourceText& one : texts) {
    const std::string_view text = one.text;
    for (std::size_t begin = 0; begin < text.size() && tokens <= most_tokens;) {
      std::size_t end = std::min(begin + kCountedAtOnce, text.size());
      while (end < text.size() && (text[end] & 0xc0) == 0x80) ++end;  // within a character
      tokens += std::ssize(tokenizer.encode(text.substr(begin, end - begin)));
      begin = end;
    }
  }
  if (tokens > most_tokens)
    throw HttpError{413, fmt::format("the texts have more than the {} tokens that may wait "
                                     "(max-tokens-in-queue)",
                                     most_tokens)};
}

}  // namespace

TextTranslation text_translation(const Call& call, const ChosenTranslator& chosen,
                                 int alternatives) {
  const Parameters& p = call.parameters;
  TranslationOptions options = chosen.model->as<Translator>()->default_options();
  options.preparation = preparation_of(call);
  if (p.has("protect")) options.protect = p.texts("protect");
  if (p.has("glossary")) options.glossary = p.texts("glossary");
  for (const std::string& term : options.glossary)  // others are files
    if (term.find('\t') == term.npos)
      throw HttpError{
          400,
          fmt::format("glossary: expected a term, a tab and its translation, got {}", quote(term))};
  options.trust = p.flag("trust", false);
  options = options_for_texts(std::move(options));
  options.beam.n_best = std::min(options.beam.beam_size, alternatives + 1);
  if (chosen.model->chooses_languages) options.languages = {chosen.source, chosen.target};
  return {chosen.model, chosen.source, std::move(options), preparer_of(call, *chosen.model)};
}

void translate_texts(const std::shared_ptr<Call>& call, const TextTranslation& how,
                     std::vector<SourceText> texts, std::function<void(TranslatedTexts)> done) {
  const Translator& translator = *how.model->as<Translator>();
  require_sensible_length(texts, translator.source_tokenizer(),
                          call->service.options().max_tokens_in_queue);
  const TranslationOptions& options = how.options;
  const SentenceLimit limit{translator.source_tokenizer(), how.prepare,
                            longest_sentence(options, translator.longest_source())};
  const auto all = std::make_shared<TranslatedTexts>(
      cut_texts(std::move(texts), how.source, SpanPatterns(options.protect),
                [&](std::string_view text) { return limit.holds(text); }));
  all->alternatives = options.beam.n_best - 1;
  std::vector<std::string> sentences = all->sentences();
  const std::size_t count = sentences.size();
  TranslationOptions own = options_for_sentences(options, *all);
  const auto finish = [all, done = std::move(done)](std::vector<Translation> translations) {
    all->set_translations(std::move(translations));
    done(std::move(*all));
  };
  if (count == 0) return finish({});
  submit<Translation>(call, translator, TranslationRequest{std::move(sentences), std::move(own)},
                      count, finish);
}

}  // namespace attend
