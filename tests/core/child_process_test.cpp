#include "attend/core/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "attend/core/threads/interruption.h"
#include "attend/error.h"

namespace attend {
namespace {

using namespace std::chrono_literals;

TEST(ChildProcess, AnswersWithAnyBytes) {
  EXPECT_EQ(in_child_process([] { return std::string(); }), "");
  const std::string bytes = std::string(300'000, 'a') + '\0' + "\n.";
  EXPECT_EQ(in_child_process([&] { return bytes; }), bytes);
}

TEST(ChildProcess, ThatFailsIsAnError) {
  EXPECT_THROW(in_child_process([]() -> std::string { ::_exit(0); }), IoError);
  EXPECT_THROW(in_child_process([]() -> std::string { throw std::runtime_error("no"); }), IoError);
  EXPECT_THROW(in_child_process([]() -> std::string {
                 ::kill(::getpid(), SIGKILL);
                 return "";
               }),
               IoError);
}

TEST(ChildProcess, EndsWhenItsParentIsInterrupted) {
  const auto begin = std::chrono::steady_clock::now();
  const InterruptionScope scope([] { throw std::runtime_error("ended"); });
  EXPECT_THROW(in_child_process([] {
                 std::this_thread::sleep_for(1min);
                 return std::string();
               }),
               std::runtime_error);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
}

TEST(ChildProcess, NeverAsksItself) {
  const pid_t parent = ::getpid();
  const InterruptionScope scope([&] {
    if (::getpid() != parent) ::_exit(0);
  });
  EXPECT_EQ(in_child_process([] {
              std::this_thread::sleep_for(120ms);
              look_for_interruption();
              return std::string("answer");
            }),
            "answer");
}

TEST(ChildProcess, LeavesSignalsOfATerminalToItsParent) {
  EXPECT_EQ(in_child_process([] {
              for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::raise(signal);
              return std::string("answer");
            }),
            "answer");
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_FALSE(sigismember(&blocked, SIGINT));
}

TEST(ChildProcess, AnswersAProgramThatIgnoresTheEndOfChildren) {
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(in_child_process([] { return std::string("answer"); }), "answer");
  ::signal(SIGCHLD, before);
}

TEST(ChildProcess, IsNotNeeded) {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = 0;
  ::setrlimit(RLIMIT_NOFILE, &none);
  int calls = 0;
  const std::string answer = in_child_process([&] { return std::to_string(++calls); });
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(answer, "1");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace attend
