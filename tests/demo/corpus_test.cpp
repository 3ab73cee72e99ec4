#include "attend/demo/corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <unordered_map>

#include "attend/core/random/random.h"
#include "attend/demo/grammar.h"
#include "attend/demo/sampler.h"
#include "attend/error.h"

namespace attend {
namespace {

DemoCorpusOptions small_options() {
  DemoCorpusOptions options;
  options.train_sentences = 6000;
  options.valid_sentences = 100;
  options.test_sentences = 100;
  return options;
}

const DemoCorpus& small_corpus() {
  static const DemoCorpus corpus = make_demo_corpus(small_options());
  return corpus;
}

std::vector<std::string> words_of(const std::string& sentence) {
  std::string plain = sentence;
  std::ranges::replace_if(
      plain, [](char c) { return c == '.' || c == ',' || c == '?'; }, ' ');
  std::istringstream stream(plain);
  return {std::istream_iterator<std::string>(stream), {}};
}

TEST(DemoCorpus, HasTheSizesAskedFor) {
  const DemoCorpus& corpus = small_corpus();
  EXPECT_EQ(corpus.train_src.size(), 6000u);
  EXPECT_EQ(corpus.train_tgt.size(), 6000u);
  EXPECT_EQ(corpus.valid_src.size(), 100u);
  EXPECT_EQ(corpus.valid_tgt.size(), 100u);
  EXPECT_EQ(corpus.test_src.size(), 100u);
  EXPECT_EQ(corpus.test_tgt.size(), 100u);
}

TEST(DemoCorpus, NeverShowsAHeldOutSentenceInTraining) {
  const DemoCorpus& corpus = small_corpus();
  std::set<std::string> seen(corpus.train_src.begin(), corpus.train_src.end());
  seen.insert(corpus.train_tgt.begin(), corpus.train_tgt.end());
  for (const auto* held_out :
       {&corpus.valid_src, &corpus.valid_tgt, &corpus.test_src, &corpus.test_tgt}) {
    for (const std::string& sentence : *held_out)
      EXPECT_TRUE(seen.insert(sentence).second) << sentence;
  }
}

TEST(DemoCorpus, HoldsOutNewCombinationsOfKnownWords) {
  const DemoCorpus& corpus = small_corpus();
  std::set<std::string> known;
  for (const auto* side : {&corpus.train_src, &corpus.train_tgt}) {
    for (const std::string& sentence : *side) {
      for (std::string& word : words_of(sentence)) known.insert(std::move(word));
    }
  }
  for (const auto* side :
       {&corpus.test_src, &corpus.test_tgt, &corpus.valid_src, &corpus.valid_tgt}) {
    for (const std::string& sentence : *side) {
      for (const std::string& word : words_of(sentence))
        EXPECT_TRUE(known.contains(word)) << word << " in: " << sentence;
    }
  }
}

TEST(DemoCorpus, IsAFunctionOfItsOptions) {
  DemoCorpusOptions options = small_options();
  options.train_sentences = 500;
  EXPECT_EQ(make_demo_corpus(options).train_tgt, make_demo_corpus(options).train_tgt);
  const DemoCorpus one = make_demo_corpus(options);
  options.seed = 2;
  EXPECT_NE(one.train_tgt, make_demo_corpus(options).train_tgt);
}

TEST(DemoCorpus, WritesNaturalSentences) {
  const DemoCorpus& corpus = small_corpus();
  std::size_t words = 0;
  for (const auto* side : {&corpus.train_src, &corpus.train_tgt}) {
    for (const std::string& sentence : *side) {
      words += words_of(sentence).size();
      EXPECT_TRUE(sentence.back() == '.' || sentence.back() == '?') << sentence;
      EXPECT_TRUE(sentence[0] >= 'A' && sentence[0] <= 'Z') << sentence;
      for (const char* wrong : {"  ", " ,", ",,", " .", ",.", ", .", " ?", ",?"}) {
        EXPECT_EQ(sentence.find(wrong), std::string::npos) << sentence;
      }
    }
  }
  const double average =
      static_cast<double>(words) / (2.0 * static_cast<double>(corpus.train_src.size()));
  EXPECT_GT(average, 7.0);
  EXPECT_LT(average, 10.0);
}

TEST(DemoCorpus, RefusesImpossibleSizes) {
  DemoCorpusOptions options = small_options();
  options.test_sentences = 0;
  EXPECT_THROW(make_demo_corpus(options), ConfigError);
  options = small_options();
  options.train_sentences = 300;
  options.max_words = 2;
  EXPECT_THROW(make_demo_corpus(options), ConfigError);
}

// Equal English must mean equal German, or no model could be right about both.
TEST(DemoGrammar, TranslatesEverySentenceInExactlyOneWay) {
  std::unordered_map<std::string, std::string> translations;
  int repeated = 0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    Random random(RandomKey{7, i});
    const demo::Sentence sentence = demo::sample_sentence(random);
    const std::string en = demo::english(sentence);
    const auto [found, added] = translations.try_emplace(en, demo::german(sentence));
    repeated += !added;
    EXPECT_EQ(found->second, demo::german(sentence)) << en;
  }
  EXPECT_GT(repeated, 1000);  // else the test says nothing
}

}  // namespace
}  // namespace attend
