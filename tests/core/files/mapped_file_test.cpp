#include "attend/core/files/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "attend/error.h"
#include "core/files.h"

namespace attend {
namespace {

class MappedFiles : public WithFiles {};

TEST_F(MappedFiles, AreTheBytesOfTheFileAndStayAfterItIsClosedAndReplaced) {
  const std::string digits = write("digits", "0123456789");
  const std::shared_ptr<const MappedFile> mapped = MappedFile::of(InputFile(digits));
  ASSERT_NE(mapped, nullptr);
  std::filesystem::rename(write("other", "x"), digits);
  EXPECT_NO_THROW(mapped->fetch(3, 10));
  const auto bytes = mapped->bytes();
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "0123456789");
}

TEST_F(MappedFiles, AreNoneWhereThereIsNothingToMap) {
  EXPECT_EQ(MappedFile::of(InputFile(write("empty", ""))), nullptr);
}

#ifdef MADV_POPULATE_READ
TEST_F(MappedFiles, SayThatTheyWereTruncatedBeforeTheyAreRead) {
#ifdef ATTEND_EMULATED
  GTEST_SKIP() << "qemu ignores MADV_POPULATE_READ";
#endif
  const std::string file = write("large", std::string(100'000, 'a'));
  const std::shared_ptr<const MappedFile> mapped = MappedFile::of(InputFile(file));
  write("large", "a");
  EXPECT_NO_THROW(mapped->fetch(0, 1));
  const std::string message = message_of<DataError>([&] { mapped->fetch(50'000, 100'000); });
  for (const char* words : {"large", "100000 bytes", "truncated"})
    EXPECT_TRUE(contains(message, words)) << message;
}
#endif

}  // namespace
}  // namespace attend
