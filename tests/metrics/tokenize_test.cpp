#include "attend/metrics/tokenize.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "attend/core/strings/unicode.h"
#include "attend/error.h"
#include "metrics/goldens.h"

namespace attend {
namespace {

BleuTokenization named(const std::string& name) {
  const auto names = enum_names(BleuTokenization::k13a);
  return static_cast<BleuTokenization>(std::find(names.begin(), names.end(), name) - names.begin());
}

TEST(BleuTokenization, EqualsSacrebleu) {
  ASSERT_FALSE(goldens::kTokens.empty());
  for (const auto& golden : goldens::kTokens) {
    EXPECT_EQ(bleu_tokenize(golden.line, named(golden.tokenization)), golden.tokens)
        << golden.tokenization << ": " << golden.line;
  }
}

TEST(BleuTokenization, RefusesWhatIsNotUtf8) {
  for (int i = 0; i < 4; ++i)
    EXPECT_THROW(bleu_tokenize("a \xff b", static_cast<BleuTokenization>(i)), DataError);
}

TEST(Lowercase, EqualsPython) {
  for (const auto& golden : goldens::kLower)
    EXPECT_EQ(unicode::lowercase(golden.line), golden.lower) << golden.line;
}

TEST(Lowercase, EndsWordsWithFinalSigma) {
  EXPECT_EQ(unicode::lowercase("ΟΔΟΣ"), "οδος");
  EXPECT_EQ(unicode::lowercase("Σ"), "σ");
  EXPECT_EQ(unicode::lowercase("ΑΣΑ"), "ασα");
  EXPECT_EQ(unicode::lowercase("Α.Σ. Α"), "α.ς. α");
}

TEST(Lowercase, KeepsTheDotOfTurkishI) { EXPECT_EQ(unicode::lowercase("İ"), "i\u0307"); }

TEST(Split, KnowsEveryPythonSpace) {
  const std::string text =
      " a\u00a0b\u2003c\u3000d\u0085e\x1c"
      "f\u2028g\u205fh\u1680i\t\n";
  EXPECT_EQ(unicode::split(text),
            (std::vector<std::string_view>{"a", "b", "c", "d", "e", "f", "g", "h", "i"}));
  EXPECT_EQ(unicode::split("zero\u200bwidth").size(), 1u);
}

TEST(StripRight, LeavesTheLeftAlone) { EXPECT_EQ(unicode::strip_right(" a b \u3000\n"), " a b"); }

}  // namespace
}  // namespace attend
