#include "attend/tasks/translation/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "attend/core/options/option_error.h"
#include "attend/core/threads/interruption.h"
#include "attend/core/threads/parallel.h"
#include "attend/core/too_long.h"
#include "attend/data/corpus.h"
#include "attend/error.h"
#include "attend/tasks/answers.h"
#include "attend/tasks/learned_positions.h"
#include "attend/tasks/translation/alternatives.h"
#include "attend/tasks/translation/candidate_choice.h"
#include "attend/tasks/translation/document_context.h"
#include "attend/tasks/translation/read_terms.h"
#include "attend/tasks/translation/training/line_pairs.h"
#include "attend/tasks/translation/translation_call.h"

namespace attend {

namespace {

// A batch has at most as many source tokens as if all its sentences had this length, because its
// memory grows with them.
constexpr std::size_t kTokensOfASentence = 64;
// Decoded together: each has its own keys and values.
constexpr std::size_t kMostHypotheses = 4096;

// Where each batch begins in `order`, and the end of the last.
//
// Parallel batches scale better than parallel GEMMs, so there are several per thread if there are
// enough sentences. Batches have equal shares of the source tokens: an equal number of the longest
// sentences would take longer and more memory.
std::vector<std::size_t> batch_begins(std::span<const SourceSentence> sentences,
                                      std::span<const std::size_t> order,
                                      const TranslationOptions& options) {
  const std::size_t size =
      std::clamp(kMostHypotheses / static_cast<std::size_t>(hypotheses_of(options)), std::size_t{1},
                 static_cast<std::size_t>(options.batch_size));
  const std::size_t shares = threads() > 1 ? 2 * static_cast<std::size_t>(threads()) : 1;
  std::size_t all_tokens = 0;
  for (const SourceSentence& sentence : sentences) all_tokens += sentence.ids.size();

  std::vector<std::size_t> begins;
  std::size_t share = 0, before = 0, tokens = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t more = sentences[order[i]].ids.size();
    const std::size_t of_share = before * shares / std::max<std::size_t>(all_tokens, 1);
    if (begins.empty() || of_share != share || i - begins.back() == size ||
        tokens + more > kTokensOfASentence * size) {
      begins.push_back(i);
      share = of_share;
      tokens = 0;
    }
    tokens += more;
    before += more;
  }
  begins.push_back(order.size());
  return begins;
}

// Throws LineError for a prefix that leaves no room for another token.
void check_prefix(const std::vector<std::int32_t>& prefix, const std::string& where,
                  const TranslationCall& call, std::int64_t positions) {
  const TranslationOptions& options = call.options;
  const int most = options.sampling ? options.sampling->max_length : options.beam.max_length;
  if (most > 0 && std::ssize(prefix) >= most)
    throw OptionError<TooLongError>(
        "{}: a prefix of {} tokens leaves no room in {} {}; shorten it, or raise {}", where,
        prefix.size(), as_key("max-length"), most, as_flag("max-length"));
  require_room(where, std::ssize(prefix), call.marks.of_target(), positions);
}

}  // namespace

std::vector<std::int32_t> target_ids(const TranslationModel& model,
                                     const TranslationCandidate& translation) {
  std::vector<std::int32_t> ids;
  for (const std::string& token : translation.tokens) ids.push_back(model.tgt_tokenizer.id(token));
  return ids;
}

TranslationEngine TranslationEngine::load(const std::filesystem::path& path) {
  return TranslationEngine(load_translation_model(path));
}

TranslationEngine TranslationEngine::ensemble_of(
    std::span<const TranslationEngine* const> members) {
  TranslationEnsemble::Models models;
  for (const TranslationEngine* const member : members)
    for (const auto& model : member->ensemble().models()) models.push_back(model);
  return TranslationEngine(TranslationEnsemble(std::move(models)));
}

std::int64_t TranslationEngine::longest_source() const {
  const std::int64_t positions = ensemble_->longest_input();
  return positions == 0 ? 0 : positions - model().format.of_any().of_source();
}

TranslationOptions TranslationEngine::default_options() const {
  TranslationOptions options;
  options.beam.beam_size = model().decoding.beam_size;
  options.beam.length_penalty = model().decoding.length_penalty;
  options.beam.min_length = model().decoding.min_length;
  options.beam.no_repeat_ngram = model().decoding.no_repeat_ngram;
  options.context = model().format.context.sentences;
  return options;
}

