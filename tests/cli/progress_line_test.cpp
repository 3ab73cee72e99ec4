#include "attend/cli/progress_line.h"

#include <gtest/gtest.h>
#include <sys/ioctl.h>

#include <regex>
#include <thread>

#include "attend/error.h"
#include "cli/started_program.h"

namespace attend {
namespace {

using std::chrono::milliseconds;

constexpr ProgressLineOptions kAtOnce{
    .shown = true, .color = false, .delay_seconds = 0.01, .redraw_seconds = 0.01};

// What a line writes to a terminal while `work` is done.
template <class Work>
std::string written(const ProgressLineOptions& options, const std::string& what,
                    const std::string& unit, std::int64_t total, const Work& work) {
  CapturedTerminal terminal;
  {
    ProgressLine line(what, unit, options, total);
    work(line);
  }
  return terminal.end();
}

void wait_for_redraws(int redraws = 10) { std::this_thread::sleep_for(milliseconds(20 * redraws)); }

TEST(ProgressLine, CountsAndSaysHowLongItWillTake) {
  const std::string text = written(kAtOnce, "", "lines", 29000, [](ProgressLine& line) {
    wait_for_redraws();
    line.add(12000);
    line.add(288);
    wait_for_redraws();
  });
  EXPECT_TRUE(std::regex_search(text, std::regex("\r0/29,000 lines  0:00\x1b\\[K"))) << text;
  EXPECT_TRUE(std::regex_search(
      text, std::regex("\r12,288/29,000 lines  [0-9,]+ lines/s  ETA [0-9:]+\x1b\\[K")))
      << text;
}

TEST(ProgressLine, GoesAway) {
  const std::string text =
      written(kAtOnce, "", "lines", 0, [](ProgressLine&) { wait_for_redraws(); });
  EXPECT_TRUE(text.ends_with("\r\x1b[K")) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << "one line, rewritten in place";
}

TEST(ProgressLine, CountsWithoutKnowingTheEnd) {
  const std::string text = written(kAtOnce, "", "lines", 0, [](ProgressLine& line) {
    line.add(7);
    wait_for_redraws();
  });
  EXPECT_TRUE(std::regex_search(text, std::regex("\r7 lines  [0-9.,]+ lines/s  0:00"))) << text;
  EXPECT_EQ(text.find("ETA"), std::string::npos) << text;
}

TEST(ProgressLine, TimesWhatDoesNotCount) {
  const std::string text =
      written(kAtOnce, "learning the vocabulary", "", 0, [](ProgressLine&) { wait_for_redraws(); });
  EXPECT_NE(text.find("\rlearning the vocabulary  0:00\x1b[K"), std::string::npos) << text;
}

TEST(ProgressLine, WaitsBeforeItAppears) {
  ProgressLineOptions later = kAtOnce;
  later.delay_seconds = 60;
  EXPECT_EQ(written(later, "", "lines", 5, [](ProgressLine& line) { line.add(5); }), "");
}

TEST(ProgressLine, IsDimWhereThereIsColor) {
  ProgressLineOptions color = kAtOnce;
  color.color = true;
  const std::string text =
      written(color, "waiting", "", 0, [](ProgressLine&) { wait_for_redraws(); });
  EXPECT_NE(text.find("\r\x1b[2mwaiting  0:00\x1b[0m\x1b[K"), std::string::npos) << text;
}

TEST(ProgressLine, WritesNothingWhereItIsNotShown) {
  EXPECT_EQ(written({}, "waiting", "", 0, [](ProgressLine&) { wait_for_redraws(); }), "");
}

TEST(ProgressLine, StaysOnALine) {
  CapturedTerminal terminal;
  const winsize narrow{24, 20, 0, 0};
  ioctl(STDERR_FILENO, TIOCSWINSZ, &narrow);
  {
    ProgressLine line("ein sehr langes Stück Arbeit", "", kAtOnce);
    wait_for_redraws();
  }
  EXPECT_NE(terminal.end().find("\rein sehr langes Stü\x1b[K"), std::string::npos)
      << terminal.end();
}

TEST(ProgressLine, CountsAnswersAndLinesThatHaveNone) {
  std::string handed_on;
  const AnswerSink<int> sink{.accept = [&](const int& answer) { handed_on += char('0' + answer); },
                             .reject = [&](const LineError&) { handed_on += 'x'; }};
  const std::string text = written(kAtOnce, "", "lines", 4, [&](ProgressLine& line) {
    const AnswerSink<int> counted = line.counted(sink);
    for (int i = 1; i < 4; ++i) counted.accept(i);
    counted.reject(LineError("no line"));
    wait_for_redraws();
  });
  EXPECT_EQ(handed_on, "123x");
  EXPECT_NE(text.find("4/4 lines"), std::string::npos) << text;
}

// Lines that come slowly: a command that takes more than the second after which the line appears.
class ProgressOfCommands : public StartedProgramTest {
 protected:
  // What the program writes to its terminal when the lines of `input` come a second and a half
  // apart.
  std::string slowly(const std::string& command, const std::string& variables = "TERM=xterm") {
    const std::string script = "{ echo 'good film'; sleep 1.5; echo 'bad film'; } | " + variables +
                               " " ATTEND_PROGRAM " " + command + " > " + path("out");
    CapturedTerminal terminal;
    EXPECT_EQ(std::system(script.c_str()), 0) << script;
    return terminal.end();
  }
};

TEST_F(ProgressOfCommands, IsShownAtATerminal) {
  train_classifier("cl");
  const std::string text = slowly("classify " + model("cl"), "TERM=xterm NO_COLOR=");
  EXPECT_TRUE(std::regex_search(text, std::regex("\r\x1b\\[2m1 line  [0-9.]+ lines/s  0:01")))
      << text;
  EXPECT_TRUE(text.ends_with("\r\x1b[K")) << text;
  const std::string answers = read(path("out"));
  EXPECT_EQ(std::count(answers.begin(), answers.end(), '\n'), 2) << answers;
}

TEST_F(ProgressOfCommands, HasNoColorWhereNobodyWantsIt) {
  train_classifier("cl");
  const std::string text = slowly("classify " + model("cl"), "TERM=xterm NO_COLOR=1");
  EXPECT_NE(text.find("\r1 line  "), std::string::npos) << text;
  EXPECT_EQ(text.find("\x1b[2m"), std::string::npos) << text;
}

TEST_F(ProgressOfCommands, IsNotShownWhereATerminalCannotRedraw) {
  train_classifier("cl");
  EXPECT_EQ(slowly("classify " + model("cl"), "TERM=dumb").find("lines"), std::string::npos);
}

TEST_F(ProgressOfCommands, IsNotShownAmongAnswersAtATerminal) {
  train_classifier("cl");
  CapturedTerminal out(STDOUT_FILENO);
  const std::string text = [&] {
    CapturedTerminal error;
    EXPECT_EQ(
        std::system(("{ echo 'good film'; sleep 1.5; } | TERM=xterm " ATTEND_PROGRAM " classify " +
                     model("cl"))
                        .c_str()),
        0);
    return error.end();
  }();
  EXPECT_EQ(text.find("lines"), std::string::npos) << text;
  EXPECT_NE(out.end().find("\t"), std::string::npos) << "the answer";
}

TEST_F(ProgressOfCommands, WritesNothingToAFile) {
  train_classifier("cl");
  EXPECT_EQ(shell("{ echo 'good film'; sleep 1.5; } | $attend classify " + model("cl")), 0);
  EXPECT_EQ(error_, "");
}

}  // namespace
}  // namespace attend
