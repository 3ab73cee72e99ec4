#include <sys/resource.h>
#include <unistd.h>

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

// In mebibytes, of the program, which the script is to start with exec.
class PeakMemory : public StartedProgramTest {
 protected:
  std::int64_t of(const std::string& script) {
    write("script.sh", "cd '" + folder_ + "'\nexec '" ATTEND_PROGRAM "' " + script + "\n");
    const std::string file = path("script.sh");
    const pid_t child = ::fork();
    if (child == 0) {
      ::execl("/bin/sh", "sh", file.c_str(), nullptr);
      ::_exit(127);
    }
    int status = 0;
    rusage usage{};
    ::wait4(child, &status, 0, &usage);
    EXPECT_EQ(status, 0);
    return usage.ru_maxrss / 1024;
  }
};

TEST_F(PeakMemory, OfAClassifierIsThatOfItsBatches) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers keep what is freed";
#endif
  train_classifier("run");
  std::string line, text;
  for (int i = 0; i < 100; ++i) line += "a cat sees ";
  for (int i = 0; i < 1000; ++i) text += line + "\n";
  write("in", text);
  const std::string command = "classify run --threads 1 --window 1000 < in > out --batch-tokens ";
  const std::int64_t small = of(command + "500"), large = of(command + "1000000");
  EXPECT_GT(large, small + 40);
}

}  // namespace
}  // namespace attend
