// Standard error, or standard output, as a terminal, and what is written to it.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace attend {

class CapturedTerminal {
 public:
  explicit CapturedTerminal(int descriptor = STDERR_FILENO)
      : descriptor_(descriptor), before_(dup(descriptor)), ours_(posix_openpt(O_RDWR | O_NOCTTY)) {
    grantpt(ours_);
    unlockpt(ours_);
    theirs_ = open(ptsname(ours_), O_RDWR | O_NOCTTY);
    EXPECT_GE(theirs_, 0);
    termios mode{};
    tcgetattr(theirs_, &mode);
    cfmakeraw(&mode);  // no carriage returns
    tcsetattr(theirs_, TCSANOW, &mode);
    dup2(theirs_, descriptor_);
    reader_ = std::thread([this] {
      char text[4096];
      for (ssize_t n; (n = ::read(ours_, text, sizeof text)) > 0;)
        text_.append(text, static_cast<std::size_t>(n));
    });
  }
  ~CapturedTerminal() { end(); }
  CapturedTerminal(const CapturedTerminal&) = delete;
  CapturedTerminal& operator=(const CapturedTerminal&) = delete;

  // Gives the descriptor back. -> what was written
  const std::string& end() {
    if (!reader_.joinable()) return text_;
    dup2(before_, descriptor_);
    close(before_);
    close(theirs_);  // nobody has the terminal open any more: the reader ends
    reader_.join();
    close(ours_);
    return text_;
  }

 private:
  int descriptor_, before_, ours_;
  int theirs_ = -1;
  std::string text_;
  std::thread reader_;
};

}  // namespace attend
