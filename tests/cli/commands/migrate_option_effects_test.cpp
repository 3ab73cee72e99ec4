// Every option of attend migrate, alone: what it changes, and that it changes nothing else.
#include "cli/commands/command_option_effects.h"

namespace attend {
namespace {

TEST_F(CommandOptionEffects, OfMigrate) {
  write("train.sh", "fairseq-train d --arch transformer\n");
  write("marian.yml", "dim-emb: 16\n");
  const std::vector<OptionCase> cases{{"from", "fairseq", "", "status out error"},
                                      {"from", "marian", "", ""}};
  expect_cases("migrate @marian.yml", cases);
  expect_cases("migrate @train.sh",
               {{"from", "fairseq", "", ""}, {"from", "marian", "", "status out error"}});
  expect_config_file("migrate @train.sh", "--from fairseq", "from = \"fairseq\"\n");
  expect_a_case_for_every_option("migrate", {cases}, {"config"});
}

}  // namespace
}  // namespace attend
