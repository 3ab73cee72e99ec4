#include <gtest/gtest.h>

#include "attend/classifier.h"
#include "attend/generator.h"
#include "attend/tasks/explanation/answer_explanation.h"
#include "attend/tasks/explanation/explanation_json.h"
#include "attend/tasks/loaded_model.h"
#include "attend/translator.h"
#include "server/served_models.h"

namespace attend {
namespace {

class ExplanationRoute : public ServingTest {
 protected:
  static std::string file(const std::string& name) { return SmallModels::shared().file(name); }
};

TEST_F(ExplanationRoute, GivesWhatTheLibraryGives) {
  serve({"en-de", "lm", "classes"});
  const OutputExplanation of_translation =
      Translator::load(file("en-de"))
          .explain("the dog sleeps", "der hund", {.position = 1, .instead = "</s>"});
  auto json = json_of(post("/explain", R"({"text": "the dog sleeps", "translation": "der hund",
                                           "position": 1, "instead": "</s>"})"));
  EXPECT_EQ(json["translation"], "der hund");
  json.erase("translation");
  EXPECT_EQ(json, to_json(of_translation));
  EXPECT_EQ(json_of(post("/explain", R"({"text": "the dog", "model": "lm", "top": 2})")),
            to_json(Generator::load(file("lm")).explain("the dog", {.top = 2})));
  EXPECT_EQ(json_of(post("/explain", R"({"text": "a dog", "model": "classes", "alone": true})")),
            to_json(Classifier::load(file("classes")).explain("a dog", {.alone = true})));
}

TEST_F(ExplanationRoute, ExplainsTheTranslationOfTheModelIfNoneIsGiven) {
  serve({"en-de"});
  const auto json = json_of(post("/explain", R"({"text": "the dog sleeps"})"));
  EXPECT_EQ(json["translation"], Translator::load(file("en-de"))
                                     .translate(std::vector<std::string>{"the dog sleeps"})
                                     .front()
                                     .text());
  EXPECT_EQ(json["position"], 0);
}

TEST_F(ExplanationRoute, DividesTheLogitsByTheTemperature) {
  serve({"en-de"});
  const OutputExplanation expected =
      Translator::load(file("en-de")).explain("a dog", "ein hund", {.temperature = 0.5f});
  auto json = json_of(
      post("/explain", R"({"text": "a dog", "translation": "ein hund", "temperature": 0.5})"));
  json.erase("translation");
  EXPECT_EQ(json, to_json(expected));
}

TEST_F(ExplanationRoute, ExplainsTheModelWithChangedAttention) {
  serve({"en-de", "lm"});
  const AttentionChangeOptions changes{{"decoder.layers.0.cross_attn:0"}, {"encoder.*=0"}};
  const auto base = LoadedModel::load(file("en-de"));
  const auto changed = base->with_attention(attention_changes(changes));
  const std::string of_changes =
      R"("heads_off": "decoder.layers.0.cross_attn:0", "attention_beta": ["encoder.*=0"])";
  const AnswerExplanation own = explain_answer(*changed, {.text = "the dog sleeps"}),
                          given = explain_answer(*changed, {.text = "the dog sleeps",
                                                            .translation = "der hund",
                                                            .options = {.position = 1}});
  auto json = json_of(post("/explain", R"({"text": "the dog sleeps", )" + of_changes + "}"));
  EXPECT_EQ(json["translation"], own.translation);
  json.erase("translation");
  EXPECT_EQ(json, to_json(own.why));
  const std::string request =
      R"({"text": "the dog sleeps", "translation": "der hund", "position": 1)";
  json = json_of(post("/explain", request + ", " + of_changes + "}"));
  EXPECT_NE(json, json_of(post("/explain", request + "}")));
  json.erase("translation");
  EXPECT_EQ(json, to_json(given.why));
  EXPECT_FALSE(json_of(post("/explain", R"({"text": "the dog", "model": "lm",
                                            "attention_beta": "0"})"))
                   .contains("translation"));
}

TEST_F(ExplanationRoute, SaysWhatItCannotExplain) {
  serve({"en-de", "tags", "lm"});
  json_of(post("/explain", R"({"text": "a", "position": 999})"), 400);
  json_of(post("/explain", R"({"text": "a", "model": "lm", "translation": "b"})"), 400);
  json_of(post("/explain", R"({"text": "a", "model": "tags"})"), 404);
  json_of(post("/explain", R"({"text": "a", "model": "none"})"), 404);
  json_of(post("/explain", R"({})"), 400);
  json_of(post("/explain", R"({"text": "a", "temperature": 0})"), 400);
  json_of(post("/explain", R"({"text": "a", "heads_off": "nothing"})"), 400);
}

}  // namespace
}  // namespace attend
