#include "attend/tasks/translation/document_context.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

using Strings = std::vector<std::string>;

TEST(DocumentContext, EndsWhereADocumentDoes) {
  const Strings texts{"a", "b", "c", " ", "d", "e"};
  TranslationOptions options;
  const auto before = [&](std::size_t i) { return sentences_before(texts, i, options); };
  EXPECT_EQ(before(2), Strings{});
  options.context = 2;
  EXPECT_EQ(before(0), Strings{});
  EXPECT_EQ(before(1), Strings{"a"});
  EXPECT_EQ(before(2), (Strings{"a", "b"}));
  EXPECT_EQ(before(4), Strings{});
  EXPECT_EQ(before(5), Strings{"d"});
  options.documents = {0, 2, 5};
  EXPECT_EQ(before(1), Strings{"a"});
  EXPECT_EQ(before(2), Strings{});
  EXPECT_EQ(before(5), Strings{});
}

TEST(DocumentContext, OfLinesIsThatOfTexts) {
  const Strings texts{"a", "b", "c", "d", " ", "e", "f", "", "", "g", "h"};
  for (int most = 0; most < 5; ++most) {
    TranslationOptions options;
    options.context = most;
    LinesBefore lines(most);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(lines.lines(), sentences_before(texts, i, options)) << most << " " << i;
      lines.add(texts[i]);
    }
  }
}

}  // namespace
}  // namespace attend
