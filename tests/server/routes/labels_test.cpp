// Classifiers of every kind and taggers, as clients of Hugging Face's servers ask them.
#include <gtest/gtest.h>

#include <cmath>

#include "attend/checkpoint/checkpoint.h"
#include "attend/classifier.h"
#include "attend/tagger.h"
#include "server/served_models.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

class Labels : public ServingTest {
 protected:
  static Classification own(const std::string& model, const std::string& text,
                            const ClassificationOptions& options = {}) {
    const Classifier classifier = Classifier::load(SmallModels::shared().file(model));
    return classifier.classify(std::vector<std::string>{text}, options).front();
  }
  Json predicted(const std::string& inputs, int status = 200) {
    return json_of(post("/predict", "{\"inputs\": " + inputs + "}"), status);
  }
  Json inferred(const std::string& inputs, const std::string& more = "", int status = 200) {
    return json_of(post("/", "{\"inputs\": " + inputs + more + "}"), status);
  }
};

TEST_F(Labels, OfWhichATextHasSeveralComeWithTheirOwnProbabilities) {
  serve({"several"});
  const Classification expected = own("several", "the cat eats fish");
  const Json json = predicted(R"("the cat eats fish")");
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["label"], "animal");
  EXPECT_EQ(json[0]["score"].get<float>(), expected.probabilities[0]);
  EXPECT_EQ(json[1]["score"].get<float>(), expected.probabilities[1]);
  EXPECT_GE(json[0]["score"].get<float>(), json[1]["score"].get<float>());
  EXPECT_EQ(inferred(R"("the cat eats fish")"), Json::array({json}));
  EXPECT_EQ(inferred(R"("the cat eats fish")", R"(, "parameters": {"top_k": 1})"),
            Json::array({Json::array({json[0]})}));
  inferred(R"("a")", R"(, "parameters": {"top_k": 0})", 400);
}

TEST_F(Labels, ANumberComesThroughTheSigmoidUnlessItIsAskedFor) {
  serve({"numbers"});
  const float number = own("numbers", "the dog sleeps\tbread and fish").value;
  const std::string pair = R"(["the dog sleeps", "bread and fish"])";
  const Json json = predicted(pair);
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["label"], "score");
  EXPECT_FLOAT_EQ(json[0]["score"].get<float>(), 1 / (1 + std::exp(-number)));
  EXPECT_EQ(predicted(pair + R"(, "raw_scores": true)")[0]["score"].get<float>(), number);
  // As the pipelines of transformers have it.
  const std::string named = R"({"text": "the dog sleeps", "text_pair": "bread and fish"})";
  EXPECT_EQ(inferred(named)[0][0]["score"].get<float>(), number);
  EXPECT_EQ(inferred("[" + named + "]"), inferred(named));
}

TEST_F(Labels, TheNumberOfACrossEncoderComesAsThePipelineHasIt) {
  Checkpoint model = load_checkpoint(SmallModels::shared().file("numbers") + "/model.safetensors");
  model.metadata["attend.cross_encoder"] = "none";  // in sentence-transformers
  save_checkpoint(SmallModels::shared().file("cross.safetensors"), model);
  serve({"cross.safetensors"});
  const std::string pair = R"({"text": "the dog sleeps", "text_pair": "bread and fish"})";
  const auto score = [&](const std::string& function) {
    return inferred(pair,
                    R"(, "parameters": {"function_to_apply": )" + function + "}")[0][0]["score"]
        .get<float>();
  };
  const float number = own("cross.safetensors", "the dog sleeps\tbread and fish").value;
  const float sigmoid = 1 / (1 + std::exp(-number));
  EXPECT_EQ(score(R"("none")"), number);
  EXPECT_FLOAT_EQ(score("null"), sigmoid) << "whatever sentence-transformers applies";
  EXPECT_FLOAT_EQ(score(R"("sigmoid")"), sigmoid);
  EXPECT_EQ(score(R"("softmax")"), 1.0f);
  inferred(pair, R"(, "parameters": {"function_to_apply": "tanh"})", 400);
  inferred(pair, R"(, "parameters": {"split_special_tokens": 1})", 400);
}

