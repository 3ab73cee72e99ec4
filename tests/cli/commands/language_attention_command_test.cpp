// attend attention with language models: trained and imported ones.
#include <nlohmann/json.hpp>

#include "cli/commands/command_option_effects.h"

namespace attend {
namespace {

class LanguageAttention : public CommandOptionEffects {
 protected:
  void import(const std::string& name) {
    std::filesystem::remove(path("model"));
    ASSERT_EQ(
        run({"import", std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/" + name,
             "--out", path("model")}),
        0)
        << error_;
  }
};

TEST_F(LanguageAttention, WritesAPageAndPrintsTheLogProbabilityThatScoreGives) {
  train_language_model();
  const std::string text = "The_dog_sleeps.";
  ASSERT_EQ(run(with_paths("attention @model " + text + " --out @page.html")), 0) << error_;
  const std::string printed = out_;
  EXPECT_TRUE(read(path("page.html")).starts_with("<!doctype html>"));
  write("lines", text + "\n");
  ASSERT_EQ(run(with_paths("score @model --text @lines")), 0) << error_;
  EXPECT_TRUE(printed.starts_with(fmt::format("log-probability {:.4f}\n", std::stod(out_))))
      << printed << out_;
}

TEST_F(LanguageAttention, KnowsImportedModels) {
  for (const std::string name : {"gpt2", "llama", "mistral", "qwen3", "gemma3"}) {
    import(name);
    ASSERT_EQ(run(with_paths("attention @model A_man --importance --format json --out @page.html")),
              0)
        << name << ": " << error_;
    const auto json = nlohmann::json::parse(out_);
    EXPECT_LT(json["log_probability"].get<double>(), 0.0) << name;
    EXPECT_FALSE(json["heads"].empty()) << name;
    for (const auto& head : json["heads"])
      EXPECT_TRUE(head["module"].get<std::string>().ends_with("self_attn")) << name;
  }
}

TEST_F(LanguageAttention, RefusesWhatIsOfOtherModels) {
  train_language_model();
  expect_error(with_paths("attention @model The --why --out @page.html"), {"--why", "classifier"});
  expect_error(with_paths("attention @model The --target Der --out @page.html"), {"--target"});
}

}  // namespace
}  // namespace attend
