#include "attend/core/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace attend {
namespace {

// An environment variable that has another value, or none, while this lives.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~ScopedVariable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class Terminal : public testing::Test {
 protected:
  Terminal() : ours_(posix_openpt(O_RDWR | O_NOCTTY)) {
    grantpt(ours_);
    unlockpt(ours_);
    terminal_ = open(ptsname(ours_), O_RDWR | O_NOCTTY);
  }
  ~Terminal() override {
    close(terminal_);
    close(ours_);
    close(file_);
  }

  int ours_, terminal_ = -1;
  int file_ = open("/dev/null", O_WRONLY);
  ScopedVariable term_{"TERM", "xterm"}, no_color_{"NO_COLOR", nullptr};
};

TEST_F(Terminal, CanRedrawUnlessItIsDumb) {
  EXPECT_TRUE(can_redraw(terminal_));
  EXPECT_FALSE(can_redraw(file_));
  const ScopedVariable dumb("TERM", "dumb");
  EXPECT_FALSE(can_redraw(terminal_));
}

TEST_F(Terminal, ShowsColorUnlessSomebodyAsksForNone) {
  EXPECT_TRUE(can_show_color(terminal_));
  EXPECT_FALSE(can_show_color(file_));
  {
    const ScopedVariable empty("NO_COLOR", "");
    EXPECT_TRUE(can_show_color(terminal_));
  }
  const ScopedVariable asked("NO_COLOR", "1");
  EXPECT_FALSE(can_show_color(terminal_));
  EXPECT_TRUE(can_redraw(terminal_));
}

TEST_F(Terminal, HasAWidth) {
  winsize size{24, 132, 0, 0};
  ioctl(terminal_, TIOCSWINSZ, &size);
  EXPECT_EQ(terminal_columns(terminal_), 132);
  EXPECT_EQ(terminal_columns(file_), 80) << "where nobody knows";
}

TEST_F(Terminal, HasTheTextOfTheFirstLocaleThatIsSet) {
  const ScopedVariable language("LANG", "de_DE.UTF-8"), type("LC_CTYPE", nullptr),
      all("LC_ALL", nullptr);
  EXPECT_TRUE(has_utf8_locale());
  const ScopedVariable plain("LC_CTYPE", "C");
  EXPECT_FALSE(has_utf8_locale());
  const ScopedVariable first("LC_ALL", "en_US.utf8");
  EXPECT_TRUE(has_utf8_locale());
}

}  // namespace
}  // namespace attend
