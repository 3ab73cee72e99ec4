// Whatever an engine does at once, its answers have the bits that the models alone give.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "attend/core/random/random.h"
#include "attend/error.h"
#include "attend/tasks/language/scoring.h"
#include "tasks/serving/served.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

TranslationOptions random_translation_options(Random& random) {
  TranslationOptions options = beam_of(1 + static_cast<int>(random.below(6)));
  options.beam.n_best = 1 + static_cast<int>(random.below(options.beam.beam_size));
  options.beam.no_repeat_ngram = static_cast<int>(random.below(3));
  options.beam.length_penalty = random.uniform();
  options.alignment = random.below(4) == 0;
  if (random.below(3) == 0) {
    options.sampling.emplace();
    options.sampling->seed = random.below(100);
    options.sampling->top_k = static_cast<int>(random.below(5));
    options.sampling->max_length = 10;
  }
  return options;
}

GenerationOptions random_generation_options(Random& random) {
  GenerationOptions options;
  options.max_tokens = 1 + static_cast<int>(random.below(30));
  options.one_line = random.below(2) == 0;
  options.n_best = 1 + static_cast<int>(random.below(3));
  if (random.below(2) == 0) options.beam.beam_size = options.n_best + 1;
  options.sampling.seed = random.below(50);
  options.repetition_penalty = random.below(2) == 0 ? 1.0f : 1.5f;
  if (random.below(3) == 0) options.cache = {.tokens = 20, .weight = 0.3f, .beta = 1.0f};
  return options;
}

// Sends requests of every kind from a thread of its own, and says what it expects for them.
class Client {
 public:
  Client(ServingEngine& engine, std::uint64_t seed) : engine_(engine), random_({seed, 9}) {}

  void send(int requests) {
    for (int i = 0; i < requests; ++i) {
      switch (random_.below(6)) {
        case 0:
          send_prompt();
          break;
        case 2:
          send_scores();
          break;
        case 1:
          send_texts();
          break;
        default:
          send_sentences();
      }
      if (random_.below(2) == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(random_.below(3000)));
    }
  }

  void expect_answers() {
    for (auto& sent : translations_) {
      expect_outcomes(*sent);
      for (auto& [item, answer] : sent->collected.answers)
        expect_same(answer, sent->expected[item]);
    }
    for (auto& sent : generations_) {
      expect_outcomes(*sent);
      for (auto& [item, answer] : sent->collected.answers) {
        EXPECT_EQ(answer.text, sent->expected[item].text);
        EXPECT_EQ(answer.ids, sent->expected[item].ids);
        EXPECT_EQ(answer.token_scores, sent->expected[item].token_scores);
        EXPECT_EQ(answer.score, sent->expected[item].score);
      }
    }
    for (auto& sent : classifications_) {
      expect_outcomes(*sent);
      for (auto& [item, answer] : sent->collected.answers)
        EXPECT_EQ(answer.probabilities, sent->expected[item].probabilities);
    }
    for (auto& sent : taggings_) {
      expect_outcomes(*sent);
      for (auto& [item, answer] : sent->collected.answers) {
        EXPECT_EQ(answer.words, sent->expected[item].words);
        EXPECT_EQ(answer.tags, sent->expected[item].tags);
        EXPECT_EQ(answer.probabilities, sent->expected[item].probabilities);
      }
    }
    for (auto& sent : embeddings_) {
      expect_outcomes(*sent);
      for (auto& [item, answer] : sent->collected.answers)
        EXPECT_EQ(answer.values, sent->expected[item].values);
    }
    for (auto& sent : scores_) {
      expect_outcomes(*sent);
      for (auto& [item, answer] : sent->collected.answers) {
        EXPECT_EQ(answer.token_scores, sent->expected[item].token_scores);
        EXPECT_EQ(answer.log_probability, sent->expected[item].log_probability);
        EXPECT_EQ(answer.characters, sent->expected[item].characters);
      }
    }
    for (auto& sent : token_scores_) {
      expect_outcomes(*sent);
      for (auto& [item, answer] : sent->collected.answers)
        expect_same_tokens(answer, sent->expected[item]);
    }
  }
  std::int64_t items() const { return items_; }

 private:
  // One outcome for every item; errors only for what was cancelled.
  template <class Answer>
  void expect_outcomes(Sent<Answer>& sent) {
    EXPECT_EQ(sent.collected.answers.size() + sent.collected.errors.size(), sent.expected.size());
    EXPECT_TRUE(sent.state->cancelled || sent.collected.errors.empty());
    for (const auto& [item, error] : sent.collected.errors)
      expect_error<CancelledError>([&error] { std::rethrow_exception(error); }, {"cancelled"});
  }

