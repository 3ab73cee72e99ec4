#include "cli/started_program.h"

namespace attend {
namespace {

class OutOfMemory : public StartedProgramTest {};

TEST_F(OutOfMemory, IsSaidInPlainWords) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(ATTEND_EMULATED)
  GTEST_SKIP() << "sanitizers and emulators need more addresses than the limit leaves";
#endif
  write("long", std::string(40'000'000, 'a') + "\n");
  EXPECT_EQ(shell("ulimit -v 150000; $attend evaluate --hypotheses long --references long"), 1);
  EXPECT_TRUE(error_.starts_with("attend: out of memory; try ")) << error_;
}

TEST_F(OutOfMemory, OfTensorsSaysHowMuchWasAskedFor) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(ATTEND_EMULATED)
  GTEST_SKIP() << "sanitizers and emulators need more addresses than the limit leaves";
#endif
  write("line", "the dog\n");
  EXPECT_EQ(shell("ulimit -v 1000000; $attend train lm --train line --out run --tokenizer chars "
                  "--vocab-size 20 --d-model 16384 --n-heads 1 --threads 1"),
            1);
  EXPECT_NE(error_.find("attend: out of memory: "), std::string::npos) << error_;
  EXPECT_NE(error_.find(" in use; try smaller batches\n"), std::string::npos) << error_;
}

class PeakMemory : public StartedProgramTest {
 protected:
  // In mebibytes, of the program with these arguments, which answers the lines of `in`. It is asked
  // for while it waits for more.
  std::int64_t of(const std::string& arguments) {
    EXPECT_EQ(shell("rm -f lines; mkfifo lines; $attend " + arguments + R"( < lines > out &
program=$!
exec 3> lines
cat in >&3
for i in $(seq 1200); do [ $(wc -l < out) -ge $(wc -l < in) ] && break; sleep 0.05; done
sed -n 's/^VmHWM: *//p' /proc/$program/status
exec 3>&-
wait $program)"),
              0)
        << error_;
    return std::stoll(out_) / 1024;
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
  const std::string command = "classify run --threads 1 --window 1000 --batch-tokens ";
  const std::int64_t small = of(command + "500"), large = of(command + "1000000");
  EXPECT_GT(large, small + 40);
}

}  // namespace
}  // namespace attend
