#include "attend/tasks/serving/serving_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <thread>

#include "attend/error.h"
#include "attend/tensor/allocator.h"
#include "tasks/serving/served.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// An engine of one thread, whose worker waits in a callback until it may go on.
class HeldEngine : public testing::Test {
 protected:
  HeldEngine() { hold(); }
  ~HeldEngine() override { release(); }

  void release() {
    const std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }

  template <class Model, class Request, class Answer>
  void submit(const Model& model, Request request, Sent<Answer>& sent) {
    engine_.submit(jobs_of(model, std::move(request), sent.collected.receiver(), sent.state));
  }
  static TranslationRequest sentences(std::size_t count) {
    return {std::vector<std::string>(count, "the old dog sees the small cat"), beam_of(5)};
  }

  ServingEngine engine_{{.queue_tokens = 150, .batch_rows = 5}, serving_runtime(1)};
  Sent<Generation> holding_;

 private:
  void hold() {
    GenerationRequest request{.prompt = "the"};
    request.options.max_tokens = 2;
    request.grow = [this](const GeneratedToken&) {
      std::unique_lock lock(mutex_);
      holds_ = true;
      changed_.notify_all();
      changed_.wait(lock, [this] { return released_; });
    };
    submit(served_generator(), std::move(request), holding_);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return holds_; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool holds_ = false, released_ = false;
};

TEST_F(HeldEngine, RefusesWhatDoesNotFitAtOnce) {
  Sent<Translation> fits, does_not;
  submit(translator(), sentences(10), fits);  // of 13 tokens each
  EXPECT_EQ(engine_.statistics().waiting_items, 10);
  EXPECT_EQ(engine_.statistics().waiting_tokens, 130);
  EXPECT_EQ(engine_.statistics().running_items, 1);
  expect_error<OverloadedError>([&] { submit(translator(), sentences(3), does_not); },
                                {"39 tokens", "130 of at most 150", "try again"});
  expect_error<LineError>([&] { submit(translator(), sentences(12), does_not); },
                          {"156 tokens", "never fits", "150"});
  EXPECT_EQ(engine_.statistics().refused_items, 3);
  Sent<Classification> other;
  submit(served_classifier(), ClassificationRequest{{"a fine film"}}, other);  // a queue of its own
  release();
  engine_.drain();
  EXPECT_EQ(fits.collected.answers.size(), 10u);
  EXPECT_EQ(other.collected.answers.size(), 1u);
  EXPECT_TRUE(does_not.collected.answers.empty());
  submit(translator(), sentences(3), does_not);
  engine_.drain();
  EXPECT_EQ(does_not.collected.answers.size(), 3u);
}

TEST_F(HeldEngine, CancelsWhatWaitsAndWhatRuns) {
  Sent<Translation> kept, cancelled;
  submit(translator(), sentences(2), kept);
  submit(translator(), sentences(4), cancelled);
  cancelled.state->cancelled = true;
  holding_.state->cancelled = true;
  engine_.notice_cancelled();
  release();
  engine_.drain();
  EXPECT_EQ(kept.collected.answers.size(), 2u);
  EXPECT_EQ(cancelled.collected.errors.size(), 4u);
  EXPECT_EQ(holding_.collected.errors.size(), 1u) << "after the first of two tokens";
  for (const auto& [item, error] : cancelled.collected.errors)
    expect_error<CancelledError>([&error] { std::rethrow_exception(error); }, {"cancelled"});
  EXPECT_EQ(engine_.statistics().cancelled_items, 5);
}

// Receivers that add a letter for every answer.
struct Order {
  std::string letters;  // by the only worker

