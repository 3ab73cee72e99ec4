#include <nlohmann/json.hpp>

#include "attend/translator.h"
#include "cli/commands/command_option_effects.h"

namespace attend {
namespace {

class ExplainCommand : public CommandOptionEffects {
 protected:
  nlohmann::json json_of(const std::string& command) {
    EXPECT_EQ(run(with_paths(command)), 0) << error_;
    return nlohmann::json::parse(out_);
  }
};

TEST_F(ExplainCommand, SaysWhyATranslatorWritesAToken) {
  train_translator();
  const auto json =
      json_of("explain @model The_dog_sleeps. --target Der_Hund --position 1 --format json");
  const OutputExplanation expected =
      Translator::load(path("model")).explain("The_dog_sleeps.", "Der_Hund", {.position = 1});
  EXPECT_EQ(json["token"]["token"], expected.token.token);
  EXPECT_EQ(json["difference"].get<float>(), expected.difference);
  double sum = 0;
  for (const auto& part : json["parts"]) sum += part["value"].get<double>();
  EXPECT_NEAR(sum, json["difference"].get<double>(), 1e-4);
  ASSERT_EQ(run(with_paths("explain @model The_dog_sleeps. --target Der_Hund --position 1")), 0);
  for (const std::string& text :
       {std::string("1 ["),
        expected.token.token + fmt::format(" {:.4f} instead of ", expected.token.probability),
        std::string("decoder.layers.0."), std::string("all others"), std::string("embedding"),
        std::string("layer 0"), std::string("cosine")})
    EXPECT_NE(out_.find(text), std::string::npos) << text << " in\n" << out_;
}

TEST_F(ExplainCommand, TakesOnlyATranslationForATarget) {
  train_language_model();
  EXPECT_EQ(run(with_paths("explain @model The_dog")), 0) << error_;
  expect_error(with_paths("explain @model The_dog --target Der"), {"--target", "language"});
  expect_error(with_paths("explain @model The_dog --src-lang en"), {"--src-lang"});
  expect_error(with_paths("explain @model The_dog --position 99"), {"position", "99"});
}

TEST_F(ExplainCommand, SaysWhyATextIsOfItsClass) {
  train_classifier();
  const auto json = json_of("explain @model The_dog_sleeps. --format json");
  EXPECT_TRUE(json["position"].is_null());
  EXPECT_TRUE(json["lens"].empty());
  ASSERT_EQ(run(with_paths("explain @model The_dog_sleeps.")), 0) << error_;
  EXPECT_EQ(out_.find("cosine"), std::string::npos) << out_;
}

TEST_F(ExplainCommand, RefusesAModelWithoutAnAnswer) {
  train_embedder();
  expect_error(with_paths("explain @model The_dog"), {"translation", "embedding"});
}

}  // namespace
}  // namespace attend
