#include "attend/tasks/translation/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "attend/checkpoint/finite.h"
#include "attend/core/option_fields.h"
#include "attend/core/parallel.h"
#include "attend/data/corpus.h"
#include "attend/decode/encoder_decoder_scorer.h"
#include "attend/decode/shortlisted_scorer.h"
#include "attend/error.h"
#include "attend/tasks/answers.h"
#include "attend/tasks/attention_maps.h"
#include "attend/tasks/learned_positions.h"

namespace attend {

namespace {

// A batch has at most as many source tokens as if all its sentences had this length, because its
// memory grows with them.
constexpr std::size_t kTokensOfASentence = 64;
// Decoded together: each has its own keys and values.
constexpr std::size_t kMostHypotheses = 4096;

// Sample k of sentence i draws from stream i + k * kSentences; texts have fewer lines.
constexpr std::uint64_t kSentences = std::uint64_t{1} << 40;

using Sources = std::vector<const std::vector<std::int32_t>*>;

Ragged tokens_of(const Sources& sequences) {
  RaggedBuilder builder;
  for (const auto* sequence : sequences) builder.add(*sequence);
  return builder.build();
}

// A model with the marks of the languages in use.
struct MarkedModel {
  const TranslationModel& model;
  const PairMarks& marks;
};

std::unique_ptr<Scorer> scorer_of(const MarkedModel& marked, const Ragged& src, bool shortlist) {
  const auto& [model, marks] = marked;
  if (shortlist)
    return std::make_unique<ShortlistedScorer>(*model.network, src, marks.before_target,
                                               *model.shortlist, model.suppressed);
  return std::make_unique<EncoderDecoderScorer>(*model.network, src, marks.before_target,
                                                model.suppressed);
}

// Limits outputs to the model's learned positions.
template <class SearchOptions>
SearchOptions within_positions(SearchOptions options, const MarkedModel& marked) {
  const std::int64_t positions = marked.model.longest_input(),
                     room = positions - (marked.marks.of_target() - 1);
  if (positions > 0 && options.max_length > room) options.max_length = static_cast<int>(room);
  return options;
}

// n_best samples per sentence; `numbers` are the sentences' positions in the input.
std::vector<std::vector<Hypothesis>> sample_translations(const MarkedModel& marked,
                                                         const Sources& sources,
                                                         std::span<const std::uint64_t> numbers,
                                                         const TranslationOptions& options) {
  const auto samples = static_cast<std::size_t>(options.beam.n_best);
  Sources repeated;
  std::vector<std::uint64_t> streams;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (std::size_t k = 0; k < samples; ++k) {
      repeated.push_back(sources[i]);
      streams.push_back(numbers[i] + k * kSentences);
    }
  }
  const std::unique_ptr<Scorer> scorer = scorer_of(marked, tokens_of(repeated), options.shortlist);
  std::vector<Hypothesis> drawn = sample(*scorer, marked.model.special().eos,
                                         within_positions(*options.sampling, marked), streams);
  std::vector<std::vector<Hypothesis>> found(sources.size());
  for (std::size_t row = 0; row < drawn.size(); ++row)
    found[row / samples].push_back(std::move(drawn[row]));
  return found;
}

std::vector<std::vector<Hypothesis>> search_translations(const MarkedModel& marked,
                                                         const Sources& sources,
                                                         const TranslationOptions& options) {
  const std::unique_ptr<Scorer> scorer = scorer_of(marked, tokens_of(sources), options.shortlist);
  return beam_search(*scorer, marked.model.special().eos, within_positions(options.beam, marked));
}

Translation empty_translation() {
  Translation translation;
  translation.candidates.emplace_back();
  return translation;
}

// A text of a pair to score; `marks` tokens are added to it.
struct ScoredText {
  const std::vector<std::int32_t>& ids;
  int marks;
  std::string where;
};

void check_length(const ScoredText& text, const TranslationModel& model,
                  const ScoringOptions& options) {
  if (std::ssize(text.ids) > options.max_tokens)
    throw LineError(fmt::format("{}: expected at most {} tokens (--max-tokens), got {}", text.where,
                                options.max_tokens, text.ids.size()));
  require_room(text.where, std::ssize(text.ids), text.marks, model.longest_input());
}

std::string ends_early(const LineReader& shorter, const LineReader& longer) {
  return fmt::format("{} ends at line {}, before {}; expected as many lines in both",
                     shorter.name(), shorter.line_number(), longer.name());
}

// Reads the next line of `first`. If it is invalid, also skips the corresponding line of `second`.
bool next_of_pair(LineReader& first, LineReader& second, std::string& line) {
  try {
    return first.next(line);
  } catch (const LineError&) {
    std::string ignored;
    try {
      if (!second.next(ignored)) throw DataError(ends_early(second, first));
    } catch (const LineError&) {  // one error per pair is enough
    }
    throw;
  }
}

}  // namespace

TranslationEngine TranslationEngine::load(const std::filesystem::path& path) {
  return TranslationEngine(load_translation_model(path));
}

