#include "attend/cli/commands/backtranslate/augmentation_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "attend/error.h"

namespace attend {
namespace {

// "reverse model; round-1/tgt-mono by 1; ..."
std::string plan_as_text(const std::vector<AugmentationPart>& plan) {
  std::string text;
  for (const AugmentationPart& part : plan) {
    const char* direction = part.direction == TranslationDirection::forward ? "forward" : "reverse";
    const std::string folder = part.folder.empty() ? "." : part.folder;
    switch (part.step) {
      case AugmentationStep::given_model:
        text += fmt::format("{} is {}", direction, folder);
        break;
      case AugmentationStep::training:
        text += fmt::format("{} in {}", direction, folder);
        if (part.from >= 0) text += fmt::format(" from {}", part.from + 1);
        break;
      case AugmentationStep::translation:
        text += fmt::format("{} by {}", folder, part.from + 1);
    }
    text += "; ";
  }
  return text;
}

AugmentationTexts mono_texts(bool target, bool source, int rounds) {
  AugmentationTexts texts;
  if (target) texts.tgt_mono = {"more.de"};
  if (source) texts.src_mono = {"more.en"};
  texts.rounds = rounds;
  return texts;
}

TEST(AugmentationPlan, TranslatesTargetTextOnce) {
  EXPECT_EQ(plan_as_text(augmentation_plan(mono_texts(true, false, 1))),
            "reverse in reverse; round-1/tgt-mono by 1; forward in . from 2; ");
  AugmentationTexts given = mono_texts(true, false, 1);
  given.reverse = "de-en";
  EXPECT_EQ(plan_as_text(augmentation_plan(given)),
            "reverse is de-en; round-1/tgt-mono by 1; forward in . from 2; ");
}

TEST(AugmentationPlan, AlternatesWithTextOfBothLanguages) {
  EXPECT_EQ(plan_as_text(augmentation_plan(mono_texts(true, true, 2))),
            "reverse in reverse; round-1/tgt-mono by 1; forward in round-1/forward from 2; "
            "round-2/src-mono by 3; reverse in round-2/reverse from 4; round-2/tgt-mono by 5; "
            "forward in . from 6; ");
}

TEST(AugmentationPlan, TrainsOnItsOwnTranslationsOfSourceText) {
  EXPECT_EQ(plan_as_text(augmentation_plan(mono_texts(false, true, 2))),
            "forward in forward; round-1/src-mono by 1; forward in round-1/forward from 2; "
            "round-2/src-mono by 3; forward in . from 4; ");
  AugmentationTexts given = mono_texts(false, true, 1);
  given.forward = "en-de";
  EXPECT_EQ(plan_as_text(augmentation_plan(given)),
            "forward is en-de; round-1/src-mono by 1; forward in . from 2; ");
}

TEST(AugmentationPlan, RefusesWhatWouldHaveNoEffect) {
  const auto refuses = [](const AugmentationTexts& texts, const std::string& message) {
    try {
      augmentation_plan(texts);
      ADD_FAILURE() << message;
    } catch (const ConfigError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(message)) << error.what();
    }
  };
  refuses(mono_texts(false, false, 1), "--tgt-mono: expected the text to translate");
  refuses(mono_texts(true, true, 1), "--rounds: expected 2 or more");
  refuses(mono_texts(true, false, 2), "--rounds: expected 1 without --src-mono");
  AugmentationTexts model = mono_texts(true, false, 1);
  model.forward = "en-de";
  refuses(model, "--forward: works only without --tgt-mono");
  model = mono_texts(false, true, 1);
  model.reverse = "de-en";
  refuses(model, "--reverse: works only with --tgt-mono");
  model = mono_texts(true, false, 1);
  model.reverse = "de-en";
  model.reverse_options = {"d-model=32"};
  refuses(model, "--reverse-options: works only where a reverse model is trained");
  model = mono_texts(true, true, 2);
  model.reverse = "de-en";
  model.reverse_options = {"d-model=32"};
  EXPECT_EQ(augmentation_plan(model).size(), 7u) << "one is trained in the second round";
}

}  // namespace
}  // namespace attend
