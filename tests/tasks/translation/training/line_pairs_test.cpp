#include "attend/tasks/translation/training/line_pairs.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "attend/error.h"

namespace attend {
namespace {

class LinePairs : public testing::Test {
 protected:
  void open(const std::string& first, const std::string& second) {
    first_text_.str(first);
    second_text_.str(second);
  }
  // "first|second", "line error", "data error" or "end".
  std::string next() {
    try {
      const auto lines = next_of_both(first_, second_);
      return lines ? lines->first + "|" + lines->second : "end";
    } catch (const LineError&) {
      return "line error";
    } catch (const DataError& error) {
      return error.what();
    }
  }

  std::istringstream first_text_, second_text_;
  LineReader first_{first_text_, "first"}, second_{second_text_, "second"};
};

TEST_F(LinePairs, AreLinesOfTheSameNumber) {
  open("a\nb\n", "x\ny");
  EXPECT_EQ(next(), "a|x");
  EXPECT_EQ(next(), "b|y");
  EXPECT_EQ(next(), "end");
}

TEST_F(LinePairs, EndTogether) {
  open("a\nb\n", "x\n");
  EXPECT_EQ(next(), "a|x");
  EXPECT_EQ(next(), "second ends at line 1, before first; expected as many lines in both");
}

TEST_F(LinePairs, EndTogetherInTheOtherTextToo) {
  open("", "x\n");
  EXPECT_EQ(next(), "first ends at line 0, before second; expected as many lines in both");
}

TEST_F(LinePairs, StaySideBySideAfterAnInvalidLine) {
  open("\xFF\nb\nc\nd\n", "x\n\xFF\nz\nw\n");
  EXPECT_EQ(next(), "line error") << "of the first text";
  EXPECT_EQ(next(), "line error") << "of the second text";
  EXPECT_EQ(next(), "c|z");
  EXPECT_EQ(next(), "d|w");
}

TEST_F(LinePairs, HaveOneErrorForTwoInvalidLines) {
  open("\xFF\nb\n", "\xFF\ny\n");
  EXPECT_EQ(next(), "line error");
  EXPECT_EQ(next(), "b|y");
}

TEST_F(LinePairs, EndWithAnInvalidLineThatHasNoPartner) {
  open("\xFF\n", "");
  EXPECT_EQ(next(), "second ends at line 0, before first; expected as many lines in both");
}

}  // namespace
}  // namespace attend
