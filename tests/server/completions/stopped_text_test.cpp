#include "attend/server/completions/stopped_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "attend/core/random/random.h"

namespace attend {
namespace {

TEST(StoppedText, EndsBeforeTheFirstStop) {
  StoppedText text({"</s>", "\n\n"});
  EXPECT_EQ(text.add("one\n"), "one") << "the line break may become two";
  EXPECT_EQ(text.held(), "\n");
  EXPECT_EQ(text.add("two"), "\ntwo");
  EXPECT_EQ(text.add(" th</s>ree\n\n"), " th");
  EXPECT_TRUE(text.is_stopped());
  EXPECT_EQ(text.add("four"), "");
  EXPECT_EQ(text.text(), "one\ntwo th");
}

TEST(StoppedText, GivesBackWhatItHeldAtTheEnd) {
  StoppedText text({"stop"});
  EXPECT_EQ(text.add("a sto"), "a ");
  EXPECT_EQ(text.finish(), "sto");
  EXPECT_EQ(text.text(), "a sto");
  EXPECT_FALSE(text.is_stopped());
}

TEST(StoppedText, WithoutStopsHoldsNothing) {
  StoppedText text({});
  EXPECT_EQ(text.add("a"), "a");
  EXPECT_EQ(text.finish(), "");
}

// Texts of two letters meet the beginnings of stops at every place.
TEST(StoppedText, IsTheSameHoweverTheTextArrives) {
  const std::vector<std::string> stops{"abab", "bba", "aaa"};
  Random random({1, 2});
  for (int repeat = 0; repeat < 500; ++repeat) {
    std::string whole;
    for (int i = 0; i < 12; ++i) whole += random.below(2) == 0 ? 'a' : 'b';
    std::size_t end = std::string::npos;
    for (const std::string& stop : stops) end = std::min(end, whole.find(stop));
    StoppedText text(stops);
    std::string returned;
    for (std::size_t at = 0; at < whole.size();) {
      const std::size_t count = 1 + random.below(4);
      returned += text.add(std::string_view(whole).substr(at, count));
      at += count;
    }
    if (!text.is_stopped()) returned += text.finish();
    EXPECT_EQ(returned, whole.substr(0, end)) << whole;
    EXPECT_EQ(text.text(), returned);
    EXPECT_EQ(text.is_stopped(), end != std::string::npos);
  }
}

}  // namespace
}  // namespace attend
