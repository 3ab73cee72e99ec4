#include "attend/core/files/input_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "attend/error.h"
#include "core/files.h"

namespace attend {
namespace {

class InputFiles : public WithFiles {};

TEST_F(InputFiles, AreReadAtAnyPosition) {
  const InputFile file(write("digits", "0123456789"));
  EXPECT_EQ(file.size(), 10u);
  std::string part(3, ' ');
  file.read(4, std::as_writable_bytes(std::span(part)));
  EXPECT_EQ(part, "456");
}

TEST_F(InputFiles, AreReadFromMemoryUnderAName) {
  const InputFile file("upload", "0123456789");
  EXPECT_EQ(file.path(), "upload");
  EXPECT_EQ(file.size(), 10u);
  std::string part(3, ' ');
  file.read(7, std::as_writable_bytes(std::span(part)));
  EXPECT_EQ(part, "789");
  EXPECT_NO_THROW(file.require_unchanged());
  EXPECT_EQ(InputFile("empty", "").size(), 0u);
}

TEST_F(InputFiles, SayThatTheyWereTruncated) {
  const InputFile file(write("digits", "0123456789"));
  write("digits", "012");
  std::string part(3, ' ');
  const std::string message =
      message_of<DataError>([&] { file.read(4, std::as_writable_bytes(std::span(part))); });
  for (const char* words : {"digits", "10 bytes", "truncated"})
    EXPECT_TRUE(contains(message, words)) << message;
}

TEST_F(InputFiles, SayThatTheyWereWrittenToOrReplaced) {
  const auto path = write("digits", "0123456789");
  const InputFile file(path);
  EXPECT_NO_THROW(file.require_unchanged());
  EXPECT_NO_THROW(file.require_in_place());
  std::filesystem::rename(write("letters", "abcdefghij"), path);
  EXPECT_NO_THROW(file.require_unchanged()) << "it is still there, without a name";
  EXPECT_TRUE(contains(message_of<IoError>([&] { file.require_in_place(); }), "replaced"));
  const InputFile letters(path);
  write("digits", "abc");
  EXPECT_TRUE(contains(message_of<IoError>([&] { letters.require_unchanged(); }), "written to"));
  EXPECT_NO_THROW(letters.require_in_place());
}

TEST_F(InputFiles, AreFilesThatExist) {
  EXPECT_THROW(InputFile(path("none")), IoError);
  EXPECT_THROW(InputFile{folder_}, DataError);
}

}  // namespace
}  // namespace attend
