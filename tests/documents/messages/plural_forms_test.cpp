#include "attend/documents/messages/plural_forms.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

struct Forms {
  std::size_t count, of_one;
  bool one_is_alone;
  bool operator==(const Forms&) const = default;
};

// No form at all without a declaration.
Forms forms_of(std::string_view declaration) {
  const auto forms = PluralForms::read(declaration);
  if (!forms) return {0, 0, false};
  std::size_t one = 0;
  while (!forms->is_of_one(one)) ++one;
  return {forms->count(), one, forms->is_of_one_alone(one)};
}

TEST(PluralForms, AreReadFromTheirDeclaration) {
  EXPECT_EQ(forms_of("nplurals=2; plural=(n != 1);"), (Forms{2, 0, true}));
  EXPECT_EQ(forms_of("nplurals = 1; plural = 0"), (Forms{1, 0, false}));
  EXPECT_EQ(forms_of("nplurals=2; plural=n>1;"), (Forms{2, 0, false}));
  EXPECT_EQ(forms_of("nplurals=2; plural=n==1 ? 1 : 0;"), (Forms{2, 1, true}));
  EXPECT_EQ(forms_of("nplurals=2; plural=n<=1 && !(n%2==0) || n*2-1+1>=5/2*1000;"),
            (Forms{2, 1, false}));
  for (const char* wrong :
       {"", "nplurals=INTEGER; plural=EXPRESSION;", "nplurals=2;", "nplurals=0; plural=0",
        "nplurals=2; plural=n+", "nplurals=2; plural=(n", "nplurals=2; plural=n/0",
        "nplurals=2; plural=2", "nplurals=2; plural=n ? 1", "nplurals=2; plural=n 1",
        "nplurals=9; plural=0"})
    EXPECT_EQ(forms_of(wrong), (Forms{0, 0, false})) << wrong;
  EXPECT_FALSE(PluralForms::read("nplurals=2; plural=" + std::string(100'000, '(')));
}

TEST(PluralForms, OfLanguagesAreKnown) {
  EXPECT_EQ(forms_of(plural_forms_of("de")), (Forms{2, 0, true}));
  EXPECT_EQ(forms_of(plural_forms_of("fr")), (Forms{2, 0, false}));
  EXPECT_EQ(forms_of(plural_forms_of("pt-BR")), (Forms{2, 0, false}));
  EXPECT_EQ(forms_of(plural_forms_of("pt_PT")), (Forms{2, 0, true}));
  EXPECT_EQ(forms_of(plural_forms_of("zh-Hans")), (Forms{1, 0, false}));
  EXPECT_EQ(forms_of(plural_forms_of("ru")), (Forms{3, 0, false}));
  EXPECT_EQ(forms_of(plural_forms_of("ar")), (Forms{6, 1, true}));
  for (const char* language : {"cs", "pl", "sl", "lt", "lv", "ro", "ga", "mt", "is"})
    EXPECT_GE(forms_of(plural_forms_of(language)).count, 2u) << language;
  EXPECT_EQ(plural_forms_of("tlh"), "");
  EXPECT_EQ(plural_forms_of(""), "");
}

}  // namespace
}  // namespace attend
