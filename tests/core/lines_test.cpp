#include "attend/core/lines.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "attend/error.h"
#include "core/gzip.h"

namespace attend {
namespace {

using namespace std::string_literals;

class Lines : public testing::Test {
 protected:
  void SetUp() override {
    const testing::TestInfo* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("attend_lines_"s + info->name() + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  std::filesystem::path folder_;
};

template <class Exception>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing of the expected type was thrown";
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

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

TEST_F(Lines, JoinsGzipMembers) {
  EXPECT_EQ(read_lines(write("a.gz", gzip("eins\nzw") + gzip("") + gzip("ei\n"))),
            (std::vector<std::string>{"eins", "zwei"}));
}

TEST_F(Lines, ReadsLinesLongerThanAnyBuffer) {
  std::string longest;
  for (int i = 0; i < 100'000; ++i) longest += "Wörter ";
  const std::string content = "a\n" + longest + "\nb\n";
  for (const std::string& file : {write("plain", content), write("packed", gzip(content))}) {
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
  for (const std::string& file : {write("plain", ""), write("packed", gzip(""))}) {
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

TEST_F(Lines, NoticesDamagedGzip) {
  std::string packed = gzip("the quick brown fox jumps over the lazy dog\n");
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);  // the checksum
  const std::string file = write("damaged", packed);
  const std::string message = message_of<DataError>([&] { read_lines(file); });
  EXPECT_TRUE(contains(message, "damaged gzip")) << message;
}

TEST_F(Lines, RefusesALineWithoutEnd) {
  const std::string packed = gzip(std::string(LineReader::kMaxLineBytes + 1, 'x'));
  const std::string file = write("endless", packed);
  const std::string message = message_of<DataError>([&] { read_lines(file); });
  EXPECT_TRUE(contains(message, file + ":1: the line is longer than 64 MiB")) << message;
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

TEST_F(Lines, ReadsStreamsPlainOrPackedAndEmpty) {
  for (const std::string& content : {"eins\nzwei"s, gzip("eins\nzwei")}) {
    std::istringstream stream(content);
    LineReader reader(stream, "standard input");
    std::string line;
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, "eins");
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, "zwei");
    EXPECT_EQ(reader.where(), "standard input:2");
    EXPECT_FALSE(reader.next(line));
  }
  std::istringstream nothing;
  LineReader reader(nothing, "standard input");
  std::string line;
  EXPECT_FALSE(reader.next(line));
}

// A buffer whose sequence of bytes ends when it would have to wait: reading further than the first
// line is a failure.
class OneLineThenFail : public std::streambuf {
 protected:
  int_type underflow() override {
    if (at_ == text_.size()) ADD_FAILURE() << "read past the end of the line";
    if (at_ == text_.size()) return traits_type::eof();
    byte_ = text_[at_++];
    setg(&byte_, &byte_, &byte_ + 1);
    return traits_type::to_int_type(byte_);
  }

 private:
  std::string text_ = "first line\n";
  std::size_t at_ = 0;
  char byte_ = 0;
};

TEST_F(Lines, GivesALineOfAStreamWithoutWaitingForTheNext) {
  OneLineThenFail buffer;
  std::istream stream(&buffer);
  LineReader reader(stream, "pipe");
  std::string line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "first line");
}

// What the kernel answers to reading the first page of a process is an error: EIO.
constexpr const char* kUnreadable = "/proc/self/mem";

TEST_F(Lines, AnErrorWhileReadingIsNotTheEnd) {
  EXPECT_TRUE(contains(message_of<IoError>([] { read_lines(kUnreadable); }),
                       "/proc/self/mem: Input/output error"));
  const int descriptor = open(kUnreadable, O_RDONLY);
  LineReader reader(descriptor, "standard input");
  std::string line;
  EXPECT_TRUE(contains(message_of<IoError>([&] { reader.next(line); }),
                       "cannot read standard input: Input/output error"));
  close(descriptor);
  std::ifstream stream(kUnreadable);
  LineReader from_stream(stream, "a stream");
  EXPECT_TRUE(
      contains(message_of<IoError>([&] { from_stream.next(line); }), "cannot read a stream"));
}

TEST_F(Lines, DamagedGzipOfAStreamIsNamed) {
  std::istringstream stream(gzip("eins\nzwei\n").substr(0, 15));
  LineReader reader(stream, "standard input");
  std::string line;
  EXPECT_TRUE(contains(message_of<DataError>([&] { reader.next(line); }),
                       "standard input: the gzip data end too early"));
}

TEST_F(Lines, AClosedDescriptorIsNotAnEmptyText) {
  LineReader reader(-1, "standard input");
  std::string line;
  EXPECT_TRUE(contains(message_of<IoError>([&] { reader.next(line); }),
                       "cannot read standard input: it is closed"));
}

TEST_F(Lines, AnErrorInTheMiddleOfGzipIsNotATruncatedText) {
  // A socket gives what has arrived, and then, as its other side went away without reading what it
  // was sent, an error.
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const std::string packed = gzip("eins\nzwei\n").substr(0, 15);
  ASSERT_EQ(::write(ends[1], packed.data(), packed.size()), std::ssize(packed));
  ASSERT_EQ(::write(ends[0], "unread", 6), 6);
  LineReader reader(ends[0], "standard input");
  close(ends[1]);
  std::string line;
  const std::string message = message_of<IoError>([&] { reader.next(line); });
  EXPECT_TRUE(contains(message, "Connection reset")) << message;
  close(ends[0]);
}

TEST_F(Lines, WaitsForADescriptorThatDoesNotBlock) {
  for (const bool packed : {false, true}) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
    const std::string text = "eins\nzwei\ndrei\n", bytes = packed ? gzip(text) : text;
    std::thread writer([&] {
      for (const char byte : bytes) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        EXPECT_EQ(::write(ends[1], &byte, 1), 1);
      }
      close(ends[1]);
    });
    LineReader reader(ends[0], "standard input");
    std::vector<std::string> lines;
    for (std::string line; reader.next(line);) lines.push_back(line);
    EXPECT_EQ(lines, (std::vector<std::string>{"eins", "zwei", "drei"}));
    writer.join();
    close(ends[0]);
  }
}

TEST_F(Lines, KnowsWhetherALineHasArrived) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto write_text = [&](const std::string& text) {
    ASSERT_EQ(::write(ends[1], text.data(), text.size()), std::ssize(text));
  };
  LineReader reader(ends[0], "pipe");
  EXPECT_FALSE(reader.has_arrived());
  write_text("fir");
  EXPECT_FALSE(reader.has_arrived()) << "a part is no line";
  write_text("st\n\nsec");
  std::string line;
  for (const char* expected : {"first", ""}) {
    EXPECT_TRUE(reader.has_arrived());
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, expected);
  }
  EXPECT_FALSE(reader.has_arrived());
  write_text("ond");
  EXPECT_FALSE(reader.has_arrived());
  close(ends[1]);
  EXPECT_TRUE(reader.has_arrived()) << "the end of the text is the end of the line";
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "second");
  EXPECT_TRUE(reader.has_arrived()) << "so is that there is no more";
  EXPECT_FALSE(reader.next(line));
  close(ends[0]);
}

