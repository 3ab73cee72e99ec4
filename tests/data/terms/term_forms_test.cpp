#include "attend/data/terms/term_forms.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "data/terms/nouns.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Strings = std::vector<std::string>;

Strings added(const Strings& lines, TermFormsReport& report) {
  return TermForms(text_of_nouns()).added(lines, "terms", report);
}
Strings added(const Strings& lines) {
  TermFormsReport report;
  return added(lines, report);
}

TEST(TermForms, StandBehindThoseOfTheGlossary) {
  TermFormsReport report;
  EXPECT_EQ(added({"# animals", "dog\tHund", "", "horse\tPferd|Gaul\tnoun", "frog\tUnke"}, report),
            (Strings{"# animals", "dog|dogs\tHund|Hunde", "",
                     "horse|horses\tPferd|Gaul|Pferde\tnoun", "frog|frogs\tUnke\tunsure: frogs"}));
  EXPECT_EQ(report.terms, 3);
  EXPECT_EQ(report.with_forms, 3);
  EXPECT_EQ(report.source_forms, 2);
  EXPECT_EQ(report.target_forms, 2);
  EXPECT_EQ(report.unsure, 1);
}

TEST(TermForms, AreAddedOnce) {
  const Strings lines = added({"dog\tHund", "frog\tHund"});
  TermFormsReport report;
  EXPECT_EQ(added(lines, report), lines);
  EXPECT_EQ(report.with_forms, 0);
}

TEST(TermForms, LeaveTheTermsOfOtherLines) {
  EXPECT_EQ(added({"dog\tHund", "dogs\tMeute"}).front(), "dog\tHund|Hunde");
}

TEST(TermForms, NeedLinesOfAGlossary) {
  expect_error<DataError>([] { added({"dog\tHund", "cat"}); }, {"terms:2", "a tab"});
}

}  // namespace
}  // namespace attend
