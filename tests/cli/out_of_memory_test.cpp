#include "cli/started_program.h"

namespace attend {
namespace {

class OutOfMemory : public StartedProgramTest {};

TEST_F(OutOfMemory, IsSaidInPlainWords) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more addresses than the limit leaves";
#endif
  write("long", std::string(40'000'000, 'a') + "\n");
  EXPECT_EQ(shell("ulimit -v 150000; $attend evaluate --hypotheses long --references long"), 1);
  EXPECT_TRUE(error_.starts_with("attend: out of memory; try ")) << error_;
}

}  // namespace
}  // namespace attend
