// attend_generate(), its callback, cancelling, and several threads.
#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "api/c/c_test.h"
#include "attend/generator.h"

namespace attend {
namespace {

// What a callback has received.
struct Received {
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> texts;
  int calls = 0;
  int most_calls = 1 << 30;  // the call after which it says to end
  std::thread::id thread = std::this_thread::get_id();
  bool elsewhere = false;

  static std::int32_t receive(void* user, std::int64_t item, std::int64_t choice, const char* text,
                              std::int64_t length) {
    Received& all = *static_cast<Received*>(user);
    all.texts[{item, choice}].append(text, static_cast<std::size_t>(length));
    all.elsewhere |= std::this_thread::get_id() != all.thread;
    return ++all.calls >= all.most_calls ? 1 : 0;
  }
};

class CGeneration : public ApiTest {
 protected:
  OwnedModel generator() const { return load(train(language_job("lm", 3)).model.string()); }
  OwnedResult generated(const OwnedModel& model, const OwnedTexts& prompts,
                        const OwnedOptions& options, Received* received) const {
    return OwnedResult(made([&](attend_error** error) {
      return attend_generate(model.get(), prompts.get(), options.get(),
                             received == nullptr ? nullptr : Received::receive, received, nullptr,
                             error);
    }));
  }
};

TEST_F(CGeneration, DrawsAsInCpp) {
  const OwnedModel model = generator();
  const OwnedTexts prompts = texts_of({"the old", ""});
  const OwnedOptions options = options_of({{"n_best", "2"}, {"max_tokens", "20"}, {"seed", "3"}});
  Received received;
  const OwnedResult result = generated(model, prompts, options, &received);
  const Generator same = Generator::load(path("lm"));
  GenerationOptions in_cpp = same.default_options();
  in_cpp.max_tokens = 20;
  in_cpp.sampling.seed = 3;
  for (std::int64_t item = 0; item < 2; ++item) {
    ASSERT_EQ(attend_result_choices(result.get(), item), 2);
    for (std::int64_t sample = 0; sample < 2; ++sample) {
      const Generation expected =
          same.generate(item == 0 ? "the old" : "", in_cpp, {}, static_cast<std::uint64_t>(sample));
      EXPECT_EQ(attend_result_text(result.get(), item, sample, nullptr), expected.text);
      EXPECT_EQ((received.texts[{item, sample}]), expected.text);
      EXPECT_EQ(attend_result_score(result.get(), item, sample), expected.score);
      EXPECT_EQ(attend_result_complete(result.get(), item, sample), expected.complete ? 1 : 0);
      ASSERT_EQ(attend_result_token_count(result.get(), item, sample), std::ssize(expected.ids));
      for (std::size_t i = 0; i < expected.ids.size(); ++i)
        EXPECT_EQ(attend_result_token(result.get(), item, sample, static_cast<std::int64_t>(i)),
                  same.tokenizer().piece(expected.ids[i]));
    }
  }
  EXPECT_GT(received.calls, 4);
  EXPECT_FALSE(received.elsewhere);
  EXPECT_STREQ(attend_result_text(generated(model, prompts, options, nullptr).get(), 1, 1, nullptr),
               attend_result_text(result.get(), 1, 1, nullptr));
}

TEST_F(CGeneration, SearchesAsInCpp) {
  const OwnedModel model = generator();
  const OwnedTexts prompts = texts_of({"the old"});
  Received received;
  const OwnedResult result =
      generated(model, prompts,
                options_of({{"beam_size", "3"}, {"n_best", "2"}, {"max_tokens", "6"}}), &received);
  GenerationOptions in_cpp = Generator::load(path("lm")).default_options();
  in_cpp.beam.beam_size = 3;
  in_cpp.n_best = 2;
  in_cpp.max_tokens = 6;
  const auto expected = Generator::load(path("lm")).generate_best("the old", in_cpp);
  ASSERT_EQ(attend_result_choices(result.get(), 0), 2);
  for (std::int64_t i = 0; i < 2; ++i) {
    EXPECT_EQ(attend_result_text(result.get(), 0, i, nullptr),
              expected[static_cast<std::size_t>(i)].text);
    EXPECT_EQ((received.texts[{0, i}]), expected[static_cast<std::size_t>(i)].text);
  }
  const OwnedOptions without_effect = options_of({{"beam_size", "3"}, {"seed", "1"}});
  expect_failure(ATTEND_CONFIG_ERROR, {"seed: is for sampling"}, [&](attend_error** error) {
    return attend_generate(model.get(), prompts.get(), without_effect.get(), nullptr, nullptr,
                           nullptr, error);
  });
}

TEST_F(CGeneration, EndsWhenItsCallbackSaysSo) {
  const OwnedModel model = generator();
  const OwnedTexts prompts = texts_of({"the old"});
  const OwnedOptions options = options_of({{"max_tokens", "100000"}});
  Received received;
  expect_failure(ATTEND_CANCELLED, {}, [&](attend_error** error) {
    received = Received();
    received.most_calls = 3;
    attend_result* const result = attend_generate(model.get(), prompts.get(), options.get(),
                                                  Received::receive, &received, nullptr, error);
    EXPECT_EQ(received.calls, 3);
    return result;
  });
}

TEST_F(CGeneration, EndsWhenAnotherThreadCancels) {
  const OwnedModel model = generator();
  const OwnedTexts prompts = texts_of({"the old"});
  const OwnedOptions options = options_of({{"max_tokens", "100000000"}});
  const OwnedCancellation cancellation(attend_cancellation_new());
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    attend_cancel(cancellation.get());
  });
  expect_failure(ATTEND_CANCELLED, {}, [&](attend_error** error) {
    return attend_generate(model.get(), prompts.get(), options.get(), nullptr, nullptr,
                           cancellation.get(), error);
  });
  other.join();
}

TEST_F(CGeneration, AnswersSeveralThreadsAtOnce) {
  const OwnedModel model = generator();
  const OwnedOptions options = options_of({{"max_tokens", "15"}});
  const auto answer = [&](const std::string& prompt) {
    const OwnedTexts prompts = texts_of({prompt});
    Received received;
    const OwnedResult result = generated(model, prompts, options, &received);
    EXPECT_FALSE(received.elsewhere);
    EXPECT_EQ((received.texts[{0, 0}]), attend_result_text(result.get(), 0, 0, nullptr));
    return received.texts[{0, 0}];
  };
  const std::vector<std::string> prompts{"the old", "a cat", "the dog", "the"};
  std::vector<std::string> expected, found(prompts.size());
  for (const std::string& prompt : prompts) expected.push_back(answer(prompt));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < prompts.size(); ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 3; ++round) found[i] = answer(prompts[i]);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace attend
