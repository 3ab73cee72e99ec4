#include "attend/tasks/language/running_generations.h"

#include <fmt/format.h>

#include <utility>

#include "attend/checkpoint/finite.h"
#include "attend/error.h"

namespace attend {

namespace {

// What is written as lines, and not as a document.
bool has_lines(const LanguageModel& model, const GenerationPrompt& prompt) {
  return model.text.has_lines() && !prompt.is_conversation;
}

// What ends a text: nothing does, the end of its line, what the options name, or the model. A
// conversation always has an end.
EndTokens ends_of(const LanguageModel& model, const GenerationPrompt& prompt) {
  const GenerationOptions& options = prompt.options;
  if (has_lines(model, prompt) && !options.one_line) return EndTokens(-1);
  if (!options.end_ids.empty()) return EndTokens(options.end_ids);
  return EndTokens(prompt.is_conversation ? model.conversation_ends() : model.text.ends);
}

// The sequences that the options and the model forbid. Null: it may contain anything.
std::shared_ptr<const PhraseRules> forbidden_sequences(const GenerationOptions& options,
                                                       const LanguageModel& model) {
  std::vector<PhrasePaths> paths;
  for (const auto* sequences : {&options.forbidden_ids, &model.text.forbidden})
    for (const std::vector<std::int32_t>& ids : *sequences) paths.push_back(one_path(ids));
  if (paths.empty()) return nullptr;
  return std::make_shared<const PhraseRules>(std::vector<std::vector<std::int32_t>>(),
                                             std::move(paths));
}

// Ends of lines may repeat.
OutputRules output_rules(const LanguageModel& model, const GenerationOptions& options) {
  OutputRules rules{.phrases = forbidden_sequences(options, model),
                    .suppressed = unwritten_tokens(model),
                    .renormalized = true};
  rules.repetition.context = model.context_for(options.context);
  if (model.text.has_lines()) rules.repetition.exempt = model.tokenizer.eos_id();
  return rules.with(search_options(options));
}

Generation generation(const Hypothesis& hypothesis) {
  Generation result{{},
                    hypothesis.ids,
                    hypothesis.token_scores,
                    hypothesis.score,
                    hypothesis.complete && hypothesis.end >= 0};
  if (result.complete) result.ids.push_back(hypothesis.end);
  return result;
}

}  // namespace

std::vector<std::int32_t> unwritten_tokens(const LanguageModel& model) {
  std::vector<std::int32_t> tokens;
  if (!model.text.has_lines() || !model.text.forbidden.empty()) return tokens;
  const SpecialTokens special = model.tokenizer.special_tokens();
  for (const std::int32_t id : {special.pad, special.unk, special.bos})
    if (id >= 0 && id != special.eos) tokens.push_back(id);
  return tokens;
}

BeamSearchOptions search_options(const GenerationOptions& options) {
  BeamSearchOptions search;
  search.beam_size = options.beam.beam_size;
  search.length_penalty = options.beam.length_penalty;
  search.n_best = options.n_best;
  search.max_length = options.max_tokens;
  search.min_length = options.min_tokens;
  search.no_repeat_ngram = options.no_repeat_ngram;
  search.repetition_penalty = options.repetition_penalty;
  search.patience = options.beam.patience;
  return search;
}

RunningGenerations::Writer::Writer(const LanguageModel& model, const GenerationPrompt& prompt)
    : line_end_(has_lines(model, prompt) ? model.tokenizer.eos_id() : -1),
      stream_(model.tokenizer, has_lines(model, prompt) ? TextStream::LineBreaks::spaces
                                                        : TextStream::LineBreaks::kept) {
  for (const std::int32_t token : prompt.begun) stream_.add(token);
  TextStream ended(model.tokenizer);
  for (const std::int32_t token : prompt.begun) ended.add(token);
  cut_ = ended.finish();
}

std::string RunningGenerations::Writer::without_cut(std::string more) {
  if (more.empty()) return more;
  const std::string cut = std::exchange(cut_, "");
  return more.starts_with(cut) ? more.substr(cut.size()) : more;
}

std::string RunningGenerations::Writer::add(std::int32_t token) {
  ++tokens_;
  const std::string more =
      without_cut(token == line_end_ ? stream_.finish().append("\n") : stream_.add(token));
  text_ += more;
  return more;
}

std::string RunningGenerations::Writer::finish() { return text_ + without_cut(stream_.finish()); }

RunningGenerations::RunningGenerations(std::shared_ptr<const LanguageModel> model)
    : model_(std::move(model)), scorer_(*model_->network), batch_(scorer_) {}

std::size_t RunningGenerations::join(GenerationPrompt prompt) {
  const std::size_t number = next_;
  Running& running = running_[number];
  try {
    running.prompt = std::move(prompt);
    const GenerationOptions& options = running.prompt.options;
    for (int item = 0; item < options.n_best; ++item)
      running.writers.emplace_back(*model_, running.prompt);
    scorer_.join(running.prompt.stream, {.context = model_->context_for(options.context),
                                         .max_length = options.max_tokens,
                                         .cache = options.cache});
  } catch (...) {
    running_.erase(number);
    throw;
  }
  ++next_;
  batch_.join(number, [&](const DecodeRequest& arrival, std::size_t) {
    return search(running.prompt, arrival);
  });
  return number;
}

RunningBatch::Search RunningGenerations::search(const GenerationPrompt& prompt,
                                                const DecodeRequest& arrival) const {
  const GenerationOptions& options = prompt.options;
  const EndTokens ends = ends_of(*model_, prompt);
  const OutputRules rules = output_rules(*model_, options);
  if (options.beam.beam_size > 0) return BeamSearch(arrival, ends, search_options(options), rules);
  SamplingOptions sampling = options.sampling;
  sampling.max_length = options.max_tokens;
  std::vector<std::uint64_t> streams;
  for (int k = 0; k < options.n_best; ++k)
    streams.push_back(prompt.sample + static_cast<std::uint64_t>(k));
  Sampling search(arrival, ends, sampling, streams, rules);
  search.report_likeliest(options.likeliest);
  return search;
}

void RunningGenerations::leave(std::size_t prompt) {
  batch_.leave(prompt);
  running_.erase(prompt);
}

void RunningGenerations::write(Running& running, std::size_t item,
                               std::span<const std::int32_t> ids, const Hypothesis& found) {
  Writer& writer = running.writers[item];
  for (std::size_t i = writer.tokens(); i < ids.size(); ++i) {
    GeneratedToken token{item, ids[i], found.token_scores[i], writer.add(ids[i])};
    if (!found.likeliest.empty()) token.likeliest = found.likeliest[i];
    if (running.prompt.grow && running.prompt.options.beam.beam_size == 0)
      running.prompt.grow(token);
  }
}

std::vector<Generation> RunningGenerations::continuations(Running& running,
                                                          const std::vector<Hypothesis>& found) {
  std::vector<Generation> results;
  for (const Hypothesis& hypothesis : found) {
    Generation& result = results.emplace_back(generation(hypothesis));
    const std::size_t item = results.size() - 1;
    write(running, item, result.ids, hypothesis);
    result.text = running.writers[item].finish();
  }
  return results;
}

std::vector<Outcome<std::vector<Generation>>> RunningGenerations::step() {
  std::vector<RunningBatch::Decoded> ended = batch_.step();
  batch_.for_samples([this](std::size_t prompt, const std::vector<Hypothesis>& samples) {
    Running& running = running_.at(prompt);
    for (std::size_t item = 0; item < samples.size(); ++item)
      write(running, item, samples[item].ids, samples[item]);
  });
  std::vector<Outcome<std::vector<Generation>>> done;
  for (auto& outcome : ended) {
    const auto found = running_.find(outcome.number);
    auto& result = done.emplace_back();
    result.number = outcome.number;
    try {
      if (outcome.error) std::rethrow_exception(outcome.error);
      result.result = continuations(found->second, outcome.result);
    } catch (const NotFiniteError& error) {  // names the model, which decoding does not know
      result.error = std::make_exception_ptr(NotFiniteError(
          fmt::format("{}{}{}", model_->source, model_->source.empty() ? "" : ": ", error.what())));
    } catch (...) {
      result.error = std::current_exception();
    }
    running_.erase(found);
  }
  return done;
}

}  // namespace attend
