#include "attend/tasks/language/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/checkpoint/finite.h"
#include "attend/core/option_fields.h"
#include "attend/core/utf8.h"
#include "attend/decode/beam_search.h"
#include "attend/decode/language_scorer.h"
#include "attend/error.h"
#include "attend/text/text_stream.h"

namespace attend {

namespace {

// The prompt's tokens, and those of its last line, which continues.
struct Prompt {
  std::vector<std::int32_t> stream;  // begins with the model's first token
  std::vector<std::int32_t> line;
};

// `name`: "the prompt", and its source if known.
Prompt read_prompt(std::string_view text, const std::string& name, const LanguageModel& model,
                   int context) {
  if (!is_utf8(text)) throw DataError(fmt::format("{} is not UTF-8", name));
  Prompt prompt;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    prompt.line = model.tokenizer.encode(text.substr(begin, end - begin));
    prompt.stream.push_back(begin == 0 ? model.first_token : model.tokenizer.eos_id());
    prompt.stream.insert(prompt.stream.end(), prompt.line.begin(), prompt.line.end());
    begin = end + 1;
  }
  if (std::ssize(prompt.stream) > context)
    throw DataError(fmt::format(
        "{} has {} tokens, line ends included; the model's context holds at most {}: shorten it",
        name, prompt.stream.size(), context));
  return prompt;
}

// Delivers the growing text of lines of tokens in whole characters.
class Writer {
 public:
  // `line`: the tokens of the current line, which are not written again.
  Writer(const Tokenizer& tokenizer, std::span<const std::int32_t> line,
         std::function<void(std::string_view)> accept)
      : eos_(tokenizer.eos_id()), stream_(tokenizer), accept_(std::move(accept)) {
    for (const std::int32_t token : line) stream_.add(token);
  }

  void add(std::int32_t token) {
    if (token == eos_) {
      flush();
      put("\n");
    } else {
      put(stream_.add(token));
    }
  }
  void flush() { put(stream_.finish()); }
  const std::string& text() const { return text_; }

 private:
  void put(std::string_view more) {
    text_ += more;
    if (accept_ && !more.empty()) accept_(more);
  }

  std::int32_t eos_;
  TextStream stream_;
  std::function<void(std::string_view)> accept_;
  std::string text_;
};

// A prompt and the scorer of its continuations.
struct Beginning {
  Prompt prompt;
  LanguageScorer scorer;
};

// A vocabulary may have one token for bos and eos, or lack some.
std::vector<std::int32_t> tokens_without_text(const SpecialTokens& special) {
  std::vector<std::int32_t> tokens;
  for (const std::int32_t id : {special.pad, special.unk, special.bos})
    if (id >= 0 && id != special.eos) tokens.push_back(id);
  return tokens;
}

Beginning begin(const LanguageModel& model, std::string_view text,
                const GenerationOptions& options) {
  const Tokenizer& tokenizer = model.tokenizer;
  check_options(options);
  const int context = model.context_for(options.context);
  const std::string name =
      options.prompt_source.empty() ? "the prompt" : options.prompt_source + ": the prompt";
  Prompt prompt = read_prompt(text, name, model, context);
  const SpecialTokens special = tokenizer.special_tokens();
  LanguageScorer scorer(*model.network, prompt.stream,
                        {.context = context,
                         .max_length = options.max_tokens,
                         .cache = options.cache,
                         .forbidden = tokens_without_text(special),
                         .repetition_penalty = options.repetition_penalty,
                         .never_penalized = special.eos});
  return {std::move(prompt), std::move(scorer)};
}

// Adds the model file to errors of decoding.
template <class Decode>
auto with_source(const LanguageModel& model, const Decode& decode) {
  try {
    return decode();
  } catch (const NotFiniteError& error) {
    throw NotFiniteError(
        fmt::format("{}{}{}", model.source, model.source.empty() ? "" : ": ", error.what()));
  }
}

// What ends a text: nothing does, or the end of its line.
std::int32_t end_of(const LanguageModel& model, const GenerationOptions& options) {
  return options.one_line ? model.tokenizer.eos_id() : -1;
}

Generation generation(Hypothesis hypothesis, std::int32_t end) {
  Generation result{{},
                    std::move(hypothesis.ids),
                    std::move(hypothesis.token_scores),
                    hypothesis.score,
                    hypothesis.complete && end >= 0};
  if (result.complete) result.ids.push_back(end);
  return result;
}

}  // namespace

GenerationOptions GenerationEngine::default_options() const {
  GenerationOptions options;
  options.cache = model_->cache;
  return options;
}

Generation GenerationEngine::generate(std::string_view prompt, const GenerationOptions& options,
                                      const std::function<void(std::string_view)>& accept,
                                      std::uint64_t sample) const {
  if (options.beam.beam_size > 0) {
    GenerationOptions best = options;
    best.n_best = 1;
    Generation result = std::move(generate_best(prompt, best).front());
    if (accept) accept(result.text);
    return result;
  }
  return with_source(*model_, [&] {
    Beginning beginning = begin(*model_, prompt, options);
    Writer writer(model_->tokenizer, beginning.prompt.line, accept);
    const std::int32_t end = end_of(*model_, options);
    SamplingOptions sampling = options.sampling;
    sampling.max_length = options.max_tokens;
    Sampler sampler(beginning.scorer, end, sampling, {&sample, 1});
    for (std::size_t written = 0; !sampler.done();) {
      sampler.step();
      const std::vector<std::int32_t>& ids = sampler.hypotheses()[0].ids;
      if (written < ids.size()) writer.add(ids[written++]);
    }
    Generation result = generation(sampler.hypotheses()[0], end);
    if (result.complete) writer.add(end);
    writer.flush();
    result.text = writer.text();
    return result;
  });
}

std::vector<Generation> GenerationEngine::generate_best(std::string_view prompt,
                                                        const GenerationOptions& options) const {
  return with_source(*model_, [&] {
    Beginning beginning = begin(*model_, prompt, options);
    const std::int32_t end = end_of(*model_, options);
    BeamSearchOptions beam;
    beam.beam_size = options.beam.beam_size;
    beam.length_penalty = options.beam.length_penalty;
    beam.n_best = options.n_best;
    beam.max_length = options.max_tokens;
    std::vector<Generation> results;
    std::vector<Hypothesis> found = std::move(beam_search(beginning.scorer, end, beam).front());
    for (Hypothesis& hypothesis : found) {
      results.push_back(generation(std::move(hypothesis), end));
      Writer writer(model_->tokenizer, beginning.prompt.line, {});
      for (const std::int32_t id : results.back().ids) writer.add(id);
      writer.flush();
      results.back().text = writer.text();
    }
    return results;
  });
}

}  // namespace attend
