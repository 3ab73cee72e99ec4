#include "attend/cli/standard_descriptors.h"

#include "cli/started_program.h"

namespace attend {
namespace {

class StandardDescriptors : public StartedProgramTest {};

TEST_F(StandardDescriptors, ThatAreClosedAreTakenByNoFile) {
  const std::vector<std::string> settings{"--max-steps",         "4", "--save-every", "2",
                                          "--valid-every",       "2", "--log-every",  "1",
                                          "--tensorboard-every", "1"};
  ASSERT_EQ(shell(training_line("open", settings)), 0) << error_;
  const std::string expected = read(model("open"));
  for (const std::string closed : {">&-", "<&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"}) {
    EXPECT_EQ(shell("rm -rf run; " + training_line("run", settings) + " " + closed), 0)
        << closed << error_;
    EXPECT_EQ(read(model("run")), expected) << closed;
    const std::string log = read(path("run/log.jsonl"));
    EXPECT_EQ(log.find("step 4"), std::string::npos) << closed << log;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);)
      EXPECT_EQ(line.front(), '{') << closed << ": " << line;
  }
}

}  // namespace
}  // namespace attend