TranslationOptions TranslationEngine::default_options() const {
  TranslationOptions options;
  options.beam.beam_size = model_->decoding.beam_size;
  options.beam.length_penalty = model_->decoding.length_penalty;
  options.beam.min_length = model_->decoding.min_length;
  options.beam.no_repeat_ngram = model_->decoding.no_repeat_ngram;
  return options;
}

TranslationEngine::Call TranslationEngine::call(const TranslationOptions& options) const {
  return {options, model_->format.of(options.languages)};
}

TranslationEngine::Request TranslationEngine::request(const std::string& line, std::uint64_t number,
                                                      const std::string& where,
                                                      const Call& call) const {
  Request request{model_->src_tokenizer.encode(line), number};
  const auto tokens = static_cast<std::int64_t>(request.ids.size());
  if (tokens > call.options.max_source_tokens)
    throw LineError(
        fmt::format("{}: a sentence of {} tokens is longer than max-source-tokens {}; split it, or "
                    "raise --max-source-tokens",
                    where, tokens, call.options.max_source_tokens));
  require_room(where, tokens, call.marks.of_source(), model_->longest_input());
  if (tokens > 0) request.ids = call.marks.around(request.ids);
  return request;
}

std::vector<Translation> TranslationEngine::translate(std::span<const std::string> sentences,
                                                      const TranslationOptions& options) const {
  const Call all = call(options);
  std::vector<Request> requests;
  requests.reserve(sentences.size());
  for (std::size_t i = 0; i < sentences.size(); ++i)
    requests.push_back(request(sentences[i], i, fmt::format("sentence {}", i + 1), all));
  return translate_requests(requests, all);
}

std::vector<Translation> TranslationEngine::translate_ids(
    std::vector<std::vector<std::int32_t>> sources, const TranslationOptions& options) const {
  std::vector<Request> requests;
  requests.reserve(sources.size());
  for (std::vector<std::int32_t>& ids : sources)
    requests.push_back({std::move(ids), requests.size()});
  return translate_requests(requests, call(options));
}

void TranslationEngine::translate(LineReader& lines, const AnswerSink<Translation>& sink,
                                  const TranslationOptions& options) const {
  const Call all = call(options);
  std::string line;
  answer_all(Conversation<Request, Translation>{
      .window = static_cast<std::size_t>(std::max(1, options.window)),
      .arrived = [&] { return lines.has_arrived(); },
      .next = [&]() -> std::optional<Request> {
        if (!lines.next(line)) return std::nullopt;
        return request(line, static_cast<std::uint64_t>(lines.line_number() - 1), lines.where(),
                       all);
      },
      .where = [&] { return lines.where(); },
      .answer = [&](std::span<const Request> window) { return translate_requests(window, all); },
      .sink = sink,
  });
}

std::vector<Translation> TranslationEngine::translate_requests(std::span<const Request> requests,
                                                               const Call& call) const {
  const TranslationOptions& options = call.options;
  check_options(options);
  if (options.shortlist && !model_->shortlist)
    throw ConfigError("--shortlist: the model has no shortlist; attend shortlist adds one");
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return requests[a].ids.size() > requests[b].ids.size();
  });

  // Parallel batches scale better than parallel GEMMs, so there are several per thread if there are
  // enough sentences. Batches have equal shares of the source tokens: an equal number of the
  // longest sentences would take longer and more memory.
  const auto hypotheses =
      static_cast<std::size_t>(options.sampling ? options.beam.n_best : options.beam.beam_size);
  const std::size_t size = std::clamp(kMostHypotheses / hypotheses, std::size_t{1},
                                      static_cast<std::size_t>(options.batch_size));
  const std::size_t shares = threads() > 1 ? 2 * static_cast<std::size_t>(threads()) : 1;
  std::size_t all_tokens = 0;
  for (const Request& request : requests) all_tokens += request.ids.size();

  std::vector<std::size_t> begins;  // start of each batch in `order`
  std::size_t share = 0, before = 0, tokens = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t more = requests[order[i]].ids.size();
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

  std::vector<Translation> results(requests.size());
  const auto translate_one = [&](std::int64_t number) {
    const std::size_t begin = begins[static_cast<std::size_t>(number)],
                      end = begins[static_cast<std::size_t>(number) + 1];
    std::vector<const Request*> batch;
    for (std::size_t i = begin; i < end; ++i) batch.push_back(&requests[order[i]]);
    auto translated = translate_batch(batch, call);
    for (std::size_t i = 0; i < batch.size(); ++i)
      results[order[begin + i]] = std::move(translated[i]);
  };
  parallel_each(std::ssize(begins) - 1, translate_one);
  return results;
}

