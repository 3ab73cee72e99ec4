#include <gtest/gtest.h>

#include "attend/inspect/beam_tree.h"
#include "attend/tasks/loaded_model.h"
#include "attend/tasks/translation/engine.h"
#include "attend/translator.h"
#include "server/served_models.h"

namespace attend {
namespace {

class Searches : public ServingTest {
 protected:
  Searches() { serve({"en-de", "lm"}); }

  static const Translator& own() {
    static const Translator translator = Translator::load(SmallModels::shared().file("en-de"));
    return translator;
  }
  // What the library finds for "the dog sleeps", and how.
  static nlohmann::ordered_json found(TranslationOptions options) {
    options.beam.n_best = options.beam.beam_size;
    std::vector<BeamStep> steps;
    options.search_listener = [&](std::size_t, const BeamStep& step) { steps.push_back(step); };
    const std::vector<std::string> sentence{"the dog sleeps"};
    nlohmann::ordered_json json = translation_json(own().translate(sentence, options).front());
    json["steps"] = beam_json(steps, own().target_tokenizer());
    return json;
  }
  nlohmann::ordered_json search(const std::string& more, int status = 200) {
    return json_of(post("/attend/v1/beam", R"({"text": "the dog sleeps")" + more + "}"), status);
  }
};

TEST_F(Searches, ShowTheStepsOfTheLibrary) {
  EXPECT_EQ(search(""), found(own().default_options()));
  TranslationOptions options = own().default_options();
  options.beam.beam_size = 3;
  options.beam.length_penalty = 0.5f;
  const auto json = search(R"(, "beam_size": 3, "length_penalty": 0.5)");
  EXPECT_EQ(json, found(options));
  EXPECT_GT(json["steps"].size(), 1u);
  EXPECT_EQ(json["translations"].size(), 3u);
}

TEST_F(Searches, GoOnFromATextOrFromTokens) {
  TranslationOptions options = own().default_options();
  options.prefixes = {"der hund"};
  EXPECT_EQ(search(R"(, "prefix": "der hund")"), found(options));
  const std::string token = own().target_tokenizer().piece(7);
  options.prefixes.clear();
  options.prefix_ids = {{7}};
  const nlohmann::ordered_json list = {token};
  const auto json = search(R"(, "prefix": )" + list.dump());
  EXPECT_EQ(json, found(options));
  EXPECT_EQ(json["translations"][0]["tokens"][0], token);
  EXPECT_EQ(json["steps"][0]["written"], 1);
}

TEST_F(Searches, AreThoseOfTheModelWithChangedAttention) {
  const auto base = LoadedModel::load(SmallModels::shared().file("en-de"));
  const auto changed =
      base->with_attention(attention_changes({{"decoder.layers.0.cross_attn"}, {"encoder.*=0"}}));
  const TranslationEngine engine(dynamic_cast<const TranslationModel&>(*changed));
  TranslationOptions options = engine.default_options();
  options.beam.beam_size = options.beam.n_best = 3;
  options.prefixes = {"der"};
  std::vector<BeamStep> steps;
  options.search_listener = [&](std::size_t, const BeamStep& step) { steps.push_back(step); };
  const std::vector<std::string> sentence{"the dog sleeps"};
  auto expected = translation_json(engine.translate(sentence, options).front());
  expected["steps"] = beam_json(steps, own().target_tokenizer());
  const std::string request = R"(, "beam_size": 3, "prefix": "der")";
  EXPECT_EQ(search(request + R"(, "heads_off": "decoder.layers.0.cross_attn",
                                  "attention_beta": "encoder.*=0")"),
            expected);
  EXPECT_NE(search(request), expected);
  search(R"(, "heads_off": "nothing")", 400);
}

TEST_F(Searches, HaveThePhrasesThatTheyMust) {
  TranslationOptions options = own().default_options();
  options.must_contain = {"hund"};
  options.must_not_contain = {"der", "die"};
  EXPECT_EQ(search(R"(, "must_contain": "hund", "must_not_contain": ["der", "die"])"),
            found(options));
  EXPECT_NE(search(R"(, "must_contain": "")", 400).dump().find("empty"), std::string::npos);
}

TEST_F(Searches, ListTheAlternativesOfTheLibrary) {
  const std::vector<std::int32_t> ids = own().target_tokenizer().encode("der hund");
  const auto expected = alternatives_json(own().alternatives("the dog sleeps", ids, 3));
  const std::string asked = R"({"text": "the dog sleeps", "count": 3, "target": )";
  EXPECT_EQ(json_of(post("/attend/v1/alternatives", asked + R"("der hund"})"))["tokens"], expected);
  nlohmann::ordered_json tokens;
  for (const std::int32_t id : ids) tokens.push_back(own().target_tokenizer().piece(id));
  EXPECT_EQ(json_of(post("/attend/v1/alternatives", asked + tokens.dump() + "}"))["tokens"],
            expected);
  EXPECT_EQ(expected.size(), ids.size() + 1) << "and the end";
  json_of(post("/attend/v1/alternatives", asked + R"(["no such token"]})"), 400);
  json_of(post("/attend/v1/alternatives", asked + R"(["</s>"]})"), 400);
  std::string words;
  for (int i = 0; i < 300; ++i) words += "hund ";
  json_of(post("/attend/v1/alternatives", asked + "\"" + words + "\"}"), 413);
}

TEST_F(Searches, RefuseWhatCannotBeSearched) {
  EXPECT_NE(search(R"(, "prefix": ["no such token"])", 400).dump().find("no such token"),
            std::string::npos);
  search(R"(, "prefix": ["</s>"])", 400);
  search(R"(, "beam_size": 17)", 400);
  search(R"(, "length_penalty": 11)", 400);
  search(R"(, "model": "lm")", 404);
  std::string words;
  for (int i = 0; i < 300; ++i) words += "dog ";
  json_of(post("/attend/v1/beam", R"({"text": ")" + words + R"("})"), 413);
  EXPECT_TRUE(json_of(post("/attend/v1/beam", R"({"text": ""})"))["steps"].empty());
}

}  // namespace
}  // namespace attend