TEST_F(Labels, OfPairsComeForOnePairOrForAList) {
  serve({"numbers", "classes"});
  const auto raw = [&](const std::string& inputs) {
    return predicted(inputs + R"(, "raw_scores": true)");
  };
  const Json list = raw(R"([["the dog sleeps", "the old dog sleeps"], ["a cat", "bread"]])");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0], raw(R"(["the dog sleeps", "the old dog sleeps"])"));
  EXPECT_EQ(list[1], raw(R"("a cat\tbread")")) << "as in a line of the command line";
  EXPECT_EQ(list[1], raw(R"(["a\tcat", "bread"])")) << "a tab within a text is white space";
  EXPECT_NE(list[0], list[1]);
  // Of a model of single texts a list is a list, and a pair is said to be one.
  const auto classified = [&](const std::string& inputs) {
    return predicted(inputs + R"(, "model": "classes")");
  };
  EXPECT_EQ(classified(R"(["a dog", "bread"])")[1], classified(R"("bread")"));
  EXPECT_EQ(classified(R"([["a dog"], ["bread"]])")[1], classified(R"("bread")"));
  const Classification pair = own("classes", "a dog\tbread", {.pairs = true});
  EXPECT_EQ(classified(R"([["a dog", "bread"]])")[0][0]["score"].get<float>(), pair.probability());
}

TEST_F(Labels, SayWhatIsWrongWithInputs) {
  serve({"numbers", "classes"});
  for (const char* wrong :
       {"3", "[]", "[1]", "[[]]", R"([["a", "b", "c"]])", R"([["a", 1]])", "{}", R"({"text": 1})",
        R"({"text": "a", "text_pair": 1})", R"(["a\tb", ["a", "b"]])", R"([[["a"]]])"}) {
    SCOPED_TRACE(wrong);
    predicted(wrong, 400);
  }
  EXPECT_NE(predicted(R"("a")", 400)["error"].get<std::string>().find("expected a pair of texts"),
            std::string::npos);
  predicted(R"("a", "model": "classes", "raw_scores": true)", 400);
  std::string many = "[\"a\"";
  for (int i = 0; i < 2048; ++i) many += ",\"a\"";
  predicted(many + "]", 413);
}

TEST_F(Labels, OfTagsComeAsEntitiesWithTheirPlaces) {
  serve({"tags"});
  const Tagger tagger = Tagger::load(SmallModels::shared().file("tags"));
  const std::string text = "Anna  Bell sees Paris";
  const Tagging own = tagger.tag(std::vector<std::string>{text}).front();
  ASSERT_EQ(own.entities(tagger.labels()), (std::vector<Entity>{{"PER", 0, 2}, {"LOC", 3, 4}}));
  const Json json = inferred("\"" + text + "\"");
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["entity_group"], "PER");
  EXPECT_EQ(json[0]["word"], "Anna  Bell");
  EXPECT_EQ(json[0]["start"], 0);
  EXPECT_EQ(json[0]["end"], 10);
  EXPECT_FLOAT_EQ(json[0]["score"].get<float>(), (own.probabilities[0] + own.probabilities[1]) / 2);
  EXPECT_EQ(json[1]["entity_group"], "LOC");
  EXPECT_EQ(json[1]["start"], 16);
  EXPECT_EQ(json[1]["end"], 21);
  EXPECT_EQ(json[1]["score"].get<float>(), own.probabilities[3]);
  EXPECT_EQ(inferred("[\"Bell sees\", \"" + text + "\"]")[1], json);
  EXPECT_EQ(json_of(post("/models/tags", "{\"inputs\": \"" + text + "\"}")), json);
}

TEST_F(Labels, OfTagsCountCharacters) {
  serve({"tags"});
  const Json json = inferred(R"("ü\u2003𝄞 Paris")", R"(, "parameters": {"ignore_labels": []})");
  EXPECT_EQ(json.front()["start"], 0);
  EXPECT_EQ(json.back()["end"], 9);
}

TEST_F(Labels, OfTagsComeWordByWordOnRequest) {
  serve({"tags"});
  const auto words = [&](const std::string& parameters, int status = 200) {
    return inferred(R"("Anna Bell sees Paris")", ", \"parameters\": {" + parameters + "}", status);
  };
  const Json all = words(R"("aggregation_strategy": "none", "ignore_labels": [])");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[1]["entity"], "I-PER");
  EXPECT_EQ(all[1]["index"], 2);
  EXPECT_EQ(all[1]["word"], "Bell");
  EXPECT_EQ(all[2]["entity"], "O");
  EXPECT_EQ(words(R"("aggregation_strategy": "none")").size(), 3u) << "without O";
  const Json groups = words(R"("aggregation_strategy": "first", "ignore_labels": ["PER"])");
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0]["entity_group"], "O");
  EXPECT_EQ(groups[1]["entity_group"], "LOC");
  words(R"("aggregation_strategy": "max")", 400);
  words(R"("ignore_labels": "O")", 400);
  words(R"("ignore_labels": [1])", 400);
  inferred(R"(" ")", "", 400);
}

TEST_F(Labels, OfTagsAreNotPredicted) {
  serve({"tags"});
  EXPECT_NE(predicted(R"("Anna")", 400)["error"].get<std::string>().find("POST /models/tags"),
            std::string::npos);
}

}  // namespace
}  // namespace attend