SourceSentence TranslationEngine::sentence(
    const SentenceText& text, const std::shared_ptr<const TranslationCall>& call) const {
  SourceSentence sentence{{},
                          text.number,
                          call,
                          text.prefix_ids.empty()
                              ? model().tgt_tokenizer.encode(call->target(text.prefix))
                              : text.prefix_ids};
  if (const auto spans = call->patterns.find(text.text); !spans.empty()) {
    sentence.protection =
        std::make_shared<const ProtectedSentence>(text.text, spans, call->stand_ins);
  }
  if (call->trust || chooses_by_model(call->options)) sentence.text = text.text;
  const std::string& read = sentence.protection ? sentence.protection->text() : text.text;
  sentence.aligned = text.aligned || (sentence.protection && sentence.protection->has_marks());
  SentenceCall own = call_of_sentence(*ensemble_, call, read, sentence.protection.get());
  sentence.call = std::move(own.call);
  sentence.terms = std::move(own.terms);
  sentence.ids = model().src_tokenizer.encode(call->source(read));
  const std::string& where = text.where;
  const auto tokens = static_cast<std::int64_t>(sentence.ids.size());
  if (tokens > call->options.max_source_tokens)
    throw OptionError<TooLongError>(
        "{}: a sentence of {} tokens is longer than {} {}; split it, or raise {}", where, tokens,
        as_key("max-source-tokens"), call->options.max_source_tokens, as_flag("max-source-tokens"));
  require_room(where, tokens, call->marks.of_source(), ensemble_->longest_input());
  check_prefix(sentence.prefix, text.prefix_where, *call, ensemble_->longest_input());
  if (tokens == 0) return sentence;
  read_terms(*ensemble_, read, sentence);
  const std::vector<std::int32_t> before =
      context_tokens(*ensemble_, *call, text.before, std::ssize(sentence.ids));
  sentence.context = before.size();
  sentence.ids.insert(sentence.ids.begin(), before.begin(), before.end());
  sentence.ids = call->marks.around(sentence.ids);
  for (TokenRange& term : sentence.inline_terms)
    for (std::size_t* const at : {&term.begin, &term.end})
      *at += call->marks.before_source.size() + before.size();
  return sentence;
}

std::vector<SourceSentence> TranslationEngine::sentences(std::span<const std::string> texts,
                                                         const TranslationOptions& options) const {
  const auto all = translation_call(*ensemble_, options);
  std::vector<SourceSentence> sentences;
  sentences.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    SentenceText text = text_with_options(texts, i, options);
    text.where = text.prefix_where = fmt::format("sentence {}", i + 1);
    sentences.push_back(sentence(text, all));
  }
  return sentences;
}

TranslationEngine::SentenceText TranslationEngine::text_with_options(
    std::span<const std::string> texts, std::size_t i, const TranslationOptions& options) {
  const std::size_t prefixes = std::max(options.prefixes.size(), options.prefix_ids.size());
  if (prefixes > 1 && prefixes != texts.size())
    throw ConfigError(fmt::format("prefixes: expected one for each of {} sentences, got {}",
                                  texts.size(), prefixes));
  if (!options.aligned.empty() && options.aligned.size() != texts.size())
    throw ConfigError(fmt::format("aligned: expected one for each of {} sentences, got {}",
                                  texts.size(), options.aligned.size()));
  SentenceText text{texts[i], "", i};
  text.aligned = options.aligned.empty() ? options.alignment : options.aligned[i];
  text.before = sentences_before(texts, i, options);
  const std::size_t own = prefixes > 1 ? i : 0;
  if (!options.prefixes.empty()) text.prefix = options.prefixes[own];
  if (!options.prefix_ids.empty()) text.prefix_ids = options.prefix_ids[own];
  return text;
}

std::vector<Translation> TranslationEngine::translate(std::span<const std::string> texts,
                                                      const TranslationOptions& options) const {
  return translate_sentences(sentences(texts, options), options);
}

std::vector<Translation> TranslationEngine::translate_ids(std::vector<TokenizedSentence> tokenized,
                                                          const TranslationOptions& options) const {
  const auto all = translation_call(*ensemble_, options);
  if (chooses_by_model(options))
    throw OptionError<ConfigError>("{}: expected sentences as text, got tokens",
                                   as_flag(options.rerank ? "rerank" : "comet"));
  std::vector<SourceSentence> sentences;
  sentences.reserve(tokenized.size());
  for (auto& [ids, prefix] : tokenized) {
    check_prefix(prefix, fmt::format("sentence {}", sentences.size() + 1), *all,
                 ensemble_->longest_input());
    sentences.push_back(
        {std::move(ids), sentences.size(), all, std::move(prefix), nullptr, options.alignment});
  }
  return translate_sentences(sentences, options);
}

