#include "attend/text/protection/glossary_line.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Forms = std::vector<std::string>;

TEST(GlossaryLine, HasATermAndItsTranslationWithTheirForms) {
  const GlossaryTerm term = glossary_term("dog | dogs||\tHund|Hunde\tnoun", "terms:1");
  EXPECT_EQ(term.sources, (Forms{"dog", "dogs"}));
  EXPECT_EQ(term.targets, (Forms{"Hund", "Hunde"}));
  for (const char* const line : {"dog", "dog\t", "\tHund", "|\tHund", "dog\t | \tnoun"})
    expect_error<DataError>([&] { glossary_term(line, "terms:1"); }, {"terms:1", "a tab"});
}

TEST(GlossaryLine, MayBeACommentOrEmpty) {
  EXPECT_TRUE(is_glossary_term("dog"));
  EXPECT_FALSE(is_glossary_term("# dog"));
  EXPECT_FALSE(is_glossary_term(" "));
}

}  // namespace
}  // namespace attend
