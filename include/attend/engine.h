// Answers many requests at once, for servers and other programs with many independent requests.
//
//   attend::Engine engine;
//   const attend::Ticket ticket = engine.submit(
//       translator, {.sentences = {"The old dog sleeps."}, .options =
//       translator.default_options()},
//       {.accept = [](std::size_t, attend::Translation t) { use(t.text()); },
//        .fail = [](std::size_t, std::exception_ptr error) { report(error); }});
//
// Sentences join the running batch of their model at every decoding step and leave it when done
// (continuous batching). Answers are bit-identical to those of the model's own translate(),
// generate(), classify(), tag(), embed() or score(), whatever else the engine does. Members may be
// called from any number of threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "attend/classifier.h"
#include "attend/embedder.h"
#include "attend/generator.h"
#include "attend/runtime.h"
#include "attend/tagger.h"
#include "attend/translator.h"

#pragma GCC visibility push(default)
namespace attend {

struct EngineOptions {
  // Most tokens that wait for each model: those to read and, of continuations, those that may be
  // written (rows times max_tokens). A request that may write more waits only alone
  std::int64_t queue_tokens = 65536;
  // Limits of a running batch. Every thread of the runtime has one per model
  std::int64_t batch_rows = 80;       // most hypotheses: 16 sentences with a beam of 5
  std::int64_t batch_tokens = 16384;  // most tokens read and written by all of them
};

// A request. submit() throws what the model would throw for it, before it is queued: ConfigError
// for options, LineError for a text that is too long. Items are numbered from 0.
//
// `client` names whose request it is, if there are several clients: they take turns, none fills the
// queue, and none keeps the others from a place in a running batch.
struct TranslationRequest {
  std::vector<std::string> sentences;  // the items
  TranslationOptions options;          // batch_size and window are ignored
  std::string client = {};
};

struct GenerationRequest {
  std::string prompt = {};
  GenerationOptions options = {};  // the items are the n_best continuations
  // When sampling: `sample` of Generator::generate() for the first item
  std::uint64_t sample = 0;
  // Receives every token when sampling. The last text of a continuation may follow its last token:
  // Generation::text is complete
  std::function<void(const GeneratedToken&)> grow = {};
  // The tokens of a conversation, instead of `prompt`. Line breaks in the continuation are then
  // ordinary characters, and eos ends it.
  std::vector<std::int32_t> conversation = {};
  bool in_message = false;  // the conversation ends within a message, whose text continues
  // The tokens of a text to continue, instead of `prompt`, as they are: nothing is put before them
  std::vector<std::int32_t> ids = {};
  std::string client = {};
};

struct ClassificationRequest {
  std::vector<std::string> texts;  // the items
  bool pairs = false;              // as in ClassificationOptions
  OutputFunction function_to_apply = OutputFunction::standard;
  bool split_special_tokens = false;
  TextPreparation preparation = {};
  std::string client = {};
};

struct TaggingRequest {
  std::vector<std::string> texts;  // the items
  TaggingOptions options = {};     // batch_tokens and window are ignored
  std::string client = {};
};

struct EmbeddingRequest {
  std::vector<std::string> texts;  // the items
  EmbeddingOptions options = {};   // batch_size is ignored
  std::string client = {};
};

// Pairs to score, as by Translator::score().
struct PairScoringRequest {
  std::vector<std::string> sources;
  std::vector<std::string> targets;  // the items, as many as sources
  LanguagePair languages = {};
  ScoringOptions options = {};
  std::string client = {};
};

// Texts to score, as by Generator::score().
struct TextScoringRequest {
  std::vector<std::string> texts;  // the items
  ScoringOptions options = {};
  std::string client = {};
};

// Tokens to score, as by Generator::score_tokens().
struct TokenScoringRequest {
  std::vector<std::vector<std::int32_t>> prompts;  // the items
  int likeliest = 0;
  std::string client = {};
};

// Receives the outcome of every item, in any order: one call of `accept` or `fail` for each, on a
// thread of the engine. Calls must be short and must not throw. They may submit and cancel, but not
// wait for the engine.
template <class Answer>
struct Receiver {
  std::function<void(std::size_t item, Answer answer)> accept;
  // `error` is a CancelledError if the item was cancelled
  std::function<void(std::size_t item, std::exception_ptr error)> fail;
};

// Identifies a request. Copies are the same request.
class Ticket {
 public:
  Ticket() = default;  // no request
  // Cancels the items that have no answer yet: they leave the batch at the next step and fail with
  // CancelledError. Returns without waiting for that.
  void cancel() const;
  // The same for one of several continuations that were submitted together.
  void cancel(std::size_t item) const;
  // The number of tokens that the request reads: those of its sentences, prompt or texts.
  std::int64_t tokens() const;

