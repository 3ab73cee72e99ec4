#include "attend/tasks/text_preparer.h"

#include <gtest/gtest.h>

#include "attend/error.h"

namespace attend {
namespace {

const TextKinds kKinds{{"src", {.language = "en"}}, {"tgt", {.language = "fr"}}};
const TextPreparation kTokens{.tokenize = WordSplitting::moses};

TEST(TextPreparer, HasTheLanguagesOfTheModelUnlessOthersAreGiven) {
  const auto source = TextPreparer::of_input(kKinds, kTokens),
             target = TextPreparer::of_target(kKinds, kTokens);
  EXPECT_EQ(source("it's"), "it &apos;s");
  EXPECT_EQ(target("l'eau"), "l&apos; eau");
  TextPreparation given = kTokens;
  given.language = "fr";
  given.tgt_language = "en";
  EXPECT_EQ(TextPreparer::of_input(kKinds, given)("l'eau"), "l&apos; eau");
  EXPECT_EQ(TextPreparer::of_target(kKinds, given)("it's"), "it &apos;s");
  EXPECT_EQ(TextPreparer::of_input({{"text", {.language = "fr"}}}, kTokens)("l'eau"),
            "l&apos; eau");
}

TEST(TextPreparer, NeedsALanguageOnlyForItsRules) {
  EXPECT_EQ(TextPreparer()("It's."), "It's.");
  EXPECT_EQ(TextPreparer::of_input({}, {.lowercase = true, .language = "cs"})("It's."), "it's.");
  EXPECT_THROW(TextPreparer::of_input({}, kTokens), ConfigError);
  EXPECT_THROW(TextPreparer::of_target({{"src", {.language = "en"}}}, kTokens), ConfigError);
  EXPECT_THROW(TextPreparer::of_input({}, {.normalize_punctuation = true}), ConfigError);
}

TEST(TextPreparer, PreparesThePartsOfATextAlone) {
  const auto prepare = TextPreparer::of_input(kKinds, kTokens);
  EXPECT_EQ(prepare("a.\nb."), "a. b .") << "white space is a space for Moses";
  EXPECT_EQ(prepare.in_parts("a.\n\nb.\n", '\n'), "a .\n\nb .\n");
  EXPECT_EQ(prepare.in_parts("a.\tb.", '\t'), "a .\tb .");
  EXPECT_EQ(prepare.in_parts("", '\n'), "");
  const std::vector<std::string> texts{"a.", "b."};
  EXPECT_EQ(prepare(texts), (std::vector<std::string>{"a .", "b ."}));
}

TEST(TextPreparer, RestoresOnlyTheWordsThatItHasSplit) {
  EXPECT_EQ(TextPreparer::of_target(kKinds, kTokens).restored("l&apos; eau ."), "l'eau.");
  TextPreparation plain = kTokens;
  plain.detokenize = false;
  EXPECT_EQ(TextPreparer::of_target(kKinds, plain).restored("l&apos; eau ."), "l&apos; eau .");
  EXPECT_EQ(TextPreparer::of_target(kKinds, {.lowercase = true}).restored("a ."), "a .");
}

}  // namespace
}  // namespace attend
