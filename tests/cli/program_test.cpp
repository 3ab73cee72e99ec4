#include "cli/program_test.h"

#include "attend/core/version.h"
#include "cli/started_program.h"

namespace attend {
namespace {

class ProgramStart : public StartedProgramTest {};

TEST_F(ProgramStart, IsStartedByItsNameOrThroughTheLoader) {
  const std::string version = fmt::format("attend {}\n", kVersion);
  ASSERT_EQ(shell("$attend --version"), 0) << error_;
  EXPECT_EQ(out_, version);
  ASSERT_EQ(shell("exec $(ldd $attend | grep -o '/[^ ]*ld-linux[^ ]*') $attend --version"), 0) << error_;
  EXPECT_EQ(out_, version);
}

TEST_F(ProgramStart, LoadsNoOpenMp) {
  ASSERT_EQ(shell("ldd $attend"), 0) << error_;
  EXPECT_NE(out_.find("libsentencepiece"), std::string::npos) << out_;
  EXPECT_EQ(out_.find("omp"), std::string::npos) << out_;
}

}  // namespace
}  // namespace attend
