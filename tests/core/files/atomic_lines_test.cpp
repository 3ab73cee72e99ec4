#include "attend/core/files/atomic_lines.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "attend/core/files/lines.h"
#include "attend/error.h"
#include "core/files.h"

namespace attend {
namespace {

class AtomicLinesTest : public WithFiles {};

TEST_F(AtomicLinesTest, WritesLines) {
  AtomicLines lines(path("text"));
  lines.add("one ");
  lines.add("line");
  lines.end_line();
  lines.end_line();
  lines.commit();
  EXPECT_EQ(read_lines(path("text")), (std::vector<std::string>{"one line", ""}));
}

TEST_F(AtomicLinesTest, LeavesNothingWithoutACommit) {
  {
    AtomicLines lines(path("text"));
    lines.add("line");
    lines.end_line();
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(AtomicLinesTest, WritesInLargeBlocks) {
  std::size_t writes = 0, bytes = 0;
  {
    const ScopedFileCalls calls({.write =
                                     [&](int, const void*, std::size_t size) {
                                       ++writes;
                                       bytes += size;
                                       return static_cast<ssize_t>(size);
                                     },
                                 .sync = {},
                                 .rename = {}});
    AtomicLines lines(path("text"));
    for (int i = 0; i < 300'000; ++i) {
      lines.add("nine byte");
      lines.end_line();
    }
    lines.commit();
  }
  EXPECT_EQ(bytes, 3'000'000u);
  EXPECT_EQ(writes, 3u);  // two of a MiB and a rest
}

TEST_F(AtomicLinesTest, ReportsAFullDisk) {
  const ScopedFileCalls calls({.write = [](int, const void*, std::size_t) -> ssize_t {
                                 errno = ENOSPC;
                                 return -1;
                               },
                               .sync = {},
                               .rename = {}});
  AtomicLines lines(path("text"));
  lines.add("line");
  lines.end_line();
  EXPECT_THROW(lines.commit(), IoError);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace attend