void TranslationEngine::translate(LineReader& lines, const AnswerSink<Translation>& sink,
                                  const TranslationOptions& options, LineReader* prefixes) const {
  const auto all = translation_call(*ensemble_, options, prefixes != nullptr);
  if (std::max(options.prefixes.size(), options.prefix_ids.size()) > (prefixes == nullptr ? 1 : 0))
    throw ConfigError("prefixes: expected one for all lines, or a text with one for each");
  LinesBefore before(options.context);
  const auto next = [&]() -> std::optional<SourceSentence> {
    SentenceText text;
    if (prefixes != nullptr) {
      auto both = next_of_both(lines, *prefixes);
      if (!both) return std::nullopt;
      std::tie(text.text, text.prefix) = std::move(*both);
    } else {
      if (!lines.next(text.text)) return std::nullopt;
      if (!options.prefixes.empty()) text.prefix = options.prefixes.front();
      if (!options.prefix_ids.empty()) text.prefix_ids = options.prefix_ids.front();
    }
    text.where = lines.where();
    text.prefix_where = prefixes == nullptr ? text.where : prefixes->where();
    text.number = static_cast<std::uint64_t>(lines.line_number() - 1);
    text.aligned = options.alignment;
    text.before = before.lines();
    before.add(text.text);
    return sentence(text, all);
  };
  const auto has_arrived = [&] {
    return lines.has_arrived() && (!prefixes || prefixes->has_arrived());
  };
  translate_all({next, has_arrived, [&] { return lines.where(); }}, sink, options);
}

void TranslationEngine::translate(std::span<const std::string> texts, const std::string& name,
                                  const AnswerSink<Translation>& sink,
                                  const TranslationOptions& options) const {
  const auto all = translation_call(*ensemble_, options);
  std::size_t read = 0;
  const auto where = [&] { return fmt::format("{}:{}", name, read); };
  const auto next = [&]() -> std::optional<SourceSentence> {
    look_for_interruption();
    if (read == texts.size()) return std::nullopt;
    SentenceText text = text_with_options(texts, read++, options);
    text.where = where();
    text.prefix_where = options.prefixes.size() > 1 ? fmt::format("prefixes:{}", read) : text.where;
    return sentence(text, all);
  };
  translate_all({next, [] { return true; }, where}, sink, options);
}

void TranslationEngine::translate_all(const SentenceSource& source,
                                      const AnswerSink<Translation>& sink,
                                      const TranslationOptions& options) const {
  answer_all(Conversation<SourceSentence, Translation>{
      .window = static_cast<std::size_t>(std::max(1, options.window)),
      .arrived = source.has_arrived,
      .next = source.next,
      .where = source.where,
      .answer =
          [&](std::span<const SourceSentence> window) {
            return translate_sentences(window, options);
          },
      .sink = sink,
  });
}

std::vector<Translation> TranslationEngine::translate_sentences(
    std::span<const SourceSentence> sentences, const TranslationOptions& options) const {
  std::vector<std::size_t> order(sentences.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sentences[a].ids.size() > sentences[b].ids.size();
  });
  const std::vector<std::size_t> begins = batch_begins(sentences, order, options);
  std::vector<Translation> results(sentences.size());
  parallel_each(std::ssize(begins) - 1, [&](std::int64_t number) {
    const std::size_t begin = begins[static_cast<std::size_t>(number)],
                      end = begins[static_cast<std::size_t>(number) + 1];
    std::vector<SourceSentence> batch;
    std::vector<std::size_t> places;
    for (std::size_t i = begin; i < end; ++i) {
      if (sentences[order[i]].ids.empty()) {
        results[order[i]] = untranslated(sentences[order[i]]);
        continue;
      }
      batch.push_back(sentences[order[i]]);
      places.push_back(order[i]);
    }
    if (batch.empty()) return;
    RunningTranslations running(ensemble_, options.shortlist);
    running.join(std::move(batch));
    while (!running.empty()) {
      for (auto& outcome : running.step()) {
        if (outcome.error) std::rethrow_exception(outcome.error);
        results[places[outcome.number]] = std::move(outcome.result);
      }
    }
  });
  return results;
}

std::vector<TokenAlternatives> TranslationEngine::alternatives(
    const std::string& source, const std::vector<std::int32_t>& target, int count,
    const LanguagePair& languages) const {
  if (count < 1)
    throw ConfigError(fmt::format("alternatives: the count must be at least 1, got {}", count));
  const PairSpecialTokens marks = model().format.of(languages);
  check_target_ids(target, model(), "target");
  std::vector<std::int32_t> ids = model().src_tokenizer.encode(source);
  require_room("the source", std::ssize(ids), marks.of_source(), ensemble_->longest_input());
  require_room("the target", std::ssize(target), marks.of_target(), ensemble_->longest_input());
  return token_alternatives(*ensemble_, marks, {marks.around(ids), target}, count);
}

}  // namespace attend
