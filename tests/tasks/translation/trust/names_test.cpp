#include "attend/tasks/translation/trust/names.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

using Texts = std::vector<std::string>;

TEST(LearnNames, KeepsWordsThatBothSidesHave) {
  Texts sources, targets;
  for (int i = 0; i < 8; ++i) {
    sources.insert(sources.end(), {"Tom sees the dog.", "In Germany Mary's house is big.", "So!"});
    targets.insert(targets.end(),
                   {"Tom sieht den Hund.", "In Deutschland ist Marys Haus groß.", "Also!"});
  }
  sources.insert(sources.end(), {"Anna sleeps.", "Anna eats.", "Anna goes."});
  targets.insert(targets.end(), {"Anna schläft.", "Anna isst.", "Anna geht."});
  EXPECT_EQ(learn_names(sources, targets), (Texts{"Mary", "Tom"}));
}

TEST(LearnNames, LeavesOutWordsThatAreOftenTranslated) {
  Texts sources(20, "He likes Boston."), targets(20, "Er mag Boston.");
  EXPECT_EQ(learn_names(sources, targets), Texts{"Boston"});
  targets.back() = "Er mag diese Stadt.";
  EXPECT_EQ(learn_names(sources, targets), Texts{});
}

TEST(MissingNames, AreThoseWithoutAnyForm) {
  const Texts names{"Berlin", "Tom"};
  EXPECT_EQ(missing_names(names, "Tom lives in Berlin.", "Er lebt dort."), names);
  EXPECT_EQ(missing_names(names, "Tom's house in Berlin", "Toms Haus in Berlin-Mitte"), Texts{});
  EXPECT_EQ(missing_names(names, "Ann lives in Germany.", "Er lebt dort."), Texts{});
  EXPECT_EQ(missing_names({}, "Tom", "Ann"), Texts{});
}

}  // namespace
}  // namespace attend
