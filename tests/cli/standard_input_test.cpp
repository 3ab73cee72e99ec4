#include "attend/cli/standard_input.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include <tuple>

#include "cli/started_program.h"

namespace attend {
namespace {

class StandardInput : public StartedProgramTest {};

TEST_F(StandardInput, ThatCannotBeReadIsNotAnEmptyText) {
  train("mt");
  train_lm("lm");
  train_classifier("cl");
  train_embedder("em");
  train_tagger("tg");
  for (const std::string& command :
       {std::string("translate mt/model.safetensors"), std::string("classify cl/model.safetensors"),
        std::string("embed mt/model.safetensors"), std::string("generate lm/model.safetensors"),
        std::string("embed nearest --word man --corpus valid.en mt/model.safetensors"),
        std::string("embed em"), std::string("embed --npy vectors.npy em"),
        std::string("classify tg"), std::string("classify --format json tg"),
        std::string("evaluate --hypotheses - --references valid.de")}) {
    EXPECT_EQ(shell("$attend " + command + " < /proc/self/mem"), 1) << command;
    EXPECT_EQ(error_, "attend: cannot read standard input: Input/output error\n") << command;
    EXPECT_EQ(shell("$attend " + command + " <&-"), 1) << command;
    EXPECT_EQ(error_, "attend: cannot read standard input: it is closed\n") << command;
    EXPECT_EQ(shell("$attend " + command + " < ."), 1) << command;
    EXPECT_NE(error_.find("standard input: it is a directory"), std::string::npos) << error_;
  }
  EXPECT_FALSE(std::filesystem::exists(path("vectors.npy")));
}

TEST_F(StandardInput, ThatDoesNotBlockIsWaitedFor) {
  train("mt");
  const std::string translate =
      " | " + without_blocking("STDIN") + "$attend translate --max-length 5 mt/model.safetensors";
  ASSERT_EQ(shell("$attend translate --max-length 5 mt/model.safetensors < valid.en"), 0) << error_;
  const std::string expected = out_;
  ASSERT_EQ(shell("{ head -5 valid.en; sleep 0.3; tail -n +6 valid.en; }" + translate), 0)
      << error_;
  EXPECT_EQ(out_, expected);
  ASSERT_EQ(
      shell("{ gzip -c valid.en | head -c 100; sleep 0.3; gzip -c valid.en | tail -c +101; }" +
            translate),
      0)
      << error_;
  EXPECT_EQ(out_, expected);
}

// The program, with a pipe or a terminal as its standard input that stays open.
class Listening {
 public:
  enum class At { pipe, terminal };

  Listening(At at, const std::vector<std::string>& arguments) {
    int input = -1;
    if (at == At::terminal) {
      ours_ = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
      grantpt(ours_);
      unlockpt(ours_);
      input = open(ptsname(ours_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    } else {
      std::tie(input, ours_) = new_pipe();
    }
    const auto [reads, writes] = new_pipe();
    answers_ = reads;
    std::vector<const char*> argv{ATTEND_PROGRAM};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    argv.push_back(nullptr);
    process_ = fork();
    if (process_ == 0) {
      dup2(input, STDIN_FILENO);
      dup2(writes, STDOUT_FILENO);
      execv(ATTEND_PROGRAM, const_cast<char* const*>(argv.data()));
      _exit(127);
    }
    close(input);
    close(writes);
  }
  ~Listening() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    close(ours_);
    close(answers_);
  }

  // Whether a line is answered, within a minute, while more may come.
  bool answers(const std::string& line) {
    if (::write(ours_, line.data(), line.size()) != std::ssize(line)) return false;
    pollfd wait{answers_, POLLIN, 0};
    char answer[1 << 16];
    return poll(&wait, 1, 60'000) == 1 && ::read(answers_, answer, sizeof answer) > 0;
  }

 private:
  static std::pair<int, int> new_pipe() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    return {ends[0], ends[1]};
  }

  int ours_ = -1;
  int answers_ = -1;
  pid_t process_ = -1;
};

class LineByLine : public StartedProgramTest {
 protected:
  void SetUp() override {
    train("mt");
    train_classifier("cl");
    commands_ = {{"translate", model("mt"), "--max-length", "5"},
                 {"classify", model("cl")},
                 {"classify", model("cl"), "--format", "json"},
                 {"embed", model("mt")},
                 {"embed", "--no-context", model("mt")}};
  }
  void expect_answers(Listening::At at, const std::vector<std::string>& more) {
    for (std::vector<std::string> command : commands_) {
      command.insert(command.end(), more.begin(), more.end());
      Listening program(at, command);
      EXPECT_TRUE(program.answers("the good film\n")) << testing::PrintToString(command);
      EXPECT_TRUE(program.answers("the bad film\n")) << testing::PrintToString(command);
    }
  }

  std::vector<std::vector<std::string>> commands_;
};

TEST_F(LineByLine, ATerminalIsAnswered) { expect_answers(Listening::At::terminal, {}); }

TEST_F(LineByLine, APipeIsAnswered) {
  train_lm("lm");
  commands_.push_back({"score", model("lm")});
  expect_answers(Listening::At::pipe, {});
}

TEST_F(StandardInput, IsEmbeddedInWindowsOfAnySize) {
  train("mt");
  const std::string lines = read(path("valid.en"));
  ASSERT_EQ(run({"embed", model("mt")}, lines), 0) << error_;
  const std::string expected = out_;
  for (const char* window : {"1", "7"}) {
    ASSERT_EQ(run({"embed", model("mt"), "--window", window}, lines), 0) << error_;
    EXPECT_EQ(out_, expected);
  }
  expect_error({"embed", model("mt"), "--window", "0"}, {"window", "from 1 to"}, lines);
}

}  // namespace
}  // namespace attend
