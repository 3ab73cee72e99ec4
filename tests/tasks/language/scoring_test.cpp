#include "attend/tasks/language/scoring.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attend/core/threads/runtime.h"
#include "attend/error.h"
#include "attend/tasks/language/perplexity.h"
#include "attend/tensor/allocator.h"
#include "checkpoint/test_folder.h"
#include "core/scoped_threads.h"
#include "tasks/small_language.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class LineScores : public FolderTest {
 protected:
  std::vector<SequenceScore> of(const std::string& text, int max_tokens = 100) {
    LineReader lines(file("lines", text));
    std::vector<SequenceScore> scores;
    score_lines(model_, lines, {.max_tokens = max_tokens},
                {[&](const SequenceScore& score) { scores.push_back(score); }});
    return scores;
  }

  std::string file(const std::string& name, const std::string& text) {
    write(path(name), text);
    return path(name);
  }

  LanguageModel model_ = small_language_model();
};

TEST_F(LineScores, AreThoseOfEachTokenAfterTheOnesBefore) {
  const std::string line = "the cat sat";
  const SequenceScore found = of(line + "\n").at(0);
  std::vector<std::int32_t> ids = model_.tokenizer.encode(line);
  ASSERT_EQ(found.token_scores.size(), ids.size() + 1) << "the end of the line counts";
  ids.insert(ids.begin(), model_.tokenizer.eos_id());
  const NoGradient guard;
  Pass pass = Pass::inference();
  float sum = 0;
  for (std::size_t t = 0; t < ids.size(); ++t) {
    const Tensor hidden =
        model_.network->hidden(Ragged::one(std::span(ids).first(t + 1)), pass).value();
    const std::vector<std::int32_t> target{t + 1 < ids.size() ? ids[t + 1]
                                                              : model_.tokenizer.eos_id()};
    const float expected = model_.network->target_log_probabilities(
        Variable(hidden.slice_rows(hidden.rows() - 1, hidden.rows())), target)[0];
    EXPECT_NEAR(found.token_scores[t], expected, 1e-5);
    sum += expected;
  }
  EXPECT_NEAR(found.log_probability, sum, 1e-4);
}

// GPT-2 begins a text with its end of text, Llama with a token of its own.
TEST_F(LineScores, BeginAfterTheFirstTokenOfTheModel) {
  const std::string text = "the cat",
                    longer = "a fat cat sat on a flat mat and the dog ran to the cat";
  const float after_eos = of(text + "\n")[0].token_scores.at(0);
  const std::int32_t first_token = model_.tokenizer.encode("a").front();
  model_.text = text_of_lines(first_token, model_.tokenizer.eos_id());
  ASSERT_NE(first_token, model_.tokenizer.eos_id());
  const NoGradient guard;
  Pass pass = Pass::inference();
  const std::vector<std::int32_t> first{first_token};
  const Variable hidden = model_.network->hidden(Ragged::one(first), pass);
  for (const std::string& line : {text, longer}) {
    const std::vector<std::int32_t> target{model_.tokenizer.encode(line).front()};
    const float expected = model_.network->target_log_probabilities(hidden, target)[0];
    EXPECT_NEAR(of(line + "\n")[0].token_scores.at(0), expected, 1e-5) << line;
  }
  EXPECT_GT(std::abs(of(text + "\n")[0].token_scores[0] - after_eos), 1e-4);
}

TEST_F(LineScores, DoNotDependOnOtherLines) {
  const auto together = of("the cat\n\na dog ran\n");
  ASSERT_EQ(together.size(), 3u);
  EXPECT_EQ(together[0].log_probability, of("the cat\n")[0].log_probability);
  EXPECT_EQ(together[1].token_scores.size(), 1u) << "an empty line has its end";
  EXPECT_EQ(together[2].token_scores, of("a dog ran\n")[0].token_scores);
}

TEST_F(LineScores, OfManyLinesAreTheSameOnAnyThreads) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += i % 3 == 0 ? "the cat\n" : "a dog ran to the mat\n";
  const auto short_line = of("the cat\n")[0].token_scores,
             long_line = of("a dog ran to the mat\n")[0].token_scores;
  for (const int threads : {1, 2, 3}) {
    const RuntimeScope runtime({.threads = threads});
    const auto scores = of(text);
    ASSERT_EQ(scores.size(), 200u);
    for (std::size_t i = 0; i < scores.size(); ++i)
      ASSERT_EQ(scores[i].token_scores, i % 3 == 0 ? short_line : long_line) << i;
  }
}

TEST_F(LineScores, OfManyLinesTakeTheMemoryOfABatch) {
  const ScopedThreads one(1);
  const auto peak_of = [&](int lines) {
    std::string text;
    for (int i = 0; i < lines; ++i) text += "the cat sat on a mat\n";
    reset_peak_memory();
    const std::int64_t before = memory_statistics().bytes_in_use;
    EXPECT_EQ(std::ssize(of(text)), lines);
    return memory_statistics().peak_bytes - before;
  };
  const std::int64_t of_some = peak_of(250), of_many = peak_of(1000);
  EXPECT_LT(of_many, of_some * 3 / 2);
}

TEST_F(LineScores, OfLinesLongerThanTheContextAreReadInWindows) {
  const std::string line = "a fat cat sat on a flat mat and the dog ran to the cat";
  const SequenceScore found = of(line + "\n").at(0);
  const LanguageText text = encode_language(std::vector<std::string>{line}, model_.tokenizer);
  ASSERT_GT(text.targets(), model_.context.sequence_length);
  EXPECT_EQ(static_cast<std::int64_t>(found.token_scores.size()), text.targets());
  EXPECT_NEAR(-found.log_probability, text_perplexity(model_, text, {}).perplexity.nll, 1e-4);
}

TEST_F(LineScores, OfAStreamAreThoseOfItsTokensButTheFirst) {
  for (const std::string line : {"the cat", "a fat cat sat on a flat mat and the dog ran"}) {
    std::vector<std::int32_t> stream = model_.tokenizer.encode(line);
    stream.insert(stream.begin(), model_.tokenizer.eos_id());
    stream.push_back(model_.tokenizer.eos_id());
    const std::vector<float> expected = of(line + "\n")[0].token_scores,
                             found = score_stream(model_, stream);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t t = 0; t < found.size(); ++t) EXPECT_NEAR(found[t], expected[t], 1e-5);
  }
  EXPECT_TRUE(score_stream(model_, {model_.tokenizer.eos_id()}).empty());
  EXPECT_TRUE(score_stream(model_, {}).empty());
}

TEST_F(LineScores, AreRefusedForLinesThatAreTooLong) {
  std::vector<SequenceScore> before;
  LineReader lines(file("lines", "the cat\na fat cat sat on a flat mat\n"));
  expect_error<DataError>(
      [&] {
        score_lines(model_, lines, {.max_tokens = 5},
                    {[&](const SequenceScore& score) { before.push_back(score); }});
      },
      {"lines:2", "at most 5 tokens", "got 8"});
  EXPECT_EQ(before.size(), 1u) << "what came before is answered";
}

}  // namespace
}  // namespace attend