  static void expect_same_tokens(const std::vector<GeneratedToken>& tokens,
                                 const std::vector<GeneratedToken>& expected) {
    ASSERT_EQ(tokens.size(), expected.size());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      EXPECT_EQ(tokens[i].id, expected[i].id);
      EXPECT_EQ(tokens[i].text, expected[i].text);
      if (i > 0) {
        EXPECT_EQ(tokens[i].score, expected[i].score);
      }
      EXPECT_EQ(tokens[i].likeliest.size(), expected[i].likeliest.size());
    }
  }

  template <class Model, class Request, class Answer>
  void submit(const Model& model, Request request, Sent<Answer>& sent) {
    items_ += std::ssize(sent.expected);
    engine_.submit(jobs_of(model, std::move(request), sent.collected.receiver(), sent.state));
    if (random_.below(6) != 0) return;
    sent.state->cancelled = true;
    engine_.notice_cancelled();
  }

  void send_sentences() {
    const std::vector<std::string> all = random_sentences(40);
    std::vector<std::string> some;
    for (std::uint64_t left = 1 + random_.below(8); left > 0; --left)
      some.push_back(random_.below(9) == 0 ? "" : all[random_.below(all.size())]);
    const TranslationOptions options = random_translation_options(random_);
    auto& sent = translations_.emplace_back(std::make_unique<Sent<Translation>>());
    sent->expected = translator().translate(some, options);
    submit(translator(), TranslationRequest{some, options}, *sent);
  }

  void send_prompt() {
    const std::string prompt = random_.below(2) == 0 ? "the old" : "a cat\nsees the";
    const GenerationOptions options = random_generation_options(random_);
    const std::uint64_t sample = random_.below(1000);
    auto& sent = generations_.emplace_back(std::make_unique<Sent<Generation>>());
    if (options.beam.beam_size > 0) {
      sent->expected = served_generator().generate_best(prompt, options);
    } else {
      for (int k = 0; k < options.n_best; ++k)
        sent->expected.push_back(served_generator().generate(
            prompt, options, {}, sample + static_cast<std::uint64_t>(k)));
    }
    submit(served_generator(), GenerationRequest{prompt, options, sample}, *sent);
  }

  void send_texts() {
    const std::vector<std::string> texts(kRemarks.begin(),
                                         kRemarks.begin() + 1 + static_cast<int>(random_.below(2)));
    auto& classified = classifications_.emplace_back(std::make_unique<Sent<Classification>>());
    classified->expected = served_classifier().classify(texts);
    submit(served_classifier(), ClassificationRequest{texts}, *classified);
    auto& tagged = taggings_.emplace_back(std::make_unique<Sent<Tagging>>());
    tagged->expected = served_tagger().tag(texts);
    submit(served_tagger(), TaggingRequest{texts}, *tagged);
    auto& embedded = embeddings_.emplace_back(std::make_unique<Sent<Embedding>>());
    EmbeddingOptions options;
    if (random_.below(2) == 0) options.pooling = EmbeddingPooling::max;
    for (TextEmbedding& embedding : served_embedder()->embed(texts, options))
      embedded->expected.push_back(public_embedding(std::move(embedding)));
    submit(served_embedder(), EmbeddingRequest{texts, options}, *embedded);
  }

  void send_scores() {
    const std::vector<std::string> all = random_sentences(12);
    const std::vector<std::string> texts(all.begin(),
                                         all.begin() + 1 + static_cast<int>(random_.below(11)));
    const std::vector<std::string> targets(texts.rbegin(), texts.rend());
    auto& pairs = scores_.emplace_back(std::make_unique<Sent<SequenceScore>>());
    pairs->expected = translator().score(texts, targets);
    submit(translator(), PairScoringRequest{texts, targets}, *pairs);
    auto& lines = scores_.emplace_back(std::make_unique<Sent<SequenceScore>>());
    lines->expected = score_lines(served_generator().model(), texts, ScoringOptions());
    submit(served_generator(), TextScoringRequest{texts}, *lines);
    auto& tokens =
        token_scores_.emplace_back(std::make_unique<Sent<std::vector<GeneratedToken>>>());
    TokenScoringRequest request{.prompts = {}, .likeliest = static_cast<int>(random_.below(3))};
    for (const std::string& text : texts) {
      std::vector<std::int32_t> ids = served_generator().prompt_ids(text + " a", {});
      ids.resize(std::min<std::size_t>(ids.size(), 8));
      tokens->expected.push_back(score_tokens(served_generator().model(), ids, request.likeliest));
      request.prompts.push_back(ids);
    }
    submit(served_generator(), std::move(request), *tokens);
  }

  ServingEngine& engine_;
  Random random_;
  std::int64_t items_ = 0;
  std::vector<std::unique_ptr<Sent<Translation>>> translations_;
  std::vector<std::unique_ptr<Sent<Generation>>> generations_;
  std::vector<std::unique_ptr<Sent<Classification>>> classifications_;
  std::vector<std::unique_ptr<Sent<Tagging>>> taggings_;
  std::vector<std::unique_ptr<Sent<Embedding>>> embeddings_;
  std::vector<std::unique_ptr<Sent<SequenceScore>>> scores_;
  std::vector<std::unique_ptr<Sent<std::vector<GeneratedToken>>>> token_scores_;
};

class ServingEngineOfThreads : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, ServingEngineOfThreads, testing::Values(1, 2, 3));

TEST_P(ServingEngineOfThreads, GivesTheBitsOfAloneWhateverElseItDoes) {
  ServingEngine engine({.batch_rows = 24}, serving_runtime(GetParam()));
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    clients.push_back(std::make_unique<Client>(engine, seed));
  for (auto& client : clients) threads.emplace_back([&client] { client->send(12); });
  for (std::thread& thread : threads) thread.join();
  engine.drain();
  std::int64_t items = 0;
  for (auto& client : clients) {
    client->expect_answers();
    items += client->items();
  }
  const EngineStatistics s = engine.statistics();
  EXPECT_EQ(s.answered_items + s.cancelled_items, items);
  EXPECT_GT(s.answered_items, items / 2);
  EXPECT_GT(s.cancelled_items, 0);
  EXPECT_EQ(s.failed_items, 0);
  EXPECT_GT(s.tokens_read, 0);
  EXPECT_GT(s.tokens_written, 0);
  EXPECT_GT(s.steps, 0);
  for (const std::int64_t now :
       {s.waiting_items, s.waiting_tokens, s.running_items, s.running_rows, s.refused_items})
    EXPECT_EQ(now, 0);
}

}  // namespace
}  // namespace attend
