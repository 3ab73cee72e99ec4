#include "attend/tasks/language/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "attend/backend/backend.h"
#include "attend/checkpoint/finite.h"
#include "attend/core/error.h"
#include "attend/core/option_fields.h"
#include "attend/core/random.h"
#include "attend/core/utf8.h"
#include "attend/text/text_stream.h"

namespace attend {

namespace {

int checked_context(const LanguageModel& model, const GenerationOptions& o) {
  check_options(o);
  const int context = o.context == 0 ? model.context.sequence_length : o.context;
  const TransformerConfig& stack = model.transformer->config().stack;
  if (stack.positions == PositionKind::learned && context > stack.max_positions)
    throw ConfigError(fmt::format("context: {} is more than the {} positions the model has learned", context, stack.max_positions));
  return context;
}

// The prompt as the model reads it, and the tokens of its last line, which goes on.
struct Prompt {
  std::vector<std::int32_t> stream;  // begins with eos
  std::vector<std::int32_t> line;
};

// `name`: "the prompt", and where it comes from if that is known.
Prompt read_prompt(std::string_view text, const std::string& name, const Tokenizer& tokenizer, int context) {
  if (!is_utf8(text)) throw DataError(fmt::format("{} is not UTF-8", name));
  Prompt prompt;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    prompt.line = tokenizer.encode(text.substr(begin, end - begin));
    prompt.stream.push_back(tokenizer.eos_id());
    prompt.stream.insert(prompt.stream.end(), prompt.line.begin(), prompt.line.end());
    begin = end + 1;
  }
  if (std::ssize(prompt.stream) > context)
    throw DataError(fmt::format("{} has {} tokens, ends of lines among them; expected at most {}, which the model sees at once: shorten it",
                                name, prompt.stream.size(), context));
  return prompt;
}

// What has been read, as one hypothesis that never outgrows the context.
class Reader {
 public:
  Reader(const LanguageTransformer& model, int context, const ContinuousCacheOptions& cache)
      : model_(model), context_(context), state_(model.begin(1)) {
    if (cache.used()) cache_.emplace(cache, model.config().stack.d_model);
  }

  // `tokens` come after those read before. Precondition: they fit into the context.
  void read(std::span<const std::int32_t> tokens) {
    for (const std::int32_t token : tokens) {
      if (cache_ && hidden_.defined()) cache_->remember(hidden_, token);
      hidden_ = next(token).value();
    }
  }

  // Logits [1, V] of the token that comes next; with a cache they are logarithms of probabilities. Precondition: something has been read.
  Tensor logits() const {
    const Tensor logits = model_.project(Variable(hidden_)).value();
    if (cache_) {
      backend().log_softmax(logits, logits);
      cache_->mix(hidden_, logits);
    }
    return logits;
  }

  std::span<const std::int32_t> seen() const { return seen_; }

 private:
  Variable next(std::int32_t token) {
    constexpr std::int32_t kOnly[] = {0};
    if (state_.length(0) == context_) {
      state_ = model_.begin(1);
      const std::vector<std::int32_t> newer(seen_.end() - context_ / 2, seen_.end());
      seen_.clear();
      for (const std::int32_t old : newer) next(old);
    }
    seen_.push_back(token);
    return model_.read(state_, kOnly, std::span(&token, 1));
  }

  const LanguageTransformer& model_;
  int context_;
  LanguageState state_;
  std::optional<ContinuousCache> cache_;
  Tensor hidden_;  // [1, D], after the last token
  std::vector<std::int32_t> seen_;
};

// Ends of lines are exempt: a text has as many as it needs.
void penalise_repetition(const Tensor& logits, std::span<const std::int32_t> seen, std::int32_t eos, float penalty) {
  if (penalty == 1.0f) return;
  for (const std::int32_t id : std::set<std::int32_t>(seen.begin(), seen.end())) {
    float& logit = logits.row(0)[id];
    if (id != eos) logit = logit > 0 ? logit / penalty : logit * penalty;
  }
}

// The growing text of lines of tokens, handed on in whole characters.
class Writer {
 public:
  // `line`: the tokens of the line that goes on, which is not written again.
  Writer(const Tokenizer& tokenizer, std::span<const std::int32_t> line, const std::function<void(std::string_view)>& accept)
      : eos_(tokenizer.eos_id()), stream_(tokenizer), accept_(accept) {
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
  const std::function<void(std::string_view)>& accept_;
  std::string text_;
};

std::span<const float> only_row(const Tensor& x) { return {x.row(0), static_cast<std::size_t>(x.cols())}; }

}  // namespace

GenerationOptions Generator::default_options() const {
  GenerationOptions options;
  options.cache = model_->cache;
  return options;
}

Generation Generator::generate(std::string_view prompt, const GenerationOptions& options,
                               const std::function<void(std::string_view)>& accept, std::uint64_t sample) const {
  const Tokenizer& tokenizer = model_->tokenizer;
  const int context = checked_context(*model_, options);
  const std::string name = options.prompt_source.empty() ? "the prompt" : options.prompt_source + ": the prompt";
  const Prompt begun = read_prompt(prompt, name, tokenizer, context);
  Reader reader(*model_->transformer, context, options.cache);
  Writer writer(tokenizer, begun.line, accept);
  Random random(RandomKey{options.sampling.seed, sample});

  Generation result;
  reader.read(begun.stream);
  for (;;) {
    const Tensor logits = reader.logits();
    const Tensor scores = Tensor::empty(logits.shape());
    backend().log_softmax(logits, scores);
    const float highest = *std::max_element(scores.row(0), scores.row(0) + scores.cols());
    require_finite(std::span(&highest, 1), "log-probabilities of the next token", model_->source);
    // Texts have none of these; what has no text is not written.
    for (const std::int32_t id : {tokenizer.pad_id(), tokenizer.unk_id(), tokenizer.bos_id()})
      logits.row(0)[id] = -std::numeric_limits<float>::infinity();
    penalise_repetition(logits, reader.seen(), tokenizer.eos_id(), options.repetition_penalty);
    backend().log_softmax(logits, logits);
    const std::int32_t token = sample_token(only_row(logits), options.sampling, random.uniform());
    result.ids.push_back(token);
    result.token_scores.push_back(scores.row(0)[token]);
    writer.add(token);
    result.complete = options.one_line && token == tokenizer.eos_id();
    if (result.complete || std::ssize(result.ids) >= options.max_tokens) break;
    reader.read(std::span(&token, 1));
  }
  writer.flush();
  result.text = writer.text();
  return result;
}

}  // namespace attend
