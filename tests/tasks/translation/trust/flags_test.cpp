#include "attend/tasks/translation/trust/flags.h"

#include <gtest/gtest.h>

#include "attend/core/random/random.h"

namespace attend {
namespace {

std::vector<std::string> names(const std::vector<TranslationFlag>& flags) {
  std::vector<std::string> names;
  for (const TranslationFlag& flag : flags) names.push_back(flag.name);
  return names;
}

using Names = std::vector<std::string>;

class TextFlagsOfPairs : public testing::Test {
 protected:
  Names of(std::string_view source, std::string_view translation) const {
    return names(flags_.of(source, translation));
  }
  TextFlags flags_{{"en", "de"}};
};

TEST_F(TextFlagsOfPairs, AreNoneForGoodTranslations) {
  EXPECT_EQ(of("The old dog sleeps.", "Der alte Hund schläft."), Names{});
  EXPECT_EQ(of("New York, Los Angeles", "New York, Los Angeles"), Names{});
  EXPECT_EQ(of("Tom", "Tom"), Names{});
  EXPECT_EQ(of("He said \"The Old Man and the Sea\" is good.",
               "Er sagte, \"The Old Man and the Sea\" sei gut."),
            Names{});
  EXPECT_EQ(of("Yes.", "Ja, das ist so, wie du es gesagt hast."), Names{});
  EXPECT_EQ(of("", ""), Names{});
  EXPECT_EQ(of("...", ""), Names{});
  EXPECT_EQ(of("Open {file} at https://a.org/b?c=1.", "Öffne {file} auf https://a.org/b?c=1."),
            Names{});
}

TEST_F(TextFlagsOfPairs, FindNoTranslation) {
  EXPECT_EQ(of("The old dog sleeps.", " "), Names{"empty"});
  EXPECT_EQ(of("The old dog sleeps.", "."), Names{"empty"});
}

TEST_F(TextFlagsOfPairs, FindWhatIsTooLongOrTooShort) {
  const std::string text =
      "Wir haben lange über diese Frage gesprochen, und am Ende waren sich alle Leute einig.";
  EXPECT_EQ(of("Yes.", text), Names{"length"});
  EXPECT_EQ(of("The whole house was full of people, who talked of this and that until the morning.",
               "Ja."),
            Names{"length"});
}

TEST_F(TextFlagsOfPairs, FindCopies) {
  EXPECT_EQ(of("The old dog sleeps in the garden.", "The old dog sleeps in the garden."),
            Names{"copy"});
  EXPECT_EQ(names(TextFlags().of("the old dog sleeps", "the old dog sleeps")), Names{"copy"});
  EXPECT_EQ(of("He says that the old dog sleeps in the garden of the house.",
               "Er sagt that the old dog sleeps in the garden."),
            Names{"copy"});
}

TEST_F(TextFlagsOfPairs, KnowThatLanguagesMayBeEqual) {
  EXPECT_EQ(names(TextFlags({"en", "en"}).of("the old dog sleeps", "the old dog sleeps")), Names{});
  EXPECT_EQ(names(TextFlags({"da", "nb"}).of("det er en god dag", "det er en god dag")), Names{});
}

TEST_F(TextFlagsOfPairs, FindOtherLanguages) {
  const std::string source = "The old dog sleeps in the garden while the children play.",
                    french = "Le vieux chien dort dans le jardin pendant que les enfants jouent.";
  EXPECT_EQ(of(source, french), Names{"language"});
  EXPECT_EQ(names(TextFlags({"en", "fr"}).of(source, french)), Names{});
  EXPECT_EQ(names(TextFlags().of(source, french)), Names{});
  EXPECT_EQ(names(TextFlags({"en", "nowhere"}).of(source, french)), Names{});
}

TEST_F(TextFlagsOfPairs, FindRepetitionsNumbersAndWhatIsToStay) {
  EXPECT_EQ(of("The dog sleeps.", "Der Hund, der Hund, der Hund schläft."), Names{"repetition"});
  const auto flags =
      flags_.of("In 1984 he wrote to a@b.org.", "Im Jahr 1948 schrieb er an A@B.org.");
  ASSERT_EQ(names(flags), (Names{"numbers", "verbatim"}));
  EXPECT_EQ(flags[0].reason, "1984 is missing; 1948 is not in the source");
  EXPECT_EQ(flags[1].reason, "a@b.org is missing");
}

TEST_F(TextFlagsOfPairs, HaveReasonsThatCanBePrinted) {
  const auto flags = flags_.of("Run `a\nb\x1b[1m` now, please.", "Bitte jetzt starten.");
  for (const TranslationFlag& flag : flags)
    EXPECT_EQ(flag.reason.find_first_of("\n\x1b"), std::string::npos) << flag.reason;
}

// Any bytes are judged, without a fault.
TEST_F(TextFlagsOfPairs, OfAnyBytes) {
  static const std::vector<std::string> parts{
      "1",    ".",    ",",    "1,000",    " ",     "\u202f", "the",     "The", "狗",   "٣",
      "\xff", "\xc3", "\x00", "https://", "{x}",   "'",      "-",       ":",   "ha",   "<b>",
      "%s",   "🙂", "é",    "e\u0301",  "10:30", "百",     "million", "`",   "half", "\n"};
  Random random({5, 2});
  const auto text = [&] {
    std::string made;
    for (std::uint64_t left = random.below(30); left > 0; --left)
      made += parts[random.below(parts.size())];
    return made;
  };
  for (int i = 0; i < 3000; ++i) {
    const std::string source = text(), translation = text();
    for (const TranslationFlag& flag : flags_.of(source, translation)) {
      EXPECT_FALSE(flag.name.empty());
      EXPECT_FALSE(flag.reason.empty()) << source << " | " << translation;
    }
  }
}

}  // namespace
}  // namespace attend