 private:
  friend class Engine;
  struct State;
  explicit Ticket(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

struct EngineStatistics {
  // Now
  std::int64_t waiting_items = 0;
  std::int64_t waiting_tokens = 0;
  std::int64_t running_items = 0;
  std::int64_t running_rows = 0;  // hypotheses in all batches
  // Since the start
  std::int64_t answered_items = 0;
  std::int64_t failed_items = 0;
  std::int64_t cancelled_items = 0;
  std::int64_t refused_items = 0;   // when the queue was full
  std::int64_t tokens_read = 0;     // sources, prompts and texts of the items that have begun
  std::int64_t tokens_written = 0;  // of the answers
  std::int64_t steps = 0;           // decoding steps of all batches
};

class Engine {
 public:
  // Models work on the threads of `runtime`, without one on those of the default runtime. Throws
  // ConfigError for an option out of range.
  explicit Engine(const EngineOptions& options = {}, std::shared_ptr<Runtime> runtime = nullptr);
  // stop()
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Queues all items of a request, or none. A client's items of one model start in the order of
  // their requests, except that shorter requests may pass all but the first item of a long request.
  // The
  // request keeps the model alive. Throws OverloadedError if the items do not fit into the queue or
  // the engine has stopped, LineError for a request that is larger than the queue.
  Ticket submit(const Translator& translator, TranslationRequest request,
                Receiver<Translation> receiver);
  Ticket submit(const Generator& generator, GenerationRequest request,
                Receiver<Generation> receiver);
  // Several as one request; their items are numbered on.
  Ticket submit(const Generator& generator, std::vector<GenerationRequest> requests,
                Receiver<Generation> receiver);
  Ticket submit(const Classifier& classifier, ClassificationRequest request,
                Receiver<Classification> receiver);
  Ticket submit(const Tagger& tagger, TaggingRequest request, Receiver<Tagging> receiver);
  Ticket submit(const Embedder& embedder, EmbeddingRequest request, Receiver<Embedding> receiver);
  Ticket submit(const Translator& translator, PairScoringRequest request,
                Receiver<SequenceScore> receiver);
  Ticket submit(const Generator& generator, TextScoringRequest request,
                Receiver<SequenceScore> receiver);
  Ticket submit(const Generator& generator, TokenScoringRequest request,
                Receiver<std::vector<GeneratedToken>> receiver);

  EngineStatistics statistics() const;

  // Returns when every item that was accepted has had its outcome.
  void drain();
  // Accepts no more requests, cancels all waiting and running items, and returns when they have
  // failed.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A receiver, and one future for each of its `items` outcomes.
template <class Answer>
std::pair<Receiver<Answer>, std::vector<std::future<Answer>>> futures(std::size_t items) {
  const auto promises = std::make_shared<std::vector<std::promise<Answer>>>(items);
  std::vector<std::future<Answer>> outcomes;
  for (std::promise<Answer>& promise : *promises) outcomes.push_back(promise.get_future());
  Receiver<Answer> receiver;
  receiver.accept = [promises](std::size_t item, Answer answer) {
    (*promises)[item].set_value(std::move(answer));
  };
  receiver.fail = [promises](std::size_t item, std::exception_ptr error) {
    (*promises)[item].set_exception(std::move(error));
  };
  return {std::move(receiver), std::move(outcomes)};
}

}  // namespace attend
#pragma GCC visibility pop
