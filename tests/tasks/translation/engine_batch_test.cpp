// A sentence has the same translation, bit for bit, in any batch, order and number of threads.
#include <algorithm>
#include <numeric>
#include <set>

#include "attend/backend/weights.h"
#include "core/scoped_threads.h"
#include "tasks/translation/small_translator.h"

namespace attend {
namespace {

// As it is when its file was read: weights arranged for products.
TranslationEngine loaded(const TranslationEngine& original) {
  return TranslationEngine(translation_model(checkpoint_of(original.model())));
}

// On one thread a batch has as many sentences as it is said to have; several threads have smaller
// ones, side by side.
std::vector<Translation> translated_by_one_thread(const std::vector<std::string>& sentences,
                                                  const TranslationOptions& options) {
  const ScopedThreads one(1);
  return translator().translate(sentences, options);
}

class TranslatorInAnyCompany : public testing::TestWithParam<int> {
 protected:
  TranslationOptions options_ = beam_of(GetParam(), std::min(GetParam(), 3));
  std::vector<std::string> sentences_ = random_sentences(64);
  std::vector<Translation> together_ = translated_by_one_thread(sentences_, options_);
};

TEST_P(TranslatorInAnyCompany, GivesTheSameAlignments) {
  options_.alignment = true;
  const std::vector<Translation> together = translated_by_one_thread(sentences_, options_);
  for (std::size_t i = 0; i < sentences_.size(); ++i) {
    const Translation alone = translator().translate(std::vector{sentences_[i]}, options_).front();
    for (std::size_t c = 0; c < alone.candidates.size(); ++c)
      EXPECT_EQ(alone.candidates[c].alignment, together[i].candidates[c].alignment);
    EXPECT_EQ(alone.candidates.front().alignment.empty(), alone.text().empty());
  }
}

TEST(RunningTranslations, MayLoseASentenceThatWaitsForItsAlignment) {
  TranslationOptions options = beam_of(2);
  options.alignment = true;
  const std::vector<std::string> texts = random_sentences(6);
  for (int steps = 1; steps < 14; ++steps) {
    const auto running = translator().running(false);
    running->join(translator().sentences(texts, options));
    std::set<std::size_t> done;
    for (int step = 0; !running->empty(); ++step) {
      if (step == steps) running->leave(2);
      for (const auto& outcome : running->step()) {
        EXPECT_FALSE(outcome.error);
        EXPECT_TRUE(done.insert(outcome.number).second);
      }
    }
    EXPECT_GE(done.size(), 5u);
  }
}

TEST_P(TranslatorInAnyCompany, GivesDifferentSentencesDifferentTranslations) {
  std::set<std::string> texts;
  for (const Translation& translation : together_) texts.insert(translation.text());
  EXPECT_GT(texts.size(), 16u) << "or the tests here would show little";
}

TEST_P(TranslatorInAnyCompany, GivesTheSameAlone) {
  for (std::size_t i = 0; i < sentences_.size(); ++i) {
    SCOPED_TRACE("sentence " + std::to_string(i));
    expect_same(translator().translate(std::vector{sentences_[i]}, options_)[0], together_[i]);
  }
}

TEST_P(TranslatorInAnyCompany, GivesTheSameInAnotherOrder) {
  std::vector<std::size_t> order(sentences_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random({3, 4});
  for (std::size_t i = order.size() - 1; i > 0; --i)
    std::swap(order[i], order[random.below(i + 1)]);
  std::vector<std::string> shuffled;
  for (const std::size_t i : order) shuffled.push_back(sentences_[i]);
  const std::vector<Translation> translations = translator().translate(shuffled, options_);
  for (std::size_t i = 0; i < order.size(); ++i) expect_same(translations[i], together_[order[i]]);
}

TEST_P(TranslatorInAnyCompany, GivesTheSameWithAnyBatchSize) {
  for (const int batch_size : {1, 7, 64, 1000}) {
    options_.batch_size = batch_size;
    expect_same(translated_by_one_thread(sentences_, options_), together_);
  }
}

// A batch of 3 takes no more than 192 tokens, so one of these sentences takes a batch of its own,
// and the others share one.
TEST_P(TranslatorInAnyCompany, GivesTheSameBesideALongSentence) {
  std::string long_one;
  for (int i = 0; i < 150; ++i) long_one += "the old dog ";
  const std::vector<std::string> some{sentences_[0], long_one, sentences_[1], "", sentences_[2]};
  options_.batch_size = 3;
  const std::vector<Translation> translations = translated_by_one_thread(some, options_);
  expect_same(translations[1], translator().translate(std::vector{long_one}, options_)[0]);
  for (std::size_t i = 0; i < 3; ++i) expect_same(translations[2 * i], together_[i]);
  EXPECT_EQ(translations[3].text(), "");
}

TEST_P(TranslatorInAnyCompany, GivesTheSameWithOneThreadOrSeveral) {
  for (const int count : {1, 2, 3}) {
    const ScopedThreads threads(count);
    expect_same(translator().translate(sentences_, options_), together_);
  }
}

TEST_P(TranslatorInAnyCompany, GivesTheSameOnceLoadedFromAFile) {
  const TranslationEngine arranged = loaded(translator());
  EXPECT_TRUE(is_packed(arranged.model().network->output().weight));
  EXPECT_FALSE(is_packed(translator().model().network->output().weight));
  expect_same(arranged.translate(sentences_, options_), together_);
}

INSTANTIATE_TEST_SUITE_P(Beams, TranslatorInAnyCompany, testing::Values(1, 5));

}  // namespace
}  // namespace attend
