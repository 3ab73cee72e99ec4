#include <gtest/gtest.h>

#include <cmath>

#include "attend/classifier.h"
#include "attend/generator.h"
#include "attend/translator.h"
#include "server/served_models.h"

namespace attend {
namespace {

class Inference : public ServingTest {
 protected:
  static std::string file(const std::string& name) { return SmallModels::shared().file(name); }
};

TEST_F(Inference, ClassifiesAsTheLibraryDoes) {
  serve({"classes"});
  const Classifier own = Classifier::load(file("classes"));
  const Classification expected = own.classify(std::vector<std::string>{"a dog sleeps"}).front();
  const auto one = json_of(post("/predict", R"({"inputs": "a dog sleeps"})"));
  ASSERT_EQ(one.size(), 2u);
  EXPECT_EQ(one[0]["label"], own.labels()[expected.label]);
  EXPECT_EQ(one[0]["score"].get<float>(), expected.probability());
  const auto list = json_of(post("/predict", R"({"inputs": ["a dog sleeps", "bread"]})"));
  EXPECT_EQ(list[0], one);
  EXPECT_EQ(json_of(post("/", R"({"inputs": "a dog sleeps"})"))[0], one);
  EXPECT_EQ(json_of(post("/predict", R"({"inputs": " "})"), 400)["error_type"], "Validation");
}

TEST_F(Inference, TranslatesForTheFirstModel) {
  serve({"en-de", "classes"});
  const Translator own = Translator::load(file("en-de"));
  const auto json = json_of(
      post("/", R"({"inputs": ["the dog sleeps", "a cat"], "parameters": {"src_lang": "en"}})"));
  EXPECT_EQ(json[0]["translation_text"],
            own.translate(std::vector<std::string>{"the dog sleeps"}).front().text());
  EXPECT_EQ(json.size(), 2u);
  json_of(post("/", R"({"inputs": "x", "parameters": {"tgt_lang": "fr"}})"), 400);
  json_of(post("/", R"({"inputs": "x", "model": "none"})"), 404);
  EXPECT_EQ(json_of(post("/models/classes", R"({"inputs": "a dog"})"))[0].size(), 2u);
  json_of(post("/models/none", R"({"inputs": "x"})"), 404);
}

TEST_F(Inference, TranslatesByTheModelThatWasAskedFor) {
  serve({"en-de,name=first,src=en,tgt=de", "en-de,name=second,src=en,tgt=fr"});
  const std::string french = R"({"inputs": "a cat", "parameters": {"tgt_lang": "fr"}})";
  json_of(post("/models/second", french));
  json_of(post("/", french));
  json_of(post("/models/first", french), 400);
}

TEST_F(Inference, SplitsIntoTokens) {
  serve({"lm", "en-de"});
  const Generator own = Generator::load(file("lm"));
  const auto ids = own.tokenizer().encode("the old dog");
  const auto json = json_of(post("/tokenize", R"({"inputs": "the old dog"})"));
  ASSERT_EQ(json[0].size(), ids.size());
  EXPECT_EQ(json[0][0]["id"], ids[0]);
  EXPECT_EQ(json[0][0]["text"], own.tokenizer().piece(ids[0]));
  EXPECT_EQ(json_of(get("/info"))["model_id"], "lm");
}

TEST_F(Inference, ScoresTranslationsAndLines) {
  serve({"en-de", "lm"});
  const Translator translator = Translator::load(file("en-de"));
  const std::vector<std::string> source{"the dog sleeps"}, target{"der hund schläft"};
  const SequenceScore expected = translator.score(source, target).front();
  const auto json =
      json_of(post("/score", R"({"sources": "the dog sleeps", "targets": "der hund schläft"})"));
  EXPECT_EQ(json[0]["log_probability"].get<float>(), expected.log_probability);
  EXPECT_EQ(json[0]["token_log_probabilities"].size(), expected.token_scores.size());
  const Generator generator = Generator::load(file("lm"));
  EXPECT_EQ(json_of(post("/score", R"({"targets": ["a", "the dog sleeps"]})"))[1]["log_probability"]
                .get<float>(),
            generator.score(source).front().log_probability);
  const auto judged = json_of(
      post("/score", R"({"sources": ["in 1984", "a"], "targets": ["b", "c"], "trust": true})"));
  EXPECT_EQ(judged[0]["flags"][0]["name"], "numbers");
  EXPECT_TRUE(judged[1]["confidence"].is_null());
  EXPECT_FALSE(json[0].contains("flags"));
  json_of(post("/score", R"({"targets": ["a"], "trust": true})"), 400);
  json_of(post("/score", R"({"sources": ["a", "b"], "targets": ["c"]})"), 400);
  json_of(post("/score", R"({"targets": []})"), 400);
}

TEST_F(Inference, SaysWhatIsWrong) {
  serve({"lm"});
  EXPECT_EQ(json_of(post("/embed", R"({"inputs": "a"})"), 404)["error_type"], "Empty");
  EXPECT_EQ(json_of(post("/embed", R"({"inputs": 3})"), 404)["error_type"], "Empty");
  json_of(post("/", R"({"inputs": "a"})"), 400);
  json_of(post("/tokenize", R"({"inputs": []})"), 400);
}

}  // namespace
}  // namespace attend