std::vector<Translation> TranslationEngine::translate_batch(std::span<const Request* const> batch,
                                                            const Call& call) const {
  const auto& [options, marks] = call;
  Sources sources;
  std::vector<std::uint64_t> numbers;
  for (const Request* request : batch) {
    if (request->ids.empty()) continue;
    sources.push_back(&request->ids);
    numbers.push_back(request->number);
  }
  std::vector<std::vector<Hypothesis>> found;
  if (!sources.empty()) {
    try {
      const MarkedModel marked{*model_, marks};
      found = options.sampling ? sample_translations(marked, sources, numbers, options)
                               : search_translations(marked, sources, options);
    } catch (const NotFiniteError& error) {  // names the model, which decoding does not know
      throw NotFiniteError(
          fmt::format("{}{}{}", model_->source, model_->source.empty() ? "" : ": ", error.what()));
    }
  }

  std::vector<Translation> results;
  std::size_t next = 0;
  for (const Request* request : batch) {
    if (request->ids.empty()) {
      results.push_back(empty_translation());
      continue;
    }
    Translation translation{{}, source_tokens(*request, marks)};
    for (const Hypothesis& hypothesis : found[next]) {
      translation.candidates.push_back(candidate(hypothesis));
      if (options.alignment)
        translation.candidates.back().alignment =
            word_alignment(*model_, marks, request->ids, hypothesis.ids);
    }
    ++next;
    results.push_back(std::move(translation));
  }
  return results;
}

std::vector<std::string> TranslationEngine::source_tokens(const Request& request,
                                                          const PairMarks& marks) const {
  std::vector<std::string> tokens;
  const std::size_t end = request.ids.size() - marks.behind_source.size();
  for (std::size_t i = marks.before_source.size(); i < end; ++i)
    tokens.push_back(model_->src_tokenizer.piece(request.ids[i]));
  return tokens;
}

TranslationCandidate TranslationEngine::candidate(const Hypothesis& hypothesis) const {
  require_finite(std::array{hypothesis.score, hypothesis.log_probability},
                 "scores of a translation", model_->source);
  TranslationCandidate candidate;
  candidate.text = model_->tgt_tokenizer.decode(hypothesis.ids);
  candidate.score = hypothesis.score;
  candidate.log_probability = hypothesis.log_probability;
  for (const std::int32_t id : hypothesis.ids)
    candidate.tokens.push_back(model_->tgt_tokenizer.piece(id));
  candidate.token_scores = hypothesis.token_scores;
  return candidate;
}

std::vector<SequenceScore> TranslationEngine::score(std::span<const std::string> src,
                                                    std::span<const std::string> tgt,
                                                    const ScoringOptions& options,
                                                    const LanguagePair& languages) const {
  if (src.size() != tgt.size())
    throw DataError(
        fmt::format("expected as many targets as sources, got {} and {}", tgt.size(), src.size()));
  const PairMarks marks = model_->format.of(languages);
  std::vector<std::vector<std::int32_t>> src_ids = encode_all(src, model_->src_tokenizer),
                                         tgt_ids = encode_all(tgt, model_->tgt_tokenizer);
  for (std::size_t i = 0; i < src.size(); ++i) {
    check_length({src_ids[i], marks.of_source(), fmt::format("source {}", i + 1)}, *model_,
                 options);
    check_length({tgt_ids[i], marks.of_target(), fmt::format("target {}", i + 1)}, *model_,
                 options);
    src_ids[i] = marks.around(src_ids[i]);
  }
  return score_pairs(*model_, marks, src_ids, tgt_ids);
}

void TranslationEngine::score(LineReader& src, LineReader& tgt,
                              const AnswerSink<SequenceScore>& sink, const ScoringOptions& options,
                              const LanguagePair& languages) const {
  const PairMarks marks = model_->format.of(languages);
  struct Pair {
    std::vector<std::int32_t> src, tgt;
  };
  std::string src_line, tgt_line;
  const auto next = [&]() -> std::optional<Pair> {
    const bool more_src = next_of_pair(src, tgt, src_line), more_tgt = tgt.next(tgt_line);
    if (more_src != more_tgt)
      throw DataError(ends_early(more_src ? tgt : src, more_src ? src : tgt));
    if (!more_src) return std::nullopt;
    Pair pair{model_->src_tokenizer.encode(src_line), model_->tgt_tokenizer.encode(tgt_line)};
    check_length({pair.src, marks.of_source(), src.where()}, *model_, options);
    check_length({pair.tgt, marks.of_target(), tgt.where()}, *model_, options);
    pair.src = marks.around(pair.src);
    return pair;
  };
  const auto answer = [&](std::span<const Pair> pairs) {
    std::vector<std::vector<std::int32_t>> src_ids, tgt_ids;
    for (const Pair& pair : pairs) {
      src_ids.push_back(pair.src);
      tgt_ids.push_back(pair.tgt);
    }
    return score_pairs(*model_, marks, src_ids, tgt_ids);
  };
  answer_all(Conversation<Pair, SequenceScore>{
      .arrived = [&] { return src.has_arrived() && tgt.has_arrived(); },
      .next = next,
      .where = [&] { return src.where(); },
      .answer = answer,
      .sink = sink,
  });
}

}  // namespace attend
