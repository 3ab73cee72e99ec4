// Every option of attend data, alone: what it changes, and that it changes nothing else.
#include "cli/commands/command_option_effects.h"

namespace attend {
namespace {

class DataOptionEffects : public CommandOptionEffects {
 protected:
  DataOptionEffects() {
    std::string table, other;
    for (int i = 0; i < 60; ++i) {
      table += fmt::format("The dog number {} sleeps.\tDer Hund Nummer {} schläft.\tCC\n", i, i);
      other += fmt::format("The cat number {} sings.\tDie Katze Nummer {} singt.\tCC\n", i, i);
    }
    write("deu.txt", table);
    std::filesystem::create_directories(path("more"));
    write("more/deu.txt", other);
    write("input.txt", "First Citizen:\n");
  }
};

TEST_F(DataOptionEffects, OfPairs) {
  const std::vector<OptionCase> cases{
      {"from", "@more/deu.txt", "", "out files"},
      {"out", "@made/other", "", ""},
      {"src-lang", "de", "--tgt-lang en", "status error out files"},
      {"tgt-lang", "fr", "", "out files"},
      {"valid-pairs", "2", "", "out files"},
      {"seed", "2", "", "files"},
  };
  expect_cases("data tatoeba --from @deu.txt --out @made/pairs", cases);
  expect_config_file("data tatoeba --from @deu.txt --out @made/pairs", "--seed 3", "seed = 3\n");
  const std::vector<OptionCase> versions{{"any-version", "yes", "", "status out error files"}};
  expect_cases("data tinyshakespeare --from @input.txt --out @made/text", versions);
  expect_a_case_for_every_option("data", {cases, versions}, {"config"});
}

}  // namespace
}  // namespace attend
