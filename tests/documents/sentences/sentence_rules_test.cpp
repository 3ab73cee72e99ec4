#include "attend/documents/sentences/sentence_rules.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace attend {
namespace {

using Ordinals = SentenceRules::Ordinals;

TEST(SentenceRules, KnowWhatAWordMeans) {
  const SentenceRules& german = SentenceRules::of("de", "");
  EXPECT_EQ(german.facts("Dr"), SentenceRules::kNever);
  EXPECT_TRUE(german.facts("Vgl") & SentenceRules::kNever) << "vgl at the beginning of a sentence";
  EXPECT_TRUE(german.facts("z.B") & SentenceRules::kNever);
  EXPECT_TRUE(german.facts("z") & SentenceRules::kSeldom) << "the first part of z. B.";
  EXPECT_TRUE(german.facts("B") & SentenceRules::kPart) << "the last part of z. B.";
  EXPECT_TRUE(german.facts("Der") & SentenceRules::kStart);
  EXPECT_TRUE(german.facts("Mai") & SentenceRules::kMonth);
  EXPECT_EQ(german.facts("dR"), 0u);
  EXPECT_EQ(german.facts(""), 0u);
}

TEST(SentenceRules, DifferByLanguage) {
  EXPECT_EQ(SentenceRules::of("de", "").ordinals(), Ordinals::before_names);
  EXPECT_EQ(SentenceRules::of("cs", "").ordinals(), Ordinals::before_numbers);
  EXPECT_EQ(SentenceRules::of("en", "").ordinals(), Ordinals::none);
  EXPECT_TRUE(SentenceRules::of("el", "").has_stop(U';'));
  EXPECT_FALSE(SentenceRules::of("en", "").has_stop(U';'));
  EXPECT_FALSE(SentenceRules::of("hy", "").has_periods());
  EXPECT_TRUE(SentenceRules::of("nn", "").facts("dr")) << "with those of nb";
}

TEST(SentenceRules, AreThoseOfARelativeOrOfTheScript) {
  EXPECT_EQ(&SentenceRules::of("lb", ""), &SentenceRules::of("de", ""));
  EXPECT_EQ(&SentenceRules::of("bho_Deva", ""), &SentenceRules::of("hi", ""));
  EXPECT_EQ(&SentenceRules::of("xx_Cyrl", ""), &SentenceRules::of("ru", ""));
  EXPECT_EQ(&SentenceRules::of("xx", "123 дом"), &SentenceRules::of("ru", ""));
  EXPECT_EQ(&SentenceRules::of("relatives", "dog"), &SentenceRules::of("en", ""));
  EXPECT_EQ(&SentenceRules::of("", ""), &SentenceRules::of("en", ""));
}

TEST(SentenceRules, AreReadOnceByAllThreads) {
  std::vector<const SentenceRules*> found(8);
  std::vector<std::thread> threads;
  for (const SentenceRules*& one : found)
    threads.emplace_back([&one] { one = &SentenceRules::of("fi", ""); });
  for (std::thread& thread : threads) thread.join();
  for (const SentenceRules* one : found) EXPECT_EQ(one, found[0]);
}

}  // namespace
}  // namespace attend