  Receiver<Translation> noted(char letter) {
    return {.accept = [this, letter](std::size_t, Translation) { letters += letter; },
            .fail = [](std::size_t, std::exception_ptr) { FAIL(); }};
  }
};

TEST_F(HeldEngine, ServesAShortRequestBeforeTheRestOfALongOne) {
  Order order;
  const auto state = std::make_shared<RequestState>();
  engine_.submit(jobs_of(translator(), sentences(8), order.noted('l'), state));
  engine_.submit(jobs_of(translator(), sentences(1), order.noted('s'), state));
  release();
  engine_.drain();
  EXPECT_EQ(order.letters, "lslllllll");
}

TEST_F(HeldEngine, ServesOneModelBesideALongQueueForAnother) {
  const TranslationEngine other(small_model());
  Order order;
  const auto state = std::make_shared<RequestState>();
  engine_.submit(jobs_of(translator(), sentences(10), order.noted('a'), state));
  engine_.submit(jobs_of(other, sentences(1), order.noted('b'), state));
  release();
  engine_.drain();
  EXPECT_EQ(order.letters.size(), 11u);
  EXPECT_LE(order.letters.find('b'), 2u);
}

TEST_F(HeldEngine, StopsWithAnErrorForEveryItem) {
  Sent<Translation> waiting;
  submit(translator(), sentences(3), waiting);
  std::thread stopping([this] { engine_.stop(); });
  std::deque<Sent<Classification>> later;
  for (bool stopped = false; !stopped; std::this_thread::yield()) {
    try {
      submit(served_classifier(), ClassificationRequest{{"a film"}}, later.emplace_back());
    } catch (const OverloadedError& error) {  // or the queue is full
      stopped = std::string(error.what()).find("stopped") != std::string::npos;
    }
  }
  release();
  stopping.join();
  EXPECT_EQ(waiting.collected.errors.size(), 3u);
  EXPECT_EQ(engine_.statistics().running_items, 0);
}

TEST(ServingEngine, KeepsTheErrorsOfARequestToItself) {
  TranslationModel broken = small_model();
  const ParameterSet& parameters = broken.network->parameters();
  for (const ParameterSet::Entry& entry : parameters.entries())
    for (float& weight : parameters.value(entry).span())
      weight = std::numeric_limits<float>::quiet_NaN();
  broken.source = "broken.safetensors";
  const TranslationEngine diverged(std::move(broken));
  ServingEngine engine({}, serving_runtime(2));
  const std::vector<std::string> sentences = random_sentences(8);
  Sent<Translation> good, bad;
  good.expected = translator().translate(sentences, beam_of(4));
  engine.submit(jobs_of(diverged, TranslationRequest{sentences, beam_of(4)},
                        bad.collected.receiver(), bad.state));
  engine.submit(jobs_of(translator(), TranslationRequest{sentences, beam_of(4)},
                        good.collected.receiver(), good.state));
  engine.drain();
  ASSERT_EQ(bad.collected.errors.size(), sentences.size());
  expect_error<DataError>([&] { std::rethrow_exception(bad.collected.errors[0]); },
                          {"broken.safetensors: ", "NaN"});
  for (std::size_t i = 0; i < sentences.size(); ++i)
    expect_same(good.collected.answers.at(i), good.expected[i]);
  EXPECT_EQ(engine.statistics().failed_items, 8);
}

// There is no memory for its batch.
class JobWithoutABatch final : public Job {
 public:
  explicit JobWithoutABatch(std::atomic<int>& failed)
      : Job(std::make_shared<RequestState>(), {1, 1, 1, 1}), failed_(failed) {}

  const void* model() const override { return &failed_; }
  std::unique_ptr<JobBatch> make_batch() const override { throw std::bad_alloc(); }
  void fail(std::exception_ptr) const override { ++failed_; }

