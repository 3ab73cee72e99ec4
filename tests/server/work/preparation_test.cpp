#include "attend/server/work/preparation.h"

#include "attend/checkpoint/checkpoint.h"
#include "server/served_models.h"
#include "tasks/model_checkpoint.h"
#include "tasks/small_embedder.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

class PreparedRequests : public ServingTest {
 protected:
  Json answer(const std::string& path, const Json& body, int status = 200) {
    return json_of(post(path, body.dump()), status);
  }
  // The answer to one text is that to the other.
  void expect_same(const std::string& path, const std::string& name, Json body,
                   const std::string& raw, const std::string& other) {
    body[name] = raw;
    const Json found = answer(path, body);
    body[name] = other;
    const Json expected = answer(path, body);
    // Completions have an id of their own.
    const bool is_completion = expected.is_object() && expected.contains("choices");
    EXPECT_EQ(is_completion ? found.at("choices") : found,
              is_completion ? expected.at("choices") : expected)
        << path;
  }
};

TEST_F(PreparedRequests, OfEveryRouteAreAsTheServerSays) {
  save_checkpoint(SmallModels::shared().file("prepared.safetensors"),
                  finished_checkpoint_of(small_embedder(Pooling::mean, false)));
  serve({"en-de", "lm", "classes", "tags", "prepared.safetensors"},
        {.preparation = {.lowercase = true}});
  expect_same("/v1/completions", "prompt",
              {{"max_tokens", 3}, {"temperature", 0}, {"echo", true}, {"logprobs", 1}}, "THE Old",
              "the old");
  expect_same("/v1/embeddings", "input", Json::object(), "The DOG", "the dog");
  expect_same("/embed", "inputs", Json::object(), "The DOG", "the dog");
  expect_same("/", "inputs", Json::object(), "The DOG", "the dog");
  expect_same("/models/tags", "inputs", Json::object(), "ANNA sees", "anna sees");
  expect_same("/models/classes", "inputs", Json::object(), "The DOG", "the dog");
  expect_same("/attend/v1/beam", "text", {{"must_not_contain", "DER"}}, "The DOG", "the dog");
}

TEST_F(PreparedRequests, OfRoutesWithParametersAreAsTheySay) {
  serve({"en-de"}, {.preparation = {.lowercase = true}});
  const Json raw{{"q", "The DOG"}, {"source", "en"}, {"target", "de"}, {"lowercase", false}};
  Json lower = raw;
  lower["q"] = "the dog";
  EXPECT_NE(answer("/translate", raw), answer("/translate", lower));
  Json wrong = raw;
  wrong["lowercase"] = "yes";
  EXPECT_EQ(answer("/translate", wrong, 400)["error"],
            "lowercase: expected true or false, got '\"yes\"'");
  wrong = raw;
  wrong["tokenize"] = "13a";
  EXPECT_EQ(answer("/translate", wrong, 400)["error"],
            "tokenize: expected one of none, moses, got 13a");
  answer("/translate_file", {{"lowercase", true}}, 400);
}

TEST_F(PreparedRequests, OfAModelWithoutALanguageAreRefusedAtTheStart) {
  const TextPreparation tokens{.tokenize = WordSplitting::moses};
  expect_error<ConfigError>(
      [&] {
        serve({"en-de", "tags"}, {.preparation = tokens});
      },
      {"tags: language: expected the language of the text"});
  TextPreparation given = tokens;
  given.language = "en";
  serve({"en-de", "tags"}, {.preparation = given});
  answer("/models/tags", {{"inputs", "Anna, Paris"}});
}

TEST_F(PreparedRequests, OfPagesKeepTheirElements) {
  serve({"en-de"}, {.preparation = {.lowercase = true, .tokenize = WordSplitting::moses}});
  const std::string page = answer("/translate", {{"q", "<p>The <b>old, old</b> dog sleeps.</p>"},
                                                 {"source", "en"},
                                                 {"target", "de"},
                                                 {"format", "html"}})["translatedText"];
  EXPECT_NE(page.find("<b>"), std::string::npos) << page;
  EXPECT_NE(page.find("</b>"), std::string::npos) << page;
}

}  // namespace
}  // namespace attend