TEST_F(Lines, GivesWhatAFilterMakesOfThem) {
  LineReader reader(write("a", "one\n\xFF\ntwo\n"));
  std::vector<std::string> seen;
  reader.set_filter([&](std::string& line) {
    seen.push_back(line);
    line += "!";
  });
  std::string line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "one!");
  EXPECT_THROW(reader.next(line), LineError);
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "two!");
  EXPECT_FALSE(reader.next(line));
  EXPECT_EQ(seen, (std::vector<std::string>{"one", "two"})) << "only what is a line of text";
}

TEST_F(Lines, AreReadFromStandardInputByItsSign) {
  const int before = dup(STDIN_FILENO), file = open(write("a", "one\ntwo\n").c_str(), O_RDONLY);
  dup2(file, STDIN_FILENO);
  LineReader reader("-");
  std::string line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "one");
  EXPECT_EQ(reader.where(), "standard input:1");
  while (reader.next(line)) continue;
  EXPECT_EQ(message_of<DataError>([] { LineReader("-"); }),
            "standard input is empty, expected lines of text");
  dup2(before, STDIN_FILENO);
  close(before);
  close(file);
}

TEST_F(Lines, FilesAndStreamsHaveArrived) {
  for (const std::string& content : {"one\ntwo"s, gzip("one\ntwo")}) {
    LineReader file(write("text", content));
    std::istringstream stream(content);
    LineReader of_stream(stream, "stream");
    for (LineReader* reader : {&file, &of_stream}) {
      std::string line;
      for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(reader->has_arrived());
        EXPECT_EQ(reader->next(line), i < 2);
      }
    }
  }
}

TEST_F(Lines, GivesALineOfADescriptorWithoutWaitingForTheNext) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "first line\nsec", 14), 14);
  LineReader reader(ends[0], "pipe");
  std::string line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "first line");
  ASSERT_EQ(::write(ends[1], "ond", 3), 3);
  close(ends[1]);
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "second");
  EXPECT_FALSE(reader.next(line));
  close(ends[0]);
}

}  // namespace
}  // namespace attend