 private:
  std::atomic<int>& failed_;
};

TEST(ServingEngine, FailsTheJobsOfABatchThatCannotBeMade) {
  ServingEngine engine({}, serving_runtime(1));
  std::atomic<int> failed{0};
  Jobs jobs;
  for (int i = 0; i < 2; ++i) jobs.push_back(std::make_unique<JobWithoutABatch>(failed));
  engine.submit(std::move(jobs));
  engine.drain();
  EXPECT_EQ(failed, 2);
  EXPECT_EQ(engine.statistics().failed_items, 2);
  EXPECT_EQ(engine.statistics().running_rows, 0);
  Sent<Classification> next;
  engine.submit(jobs_of(served_classifier(), ClassificationRequest{{"a fine film"}},
                        next.collected.receiver(), next.state));
  engine.drain();
  EXPECT_EQ(next.collected.answers.size(), 1u);
}

// One of three items has no memory for its answer; each gets one outcome nevertheless.
template <class Answer, class Model, class Request>
void expect_one_outcome_each(const Model& model, const Request& request, std::size_t at_fault) {
  ServingEngine engine({}, serving_runtime(1));
  std::map<std::size_t, int> accepted, failed;  // calls by item; by the only worker
  const Receiver<Answer> receiver{
      .accept =
          [&](std::size_t item, Answer) {
            ++accepted[item];
            if (item == at_fault) throw std::bad_alloc();
          },
      .fail = [&](std::size_t item, std::exception_ptr) { ++failed[item]; }};
  engine.submit(jobs_of(model, request, receiver, std::make_shared<RequestState>()));
  engine.drain();
  EXPECT_EQ(accepted, (std::map<std::size_t, int>{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_EQ(failed, (std::map<std::size_t, int>{{at_fault, 1}}));
  EXPECT_EQ(engine.statistics().answered_items, 2);
  EXPECT_EQ(engine.statistics().failed_items, 1);
}

TEST(ServingEngine, HandsOnEveryAnswerOnceThoughAReceiverThrows) {
  expect_one_outcome_each<Classification>(
      served_classifier(), ClassificationRequest{{"good", "a fine film", "a film"}}, 1);
  expect_one_outcome_each<Translation>(translator(),
                                       TranslationRequest{{"", "the dog", ""}, beam_of(2)}, 0);
}

TEST(ServingEngine, RefusesBadRequestsBeforeTheyAreQueued) {
  ServingEngine engine({}, serving_runtime(1));
  const auto state = std::make_shared<RequestState>();
  TranslationOptions options = beam_of(3);
  options.beam.n_best = 4;
  expect_error<ConfigError>(
      [&] {
        jobs_of(translator(), TranslationRequest{{"a cat"}, options}, {}, state);
      },
      {"n_best", "beam_size 3"});
  options = beam_of(3);
  options.max_source_tokens = 2;
  expect_error<LineError>(
      [&] {
        jobs_of(translator(), TranslationRequest{{"a cat", "the old dog"}, options}, {}, state);
      },
      {"sentence 2", "4 tokens"});
  expect_error<ConfigError>(
      [&] {
        GenerationRequest request{.prompt = "the"};
        request.options.beam.beam_size = 2;
        request.options.n_best = 3;
        jobs_of(served_generator(), request, {}, state);
      },
      {"n_best", "beam_size 2"});
  expect_error<LineError>(
      [&] {
        jobs_of(served_classifier(), ClassificationRequest{{"good", " "}}, {}, state);
      },
      {"text 2"});
  expect_error<LineError>(
      [&] {
        jobs_of(served_classifier(), ClassificationRequest{{"a film\tgood", "good"}, true}, {},
                state);
      },
      {"text 2", "expected a pair of texts"});
  expect_error<LineError>(
      [&] {
        jobs_of(served_tagger(), TaggingRequest{{"good", "\t"}}, {}, state);
      },
      {"text 2", "to tag"});
  expect_error<ConfigError>(
      [&] {
        jobs_of(served_embedder(), EmbeddingRequest{{"good"}, {.layer = 99}}, {}, state);
      },
      {"layer", "99"});
  expect_error<ConfigError>([] { ServingEngine({.batch_rows = 0}, nullptr); },
                            {"batch_rows", "from 1"});
}

TEST(ServingEngine, KeepsAModelForItsRequestsOnly) {
  ServingEngine engine({}, serving_runtime(2));
  Sent<Translation> sent;
  std::weak_ptr<const EncoderDecoder> network;
  {
    const TranslationEngine own(small_model());
    network = own.model().network;
    engine.submit(jobs_of(own, TranslationRequest{random_sentences(30), beam_of(5)},
                          sent.collected.receiver(), sent.state));
  }
  engine.drain();
  EXPECT_EQ(sent.collected.answers.size(), 30u);
  sent.collected.answers.clear();
  for (int wait = 0; wait < 1000 && !network.expired(); ++wait)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(network.expired());
}

// Four sentences at a time, one after the other, so that the batch is never empty.
TEST(ServingEngine, NeedsNoMoreMemoryForManySentencesThanForSome) {
  constexpr std::size_t kInAll = 400;
  ServingEngine engine({}, serving_runtime(1));
  const std::vector<std::string> sentences = random_sentences(50);
  const auto state = std::make_shared<RequestState>();
  std::atomic<std::size_t> sent = 0;
  std::vector<std::int64_t> bytes;  // in use at the end of each; by the worker alone
  std::function<void()> send;
  const Receiver<Translation> receiver{.accept =
                                           [&](std::size_t, Translation) {
                                             bytes.push_back(memory_statistics().bytes_in_use);
                                             send();
                                           },
                                       .fail = [](std::size_t, std::exception_ptr) { FAIL(); }};
  send = [&] {
    if (const std::size_t number = sent++; number < kInAll)
      engine.submit(jobs_of(translator(),
                            TranslationRequest{{sentences[number % sentences.size()]}, beam_of(5)},
                            receiver, state));
  };
  for (int i = 0; i < 4; ++i) send();
  engine.drain();
  ASSERT_EQ(bytes.size(), kInAll);
  const auto middle = bytes.begin() + std::ssize(bytes) / 2;
  EXPECT_LE(*std::max_element(middle, bytes.end()),
            *std::max_element(bytes.begin(), middle) * 11 / 10);
}

// Of 14 rows, the later sentences of a request get three quarters.
TEST(ServingEngine, DecodesNoMoreRowsTogetherThanABatchHas) {
  ServingEngine engine({.batch_rows = 14}, serving_runtime(1));
  std::vector<std::int64_t> rows;  // at each answer; by the worker alone
  const Receiver<Translation> receiver{
      .accept = [&](std::size_t, Translation) { rows.push_back(engine.statistics().running_rows); },
      .fail = [](std::size_t, std::exception_ptr) { FAIL(); }};
  engine.submit(jobs_of(translator(),
                        TranslationRequest{std::vector<std::string>(8, "the old dog"), beam_of(5)},
                        receiver, std::make_shared<RequestState>()));
  engine.drain();
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_EQ(*std::max_element(rows.begin(), rows.end()), 10);
}

TEST(ServingEngine, FailsContinuationsThatASearchDoesNotFind) {
  ServingEngine engine({}, serving_runtime(1));
  Sent<Generation> sent;
  GenerationRequest request{.prompt = "the old"};
  request.options.beam.beam_size = 2;
  request.options.beam.patience = 50;
  request.options.n_best = 100;
  request.options.max_tokens = 2;
  engine.submit(jobs_of(served_generator(), request, sent.collected.receiver(), sent.state));
  engine.drain();
  EXPECT_GT(sent.collected.answers.size(), 0u);
  EXPECT_LT(sent.collected.answers.size(), 100u);
  EXPECT_EQ(sent.collected.answers.size() + sent.collected.errors.size(), 100u);
  EXPECT_EQ(engine.statistics().answered_items, std::ssize(sent.collected.answers));
  EXPECT_EQ(engine.statistics().failed_items, std::ssize(sent.collected.errors));
}

TEST(ServingEngine, HandsOnEveryTokenThatIsSampled) {
  ServingEngine engine({}, serving_runtime(1));
  Sent<Generation> sent;
  GenerationRequest request{.prompt = "the old"};
  request.options.n_best = 2;
  request.options.max_tokens = 15;
  std::map<std::size_t, Generation> grown;
  request.grow = [&](const GeneratedToken& token) {
    grown[token.item].ids.push_back(token.id);
    grown[token.item].token_scores.push_back(token.score);
    grown[token.item].text += token.text;
  };
  engine.submit(jobs_of(served_generator(), request, sent.collected.receiver(), sent.state));
  engine.drain();
  ASSERT_EQ(sent.collected.answers.size(), 2u);
  for (const auto& [item, answer] : sent.collected.answers) {
    EXPECT_EQ(grown[item].ids, answer.ids);
    EXPECT_EQ(grown[item].token_scores, answer.token_scores);
    EXPECT_EQ(answer.text.rfind(grown[item].text, 0), 0u);
  }
}

}  // namespace
}  // namespace attend
