#include "attend/tasks/translation/trust/numbers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "attend/core/random/random.h"

namespace attend {
namespace {

using Texts = std::vector<std::string>;

Texts values_of(std::string_view text) {
  Texts values;
  for (const TextNumber& number : numbers_of(text))
    values.insert(values.end(), number.values.begin(), number.values.end());
  return values;
}

TEST(NumbersOf, AreValues) {
  EXPECT_EQ(values_of("1,000.50"), Texts{"1000.5"});
  EXPECT_EQ(values_of("1.000,5"), Texts{"1000.5"});
  EXPECT_EQ(values_of("1 000,5 und 1\u202f000,5"), (Texts{"1000.5", "1000.5"}));
  EXPECT_EQ(values_of("12’345’678"), Texts{"12345678"});
  EXPECT_EQ(values_of("1,23,45,678"), Texts{"12345678"});
  EXPECT_EQ(values_of("007 and 0.50"), (Texts{"7", "0.5"}));
  EXPECT_EQ(values_of("1.000"), (Texts{"1000", "1"}));
  EXPECT_EQ(values_of("24.12.2024"), (Texts{"24", "12", "2024"}));
  EXPECT_EQ(values_of("9/11"), (Texts{"9", "11"}));
  EXPECT_EQ(values_of("٢٠٢٤, ४२, １２, ๗"), (Texts{"2024", "42", "12", "7"}));
  EXPECT_EQ(values_of("none"), Texts{});
}

struct Pair {
  const char* source;
  const char* translation;
};

TEST(NumberDifference, IsNoneForTheSameValues) {
  for (const Pair& pair : std::array<Pair, 26>{{
           {"It costs 1,000.5 dollars.", "Es kostet 1.000,5 Dollar."},
           {"It costs 1,000.5 dollars.", "Cela coûte 1 000,5 dollars."},
           {"on 12/24/2024", "am 24. Dezember 2024"},
           {"on March 4, 2012", "am 04.03.2012"},
           {"in 2024", "في عام ٢٠٢٤"},
           {"I have 2 dogs.", "Ich habe zwei Hunde."},
           {"I have twenty dogs.", "Ich habe 20 Hunde."},
           {"2,000 people", "zweitausend Menschen"},
           {"1.5 million people", "1,5 Millionen Menschen"},
           {"1.5 million people", "1 500 000 personnes"},
           {"300 million", "3亿"},
           {"at 3 pm", "um 15 Uhr"},
           {"at 3:30 pm", "um 15:30 Uhr"},
           {"at 3.30 pm", "um 15.30 Uhr"},
           {"at 10:30", "um 10.30 Uhr"},
           {"at 2:30", "um halb 3"},
           {"the 19th century", "le XIXe siècle"},
           {"the 90s", "die 1990er"},
           {"the 1st of May", "der 1. Mai"},
           {"rooms 5 100 and 6", "Zimmer 5, 100 und 6"},
           {"in 1990 200 people", "1990 waren es 200"},
           {".08 percent", "0,08 Prozent"},
           {"1.2.3 is out", "1.2.3 ist da"},
           {"350 people", "三百五十人"},
           {"no number", "keine Zahl"},
           {"", ""},
       }})
    EXPECT_TRUE(number_difference(pair.source, pair.translation).empty())
        << pair.source << " | " << pair.translation << " | "
        << fmt::format("{}",
                       fmt::join(number_difference(pair.source, pair.translation).missing, " "));
}

TEST(NumberDifference, NamesWhatIsMissingAndAdded) {
  const NumberDifference changed = number_difference("for 60 years", "6 Jahre lang");
  EXPECT_EQ(changed.missing, Texts{"60"});
  EXPECT_EQ(changed.added, Texts{"6"});
  EXPECT_EQ(number_difference("born in 1984", "geboren").missing, Texts{"1984"});
  EXPECT_EQ(number_difference("born", "geboren 1984").added, Texts{"1984"});
  EXPECT_EQ(number_difference("1,234.5 and 7", "1.234,6 und 7").missing, Texts{"1,234.5"});
  EXPECT_EQ(number_difference("3 dogs", "4 Hunde").added, Texts{"4"});
  EXPECT_EQ(number_difference("٢٠٢٤", "2025").missing, Texts{"٢٠٢٤"});
}

// Numbers in the form of one country are those of another.
TEST(NumberDifference, IsNoneForRandomNumbersInOtherForms) {
  Random random({3, 1});
  const auto grouped = [](std::uint64_t number, const std::string& separator) {
    std::string digits = std::to_string(number);
    for (auto at = std::ssize(digits) - 3; at > 0; at -= 3)
      digits.insert(static_cast<std::size_t>(at), separator);
    return digits;
  };
  for (int i = 0; i < 2000; ++i) {
    std::uint64_t most = 10;
    for (std::uint64_t digits = random.below(9); digits > 0; --digits) most *= 10;
    const std::uint64_t whole = random.below(most), cents = random.below(100);
    const std::string english = fmt::format("{}.{:02}", grouped(whole, ","), cents),
                      german = fmt::format("{},{:02}", grouped(whole, "."), cents),
                      french = fmt::format("{},{:02}", grouped(whole, "\u202f"), cents),
                      swiss = fmt::format("{}.{:02}", grouped(whole, "’"), cents);
    const std::string wrong = fmt::format("{},{:02}", grouped(whole + 111, "."), cents);
    for (const std::string& other : {german, french, swiss, english}) {
      EXPECT_TRUE(number_difference("x " + english + " y", other + " z").empty())
          << english << " " << other;
      EXPECT_TRUE(number_difference(other, english).empty()) << english << " " << other;
      EXPECT_FALSE(number_difference(other, wrong).empty()) << other << " " << wrong;
    }
  }
}

}  // namespace
}  // namespace attend
