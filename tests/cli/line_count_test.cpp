#include "attend/cli/line_count.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/program_test.h"
#include "core/gzip.h"
#include "core/zstd.h"

namespace attend {
namespace {

class LineCount : public ProgramTest {};

TEST_F(LineCount, IsThatOfTheReader) {
  EXPECT_EQ(count_lines(write("two", "one\ntwo\n")), 2);
  EXPECT_EQ(count_lines(write("open", "one\ntwo")), 2) << "a last line without its end";
  EXPECT_EQ(count_lines(write("empty", "")), 0);
  EXPECT_EQ(count_lines(write("blank", "\n\n\n")), 3);
  EXPECT_EQ(count_lines(write("large", std::string(3 << 20, '\n') + "end")), (3 << 20) + 1);
}

TEST_F(LineCount, IsNotKnownOfWhatIsNoPlainFile) {
  EXPECT_EQ(count_lines(path("none")), 0);
  EXPECT_EQ(count_lines(folder_), 0);
  EXPECT_EQ(count_lines(write("packed", gzip("one\ntwo\n"))), 0);
  EXPECT_EQ(count_lines(write("packed_smaller", zstd("one\ntwo\n"))), 0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(count_lines(ends[0]), 0);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(LineCount, BeginsWhereTheFileIsReadNextAndMovesNothing) {
  const int file = open(write("three", "one\ntwo\nthree\n").c_str(), O_RDONLY);
  char byte = 0;
  for (int i = 0; i < 4; ++i) ASSERT_EQ(::read(file, &byte, 1), 1);
  EXPECT_EQ(count_lines(file), 2);
  EXPECT_EQ(lseek(file, 0, SEEK_CUR), 4);
  close(file);
}

}  // namespace
}  // namespace attend
