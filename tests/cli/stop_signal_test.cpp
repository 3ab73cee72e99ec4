#include "attend/cli/stop_signal.h"

#include <unistd.h>

#include "cli/started_program.h"

namespace attend {
namespace {

constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

TEST(StopSignal, LeavesSignalsAloneThatAreIgnored) {
  for (const int signal : kEnding) {
    const auto before = ::signal(signal, SIG_IGN);
    {
      StopSignal stop;
      raise(signal);
      EXPECT_FALSE(stop.flag());
      EXPECT_EQ(stop.signal(), 0);
    }
    EXPECT_EQ(::signal(signal, before), SIG_IGN) << "and afterwards";
  }
}

TEST(StopSignal, GivesSignalsBackAsTheyWere) {
  static int seen = 0;
  for (const int signal : kEnding) {
    const auto before = ::signal(signal, [](int number) { seen = number; });
    {
      StopSignal stop;
      raise(signal);
      EXPECT_TRUE(stop.flag());
      EXPECT_EQ(stop.signal(), signal);
      EXPECT_NE(seen, signal);
    }
    raise(signal);
    EXPECT_EQ(seen, signal);
    ::signal(signal, before);
  }
}

class StopSignals : public StartedProgramTest {};

TEST_F(StopSignals, IgnoredByTheParentDoNotEndATraining) {
  EXPECT_EQ(shell("trap '' INT TERM HUP\n" +
                  training_line(
                      "run", {"--max-steps", "200", "--save-every", "20", "--valid-every", "0"}) +
                  " &\nwhile [ ! -e run/checkpoints ]; do sleep 0.02; done\nsleep 0.05; kill -INT "
                  "$!; kill -TERM $!; kill -HUP $!; wait $!"),
            0)
      << error_;
  EXPECT_TRUE(std::filesystem::exists(checkpoint("run", 200)));
}

TEST_F(StopSignals, AClosedTerminalEndsATrainingInGoodOrder) {
  EXPECT_EQ(shell(training_line("run", {"--max-steps", "1000000", "--save-every", "2",
                                        "--valid-every", "0"}) +
                  " &\nwhile [ ! -e run/checkpoints/step-00000002.safetensors ]; do sleep 0.02; "
                  "done; kill -HUP $!; wait $!"),
            128 + SIGHUP)
      << error_;
  EXPECT_NE(out_.find("checkpoint saved"), std::string::npos) << out_;
}

}  // namespace
}  // namespace attend
