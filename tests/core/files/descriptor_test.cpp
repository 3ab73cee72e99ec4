#include "attend/core/files/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

namespace attend {
namespace {

TEST(WriteAll, WaitsForAPipeThatDoesNotBlockAndIsFull) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  const std::string text(1 << 20, 'x');  // more than a pipe holds
  std::string arrived;
  std::thread reader([&] {
    std::string part(1 << 12, '\0');
    while (arrived.size() < text.size())
      arrived.append(part.data(), read_some(ends[0], part.data(), part.size(), "pipe"));
  });
  EXPECT_EQ(write_all(ends[1], text), 0);
  reader.join();
  EXPECT_EQ(arrived, text);
  close(ends[0]);
  close(ends[1]);
}

TEST(WriteAll, SaysWhyItCouldNot) {
  const int full = open("/dev/full", O_WRONLY);
  EXPECT_EQ(write_all(full, "x"), ENOSPC);
  EXPECT_EQ(write_all(full, ""), 0);
  close(full);
  EXPECT_EQ(write_all(full, "x"), EBADF);
}

TEST(WriteAll, ReportsAClosedPipeWhereItsSignalIsIgnored) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(write_all(ends[1], "x"), EPIPE);
  std::signal(SIGPIPE, before);
  close(ends[1]);
}

}  // namespace
}  // namespace attend
