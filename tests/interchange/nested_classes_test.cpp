#include "attend/interchange/nested_classes.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

TEST(NestedClasses, BecomeOneClass) {
  EXPECT_EQ(without_nested_classes(R"( ?[^(\s|[.,!?])]+)"), R"( ?[^(\s|.,!?)]+)");
  EXPECT_EQ(without_nested_classes("[a[b[c]d]e]f]"), "[abcde]f]");
}

TEST(NestedClasses, LeaveOtherExpressionsAlone) {
  for (const char* plain : {R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+)", R"([\[\]]\[)",
                            "[[:alpha:]_]+", "]a]", "[a-z]", "", "\\"})
    EXPECT_EQ(without_nested_classes(plain), plain);
  EXPECT_EQ(without_nested_classes("[]a]"), "[\\]a]") << "a bracket that is first is a character";
  EXPECT_EQ(without_nested_classes("[^]a]"), "[^\\]a]");
}

TEST(NestedClasses, AreRefusedWhenOneClassIsNotTheSame) {
  const auto expect_refused = [](const char* expression, const char* what) {
    expect_error<DataError>([&] { without_nested_classes(expression); }, {what, "not supported"});
  };
  expect_refused("[a[^b]]", "negated class within another");
  expect_refused("[a&&[bc]]", "intersection");
  expect_refused("[a-[bc]]", "range between classes");
  expect_refused("[[ab]-c]", "range between classes");
  expect_refused("[a[-c]]", "range between classes");
  expect_refused("[a[b-]c]", "range between classes");
  expect_refused("[[:alpha]", "without an end");
}

}  // namespace
}  // namespace attend
