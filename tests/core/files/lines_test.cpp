#include "attend/core/files/lines.h"

#include "attend/error.h"
#include "core/files.h"
#include "core/gzip.h"
#include "core/zstd.h"

namespace attend {
namespace {

using namespace std::string_literals;

using Lines = WithFiles;

TEST_F(Lines, ReadsALastLineWithoutNewlineAndEmptyLines) {
  EXPECT_EQ(read_lines(write("a", "one\n\nthree")), (std::vector<std::string>{"one", "", "three"}));
  EXPECT_EQ(read_lines(write("b", "one\n")), (std::vector<std::string>{"one"}));
  EXPECT_EQ(read_lines(write("c", "\n\n")), (std::vector<std::string>{"", ""}));
}

TEST(RequireText, NamesTheFilesWhenAllLinesAreBlank) {
  const std::vector<std::string> files{"a.txt", "b.txt"};
  EXPECT_NO_THROW(require_text(std::vector<std::string>{"", "word", ""}, files));
  const std::string message = message_of<DataError>([&] {
    require_text(std::vector<std::string>{"", " \t", ""}, files);
  });
  EXPECT_TRUE(contains(message, "a.txt, b.txt: ")) << message;
  EXPECT_TRUE(contains(message, "3 blank lines")) << message;
}

TEST_F(Lines, KeepsAByteOrderMarkThatIsNotTheFirstCharacter) {
  EXPECT_EQ(read_lines(write("a", "one\n\xEF\xBB\xBFtwo\n")),
            (std::vector<std::string>{"one", "\xEF\xBB\xBFtwo"}));
}

TEST_F(Lines, DropsCarriageReturnsAndTheByteOrderMark) {
  EXPECT_EQ(read_lines(write("a", "\xEF\xBB\xBFone\r\ntwo\r\n\r\na\rb")),
            (std::vector<std::string>{"one", "two", "", "a\rb"}));
}

TEST_F(Lines, UnpacksGzipWhateverTheNameOfTheFile) {
  EXPECT_EQ(read_lines(write("plain_name", gzip("eins\nzwei\n"))),
            (std::vector<std::string>{"eins", "zwei"}));
}

TEST_F(Lines, UnpacksZstdWhateverTheNameOfTheFile) {
  for (const bool checksum : {true, false})
    EXPECT_EQ(read_lines(write("plain_name", zstd("eins\nzwei\n", checksum))),
              (std::vector<std::string>{"eins", "zwei"}));
}

TEST_F(Lines, JoinsZstdFrames) {
  EXPECT_EQ(read_lines(write("a.zst", zstd("eins\nzw") + zstd("") + zstd("ei\n"))),
            (std::vector<std::string>{"eins", "zwei"}));
}

TEST_F(Lines, ReadsTextThatBeginsLikePackedText) {
  for (const std::string begin : {"(", "()", "(\xc2\xb5", "(\xc2\xb5/"})
    EXPECT_EQ(read_lines(write("plain", begin + "\nb")), (std::vector<std::string>{begin, "b"}));
}

TEST_F(Lines, JoinsGzipMembers) {
  EXPECT_EQ(read_lines(write("a.gz", gzip("eins\nzw") + gzip("") + gzip("ei\n"))),
            (std::vector<std::string>{"eins", "zwei"}));
}

TEST_F(Lines, ReadsLinesLongerThanAnyBuffer) {
  std::string longest;
  for (int i = 0; i < 100'000; ++i) longest += "Wörter ";
  const std::string content = "a\n" + longest + "\nb\n";
  for (const std::string& file : {write("plain", content), write("packed", gzip(content)),
                                  write("packed_smaller", zstd(content))}) {
    const std::vector<std::string> lines = read_lines(file);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[1], longest);
    EXPECT_EQ(lines[2], "b");
  }
}

TEST_F(Lines, CountsLinesForMessages) {
  LineReader reader(write("a", "one\ntwo\n"));
  std::string line;
  EXPECT_EQ(reader.line_number(), 0);
  EXPECT_TRUE(reader.next(line));
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(reader.where(), path("a") + ":2");
  EXPECT_FALSE(reader.next(line));
  EXPECT_FALSE(reader.next(line));
  EXPECT_EQ(reader.line_number(), 2);
  EXPECT_EQ(line, "");
}

TEST_F(Lines, KnowsBeforehandWhichFileCannotBeRead) {
  std::ofstream(path("there")) << "text\n";
  const auto of = [this](const std::string& last) {
    return std::vector<std::string>{path("there"), "-", last};
  };
  EXPECT_NO_THROW(require_readable(of(path("there"))));
  const std::string message = message_of<IoError>([&] { require_readable(of(path("missing"))); });
  EXPECT_EQ(message, message_of<IoError>([&] { LineReader reader(path("missing")); }));
  EXPECT_THROW(require_readable(of(testing::TempDir())), IoError) << "a folder";
}

TEST_F(Lines, SaysThatAFileIsMissing) {
  const std::string message = message_of<IoError>([&] { LineReader reader(path("missing")); });
  EXPECT_TRUE(contains(message, path("missing"))) << message;
  EXPECT_TRUE(contains(message, "No such file")) << message;
}

TEST_F(Lines, RefusesADirectory) {
  const std::string message = message_of<IoError>([&] { LineReader reader(folder_.string()); });
  EXPECT_TRUE(contains(message, "is a directory")) << message;
}

TEST_F(Lines, RefusesAnEmptyFilePlainOrPacked) {
  for (const std::string& file :
       {write("plain", ""), write("packed", gzip("")), write("packed_smaller", zstd(""))}) {
    const std::string message = message_of<DataError>([&] { LineReader reader(file); });
    EXPECT_TRUE(contains(message, file + " is empty")) << message;
  }
}

TEST_F(Lines, NamesTheLineAndByteOfInvalidUtf8) {
  const std::string file = write("latin1", "gut\nsch\xF6n\n");
  const std::string message = message_of<DataError>([&] { read_lines(file); });
  EXPECT_TRUE(contains(message, file + ":2: byte 4 (0xF6)")) << message;
}

TEST_F(Lines, RefusesBinaryFiles) {
  const std::string file = write("binary", "\x7F"s + "ELF\x02\x01\x01\0\0\0\n"s);
  const std::string message = message_of<DataError>([&] { read_lines(file); });
  EXPECT_TRUE(contains(message, file + ":1: found a NUL byte")) << message;
}

TEST_F(Lines, NoticesGzipCutOffAnywhere) {
  std::string content;
  for (int i = 0; i < 2000; ++i) content += std::to_string(i * 7919) + "\n";
  const std::string packed = gzip(content);
  for (const std::size_t size :
       {packed.size() - 1, packed.size() - 9, packed.size() / 2, std::size_t{11}, std::size_t{2}}) {
    const std::string file = write("cut", packed.substr(0, size));
    const std::string message = message_of<DataError>([&] { read_lines(file); });
    EXPECT_TRUE(contains(message, "truncated")) << size << ": " << message;
  }
}

TEST_F(Lines, NoticesZstdCutOffAnywhere) {
  std::string content;
  for (int i = 0; i < 2000; ++i) content += std::to_string(i * 7919) + "\n";
  const std::string packed = zstd(content);
  for (const std::size_t size :
       {packed.size() - 1, packed.size() - 9, packed.size() / 2, std::size_t{11}, std::size_t{4}}) {
    const std::string file = write("cut", packed.substr(0, size));
    const std::string message = message_of<DataError>([&] { read_lines(file); });
    EXPECT_TRUE(contains(message, "truncated")) << size << ": " << message;
  }
}

TEST_F(Lines, NoticesDamagedZstd) {
  std::string packed = zstd("the quick brown fox jumps over the lazy dog\n");
  packed.back() = static_cast<char>(packed.back() ^ 1);  // the checksum
  const std::string file = write("damaged", packed);
  const std::string message = message_of<DataError>([&] { read_lines(file); });
  EXPECT_TRUE(contains(message, file + ": damaged zstd data")) << message;
}

TEST_F(Lines, RefusesZstdThatNeedsMuchMemory) {
  // A frame header that asks for a window of 2 GiB.
  const std::string file = write("wide", "\x28\xb5\x2f\xfd\x00\xa8"s + std::string(40, '\x01'));
  const std::string message = message_of<DataError>([&] { read_lines(file); });
  EXPECT_TRUE(contains(message, "damaged zstd data")) << message;
}

TEST_F(Lines, NoticesDamagedGzip) {
  std::string packed = gzip("the quick brown fox jumps over the lazy dog\n");
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);  // the checksum
  const std::string file = write("damaged", packed);
  const std::string message = message_of<DataError>([&] { read_lines(file); });
  EXPECT_TRUE(contains(message, "damaged gzip")) << message;
}

TEST_F(Lines, RefusesALineWithoutEnd) {
  const std::string text(LineReader::kMaxLineBytes + 1, 'x');
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    const std::string file = write("endless", packed);
    const std::string message = message_of<DataError>([&] { read_lines(file); });
    EXPECT_TRUE(contains(message, file + ":1: the line is longer than 64 MiB")) << message;
  }
}

TEST_F(Lines, GoesOnAfterALineThatIsWrong) {
  const std::string endless(LineReader::kMaxLineBytes + 100'000, 'x');
  const std::string file =
      write("mixed", "one\n\xFF\nthree\n"s + "\0\n"s + endless + "\nsix\n" + endless);
  LineReader reader(file);
  std::vector<std::string> lines;
  for (;;) {
    try {
      std::string line;
      if (!reader.next(line)) break;
      lines.push_back(line);
    } catch (const LineError& error) {
      lines.push_back(error.what());
    }
    EXPECT_EQ(reader.line_number(), std::ssize(lines));
  }
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[0] + lines[2] + lines[5], "onethreesix");
  EXPECT_TRUE(contains(lines[1], file + ":2: byte 1")) << lines[1];
  EXPECT_TRUE(contains(lines[3], file + ":4: found a NUL byte")) << lines[3];
  EXPECT_TRUE(contains(lines[4], file + ":5: the line is longer than 64 MiB")) << lines[4];
  EXPECT_TRUE(contains(lines[6], file + ":7: the line is longer than 64 MiB")) << lines[6];
}

}  // namespace
}  // namespace attend
