// Lines of streams and descriptors: what waits, what has arrived, and how reading fails.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <sstream>
#include <thread>

#include "attend/core/files/lines.h"
#include "attend/error.h"
#include "core/files.h"
#include "core/gzip.h"
#include "core/zstd.h"

namespace attend {
namespace {

using namespace std::string_literals;

using Lines = WithFiles;

TEST_F(Lines, ReadsStreamsPlainOrPackedAndEmpty) {
  for (const std::string& content : {"eins\nzwei"s, gzip("eins\nzwei"), zstd("eins\nzwei")}) {
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
  const std::string text = "eins\nzwei\ndrei\n";
  for (const std::string& bytes : {text, gzip(text), zstd(text)}) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
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
  for (const std::string& content : {"one\ntwo"s, gzip("one\ntwo"), zstd("one\ntwo")}) {
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
