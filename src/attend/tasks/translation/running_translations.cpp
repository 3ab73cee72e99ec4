#include "attend/tasks/translation/running_translations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "attend/checkpoint/finite.h"
#include "attend/decode/scorers/ensemble_scorer.h"
#include "attend/decode/scorers/shortlisted_scorer.h"
#include "attend/error.h"
#include "attend/tasks/explanation/attention_maps.h"
#include "attend/tasks/translation/candidate_choice.h"
#include "attend/tasks/translation/read_terms.h"

namespace attend {

namespace {

// Sample k of sentence i draws from stream i + k * kSentences; texts have fewer lines.
constexpr std::uint64_t kSentences = std::uint64_t{1} << 40;

// Limits outputs to the model's learned positions.
template <class SearchOptions>
SearchOptions within_positions(SearchOptions options, std::int64_t positions,
                               const PairSpecialTokens& marks) {
  const std::int64_t room = positions - (marks.of_target() - 1);
  if (positions > 0 && options.max_length > room) options.max_length = static_cast<int>(room);
  return options;
}

// What hears the steps of a sentence; nothing if nobody asked.
BeamSearch::Listener listener_of(const SourceSentence& sentence) {
  if (!sentence.call->options.search_listener) return {};
  return [call = sentence.call, number = static_cast<std::size_t>(sentence.number)](
             const BeamStep& step) { call->options.search_listener(number, step); };
}

// Sentences that are aligned together, and the steps that the first of them waits for others.
constexpr std::size_t kAlignedTogether = 16;
constexpr int kMostWaiting = 8;

// Names the model, which decoding does not know.
std::exception_ptr with_source(const std::exception_ptr& error, const std::string& source) {
  try {
    std::rethrow_exception(error);
  } catch (const NotFiniteError& found) {
    if (source.empty()) return error;
    return std::make_exception_ptr(NotFiniteError(fmt::format("{}: {}", source, found.what())));
  } catch (...) {
    return error;
  }
}

std::unique_ptr<TranslationScorer> scorer_of(const TranslationEnsemble& ensemble, bool shortlist) {
  const TranslationModel& model = ensemble.first();
  if (shortlist)
    return std::make_unique<ShortlistedScorer>(*model.network,
                                               model.shortlist->without(model.suppressed));
  if (!ensemble.has_several()) return std::make_unique<EncoderDecoderScorer>(*model.network);
  std::vector<const EncoderDecoder*> networks;
  for (const auto& member : ensemble.models()) networks.push_back(member->network.get());
  return std::make_unique<EnsembleScorer>(networks);
}

}  // namespace

Translation untranslated(const SourceSentence& sentence) {
  Translation translation;
  translation.candidates.emplace_back();
  if (sentence.protection) translation.candidates.back().text = sentence.protection->original();
  if (sentence.call->trust) translation.candidates.back().trust.emplace();
  return translation;
}

std::int64_t hypotheses_of(const TranslationOptions& options) {
  if (options.samples > 0) return options.samples;
  return options.sampling ? options.beam.n_best : options.beam.beam_size;
}

RunningTranslations::RunningTranslations(std::shared_ptr<const TranslationEnsemble> ensemble,
                                         bool shortlist)
    : ensemble_(std::move(ensemble)),
      model_(ensemble_->first()),
      suppressed_(ensemble_->suppressed()),
      scorer_(scorer_of(*ensemble_, shortlist)),
      batch_(*scorer_) {}

std::size_t RunningTranslations::join(std::vector<SourceSentence> sentences) {
  RaggedBuilder src;
  std::vector<DecoderPrefix> prefixes;
  for (const SourceSentence& sentence : sentences) {
    src.add(sentence.ids);
    DecoderPrefix& prefix = prefixes.emplace_back();
    prefix.tokens = sentence.call->marks.before_target;
    if (sentence.call->options.prefix_weight < 1) continue;  // the search is drawn to it
    prefix.forced = std::ssize(sentence.prefix);
    prefix.tokens.insert(prefix.tokens.end(), sentence.prefix.begin(), sentence.prefix.end());
  }
  const std::size_t first = next_;
  try {
    for (SourceSentence& sentence : sentences) running_.emplace(next_++, std::move(sentence));
    scorer_->join({src.build(), prefixes});
  } catch (...) {
    running_.erase(running_.lower_bound(first), running_.end());
    next_ = first;
    throw;
  }
  batch_.join(first, [this](const DecodeRequest& arrival, std::size_t sentence) {
    return search(running_.at(sentence), *running_.at(sentence).call, arrival);
  });
  return first;
}

// A sentence that has left the batch comes back.
void RunningTranslations::search_again(std::size_t number, const TranslationCall& call) {
  const SourceSentence& sentence = running_.at(number);
  RaggedBuilder src;
  src.add(sentence.ids);
  std::vector<DecoderPrefix> prefixes(1);
  prefixes.front().tokens = call.marks.before_target;
  scorer_->join({src.build(), prefixes});
  batch_.join(number, [&](const DecodeRequest& arrival, std::size_t) {
    return search(sentence, call, arrival);
  });
}

// Called for a sentence that is done. If this returns false, the sentence is translated again.
bool RunningTranslations::has_terms_in_place(RunningBatch::Decoded& decoded) {
  const SourceSentence& sentence = running_.at(decoded.number);
  auto found = found_with_terms_.extract(decoded.number);
  if (found.empty()) {
    if (!has_unlikely_terms(sentence, decoded.result.front())) return true;
    search_again(decoded.number, *sentence.terms->without);
    found_with_terms_.emplace(decoded.number, std::move(decoded.result));
    return false;
  }
  auto better =
      with_terms_in_place(*ensemble_, sentence, found.mapped().front(), decoded.result.front());
  decoded.result = std::move(found.mapped());
  if (!better) return true;
  decoded.result.pop_back();
  decoded.result.insert(decoded.result.begin(), std::move(*better));
  return true;
}

RunningBatch::Search RunningTranslations::search(const SourceSentence& sentence,
                                                 const TranslationCall& call,
                                                 const DecodeRequest& arrival) const {
  const TranslationOptions& options = call.options;
  const PairSpecialTokens& marks = call.marks;
  const EndTokens ends(options.end_ids.empty() ? model_.ends : options.end_ids);
  OutputRules rules{.phrases = call.rules, .suppressed = suppressed_};
  if (!options.sampling) {
    if (options.prefix_weight < 1) rules.beginning = {sentence.prefix, options.prefix_weight};
    return BeamSearch(arrival, ends,
                      within_positions(options.beam, ensemble_->longest_input(), marks), rules,
                      listener_of(sentence));
  }
  std::vector<std::uint64_t> streams;
  for (int k = 0; k < options.beam.n_best; ++k)
    streams.push_back(sentence.number + static_cast<std::uint64_t>(k) * kSentences);
  return Sampling(arrival, ends,
                  within_positions(*options.sampling, ensemble_->longest_input(), marks), streams,
                  rules.with(options.beam));
}

void RunningTranslations::leave(std::size_t sentence) {
  batch_.leave(sentence);
  running_.erase(sentence);
  found_with_terms_.erase(sentence);
  std::erase_if(waiting_, [&](const Unaligned& one) { return one.outcome.number == sentence; });
}

std::vector<Outcome<Translation>> RunningTranslations::step() {
  std::vector<Outcome<Translation>> done;
  if (!batch_.empty()) {
    for (auto& outcome : batch_.step()) {
      const SourceSentence& sentence = running_.at(outcome.number);
      Outcome<Translation> result{outcome.number, {}, nullptr};
      try {
        if (outcome.error) std::rethrow_exception(outcome.error);
        if (!has_terms_in_place(outcome)) continue;
        choose(sentence, outcome.result);
        result.result = translation(sentence, outcome.result);
        if (sentence.aligned) {
          waiting_.push_back({std::move(result), std::move(outcome.result)});
          continue;
        }
      } catch (const NotFiniteError&) {
        result.error =
            outcome.error ? with_source(outcome.error, model_.source) : std::current_exception();
      } catch (...) {
        result.error = std::current_exception();
      }
      finish(std::move(result), done);
    }
  }
  if (waiting_.empty()) return done;
  if (waiting_.size() >= kAlignedTogether || ++waited_ >= kMostWaiting || batch_.empty())
    align_waiting(done);
  return done;
}

void RunningTranslations::choose(const SourceSentence& sentence,
                                 std::vector<Hypothesis>& found) const {
  const TranslationCall& call = *sentence.call;
  if (!chooses(call.options)) return;
  const ProtectedSentence* const protection = sentence.protection.get();
  Candidates candidates{protection ? protection->readable_source() : sentence.text, {}, {}};
  for (const Hypothesis& hypothesis : found) {
    const std::string text = call.target.restored(text_of(hypothesis));
    candidates.texts.push_back(protection ? protection->readable(text) : text);
    candidates.log_probabilities.push_back(double{hypothesis.log_probability});
  }
  std::vector<std::size_t> order = ranked(call.options, candidates);
  order.resize(std::min(order.size(), static_cast<std::size_t>(call.answers)));
  std::vector<Hypothesis> chosen;
  for (const std::size_t number : order) chosen.push_back(std::move(found[number]));
  found = std::move(chosen);
}

void RunningTranslations::align_waiting(std::vector<Outcome<Translation>>& done) {
  waited_ = 0;
  std::vector<Unaligned> waiting = std::exchange(waiting_, {});
  std::vector<PairToAlign> pairs;
  for (const Unaligned& one : waiting) {
    const SourceSentence& sentence = running_.at(one.outcome.number);
    for (const Hypothesis& hypothesis : one.found)
      pairs.push_back({&sentence.call->marks, sentence.ids, hypothesis.ids, sentence.context,
                       sentence.inline_terms});
  }
  std::vector<PairAlignment> alignments;
  std::exception_ptr error;
  try {
    alignments = pair_alignments(model_, pairs);
  } catch (...) {
    error = std::current_exception();
  }
  auto next = alignments.begin();
  for (Unaligned& one : waiting) {
    one.outcome.error = error;
    if (!error)
      for (TranslationCandidate& candidate : one.outcome.result.candidates) {
        candidate.alignment = std::move(next->words);
        candidate.token_alignment = std::move(next->tokens);
        ++next;
      }
    finish(std::move(one.outcome), done);
  }
}

void RunningTranslations::finish(Outcome<Translation> outcome,
                                 std::vector<Outcome<Translation>>& done) {
  const auto found = running_.find(outcome.number);
  found_with_terms_.erase(outcome.number);
  const SourceSentence& sentence = found->second;
  if (!outcome.error && sentence.protection)
    for (TranslationCandidate& candidate : outcome.result.candidates)
      sentence.protection->restore(candidate);
  if (!outcome.error && sentence.call->trust)
    for (TranslationCandidate& candidate : outcome.result.candidates)
      candidate.trust = sentence.call->trust->of(sentence.text, candidate.text,
                                                 TranslationScores{candidate.token_scores});
  running_.erase(found);
  done.push_back(std::move(outcome));
}

Translation RunningTranslations::translation(const SourceSentence& sentence,
                                             const std::vector<Hypothesis>& found) const {
  Translation translation{{}, sentence_tokens(model_, sentence)};
  for (const Hypothesis& hypothesis : found)
    translation.candidates.push_back(candidate(hypothesis, sentence.call->target));
  return translation;
}

// A first token that the model is forced to write is a part of the text; a language is not.
std::string RunningTranslations::text_of(const Hypothesis& hypothesis) const {
  const std::vector<std::int32_t>& before = model_.format.marks.before_target;
  if (before.size() <= 1 || before.back() < 0) return model_.tgt_tokenizer.decode(hypothesis.ids);
  std::vector<std::int32_t> ids{before.back()};
  ids.insert(ids.end(), hypothesis.ids.begin(), hypothesis.ids.end());
  return model_.tgt_tokenizer.decode(ids);
}

TranslationCandidate RunningTranslations::candidate(const Hypothesis& hypothesis,
                                                    const TextPreparer& target) const {
  require_finite(std::array{hypothesis.score, hypothesis.log_probability},
                 "scores of a translation", model_.source);
  TranslationCandidate candidate;
  candidate.text = target.restored(text_of(hypothesis));
  candidate.score = hypothesis.score;
  candidate.log_probability = hypothesis.log_probability;
  for (const std::int32_t id : hypothesis.ids)
    candidate.tokens.push_back(model_.tgt_tokenizer.piece(id));
  candidate.token_scores = hypothesis.token_scores;
  candidate.end = hypothesis.end;
  return candidate;
}

}  // namespace attend
