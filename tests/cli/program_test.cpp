#include "cli/program_test.h"

#include "attend/backend/instruction_sets.h"
#include "attend/version.h"
#include "cli/started_program.h"
#include "core/cpu_group.h"

namespace attend {
namespace {

class ProgramStart : public StartedProgramTest {};

TEST_F(ProgramStart, IsStartedByItsNameOrThroughTheLoader) {
  ASSERT_EQ(shell("$attend --version"), 0) << error_;
  EXPECT_TRUE(out_.starts_with("attend " + version() + "\n")) << out_;
  ASSERT_EQ(shell("exec $(ldd $attend | grep -o '/[^ ]*ld-linux[^ ]*') $attend --version"), 0)
      << error_;
  EXPECT_TRUE(out_.starts_with("attend " + version() + "\n")) << out_;
}

TEST_F(ProgramStart, SaysWhatItIsMadeOfAndWhatItUses) {
  ASSERT_EQ(shell("$attend --version"), 0) << error_;
  for (const char* line : {"compiler: ", "instruction sets: ", "in use: ", "fast kernels",
                           "libraries: Highway ", "SentencePiece ", "zlib ", "zstd "})
    EXPECT_NE(out_.find(line), std::string::npos) << line << " is missing in\n" << out_;
  ASSERT_EQ(shell("ATTEND_BACKEND=reference $attend --version"), 0) << error_;
  EXPECT_NE(out_.find("reference kernels"), std::string::npos) << out_;
}

TEST_F(ProgramStart, SaysHowManyThreadsACpuQuotaLeaves) {
  const auto group = CpuGroup::make(0.5);
  if (!group) GTEST_SKIP() << CpuGroup::kMissing;
  const std::string enter = "echo $$ > " + (group->folder() / "cgroup.procs").string() + " && ";
  ASSERT_EQ(shell(enter + "$attend --version"), 0) << error_;
  EXPECT_NE(out_.find("threads by default: 1 ("), std::string::npos) << out_;
  EXPECT_NE(out_.find(", CPU quota 0.5)\n"), std::string::npos) << out_;
}

TEST_F(ProgramStart, UsesTheInstructionSetOfTheEnvironment) {
  const std::string set = instruction_sets().built.back();
  ASSERT_EQ(shell("ATTEND_INSTRUCTIONS=" + set + " $attend --version"), 0) << error_;
  EXPECT_NE(out_.find("in use: " + set + ", fast kernels"), std::string::npos) << out_;
  EXPECT_EQ(shell("ATTEND_INSTRUCTIONS=AVX9 $attend --version"), 2);
  EXPECT_NE(error_.find("ATTEND_INSTRUCTIONS"), std::string::npos) << error_;
  EXPECT_NE(error_.find("found \"AVX9\""), std::string::npos) << error_;
  EXPECT_EQ(shell("ATTEND_INSTRUCTIONS=AVX9 $attend info model.safetensors"), 2);
  EXPECT_TRUE(error_.starts_with("attend: instruction sets (ATTEND_INSTRUCTIONS)")) << error_;
  EXPECT_EQ(shell("ATTEND_INSTRUCTIONS= $attend --version"), 0) << "as if it were not set";
}

TEST_F(ProgramStart, LoadsNoOpenMp) {
#ifdef ATTEND_EMULATED
  GTEST_SKIP() << "ldd reads no program of another processor";
#endif
  ASSERT_EQ(shell("ldd $attend"), 0) << error_;
  EXPECT_NE(out_.find("libsentencepiece"), std::string::npos) << out_;
  EXPECT_EQ(out_.find("omp"), std::string::npos) << out_;
}

}  // namespace
}  // namespace attend
