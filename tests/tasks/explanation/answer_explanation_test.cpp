#include "attend/tasks/explanation/answer_explanation.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "attend/tasks/explanation/explanation.h"
#include "attend/tasks/translation/engine.h"
#include "tasks/small_classifier.h"
#include "tasks/small_embedder.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

void expect_equal(const OutputExplanation& one, const OutputExplanation& other) {
  EXPECT_EQ(one.tokens, other.tokens);
  EXPECT_EQ(one.position, other.position);
  EXPECT_EQ(one.token.token, other.token.token);
  EXPECT_EQ(one.difference, other.difference);
}

TEST(AnswerExplanation, IsOfTheModelsOwnTranslationTokenByToken) {
  const TranslationModel model = small_model();
  const std::vector<std::string> text{"the old dog"};
  const Translation own = TranslationEngine(model).translate(text).front();
  const AnswerExplanation found =
      explain_answer(model, {.text = text[0], .options = {.position = 1}});
  EXPECT_EQ(found.translation, own.text());
  expect_equal(found.why,
               explain(model, text[0], target_ids(model, own.candidates.front()), {.position = 1}));
}

TEST(AnswerExplanation, IsOfTheGivenTranslation) {
  const TranslationModel model = small_model();
  const AnswerExplanation found = explain_answer(
      model, {.text = "the old dog", .translation = "eine katze", .options = {.position = 2}});
  EXPECT_EQ(found.translation, "eine katze");
  expect_equal(found.why, explain(model, "the old dog", "eine katze", {.position = 2}));
}

TEST(AnswerExplanation, OfOtherModelsHasNoTranslation) {
  const LanguageModel language = small_language_model();
  const AnswerExplanation next = explain_answer(language, {.text = "the cat sat"});
  EXPECT_EQ(next.translation, "");
  expect_equal(next.why, explain(language, "the cat sat", {}));
  const ClassificationModel films = small_classifier();
  expect_equal(explain_answer(films, {.text = "a good film", .options = {.alone = true}}).why,
               explain(films, "a good film", {.alone = true}));
}

TEST(AnswerExplanation, NeedsAModelWithAnAnswer) {
  expect_error<DataError>([] { explain_answer(small_embedder(), {.text = "a cat"}); },
                          {"translation", "embedding"});
}

}  // namespace
}  // namespace attend
