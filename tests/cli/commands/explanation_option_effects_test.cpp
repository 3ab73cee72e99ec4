// Every option of the commands that show what a model looks at, alone.
#include "cli/commands/command_option_effects.h"

namespace attend {
namespace {

TEST_F(CommandOptionEffects, OfAttention) {
  train_translator();
  const std::string command = "attention @model The_man_sees_the_small_dog. --out @made/page.html";
  const std::vector<OptionCase> cases{
      {"target", "Der", "", "out files"},
      {"importance", "yes", "", "out files"},
      {"importance", "yes", "--format json", "out files"},
      {"heads-off", "*.cross_attn", "--target Der", "files"},
      {"attention-beta", "3", "--target Der", "files"},
      {"positions-off", "yes", "--target Der", "files"},
      {"mask-off", "yes", "--target Der", "files"},
      {"out", "@made/other.html", "", "out files"},
      {"threads", "2", "", ""},
      {"beam-size", "1", "", "out? files"},
      {"length-penalty", "0", "", "out? files"},
      {"max-length", "2", "", "out files"},
      {"min-length", "30", "", "out files"},
      {"no-repeat-ngram", "1", "--min-length 30", "out files"},
      {"repetition-penalty", "50", "", "out files"},
      {"patience", "8", "--beam-size 2", "out? files?"},
      {"format", "json", "", "out"},
  };
  expect_cases(command, cases);
  import_languages();
  expect_cases("attention @languages The_man_sees_the_dog. --out @made/page.html",
               of_languages("out? files"));
  expect_config_file(command, "--max-length 2", "max-length = 2\n");
  expect_a_case_for_every_option("attention", {cases, of_languages("")}, {"config", "why"});
}

TEST_F(CommandOptionEffects, OfExplain) {
  train_translator();
  const std::string command = "explain @model The_man_sees_the_small_dog.";
  const std::vector<OptionCase> cases{
      {"target", "Der", "", "out"},
      {"position", "1", "", "out"},
      {"instead", "</s>", "", "out"},
      {"alone", "yes", "", "out"},
      {"top", "2", "", "out"},
      {"temperature", "2", "", "out"},
      {"heads-off", "*.cross_attn", "--target Der", "out"},
      {"attention-beta", "3", "--target Der", "out"},
      {"positions-off", "yes", "--target Der", "out"},
      {"mask-off", "yes", "--target Der", "out error status"},
      {"format", "json", "", "out"},
      {"threads", "2", "", ""},
  };
  expect_cases(command, cases);
  import_languages();
  expect_cases("explain @languages The_man_sees_the_dog.", of_languages("out"));
  expect_config_file(command, "--top 2", "top = 2\n");
  expect_a_case_for_every_option("explain", {cases, of_languages("")}, {"config"});
}

TEST_F(CommandOptionEffects, OfAttentionWithAClassifier) {
  train_classifier();
  const std::vector<std::string> plain{"attention", path("model"), "The man sees the dog.", "--out",
                                       path("made/page.html")};
  expect_effects(plain,
                 {{"why", "yes", "", "out files"},
                  {"format", "json", "", "out"},
                  {"format", "json", "--why", "out"},
                  {"importance", "yes", "", "out files"},
                  {"threads", "2", "--why", ""}},
                 [&](const std::vector<std::string>& arguments) { return observe(arguments); });
}

}  // namespace
}  // namespace attend
