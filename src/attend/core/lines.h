// Reading text line by line, from plain or gzip files and from streams, with the checks that every
// reader of user data needs.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace attend {

namespace detail {
class ByteSource;
}

// Hands out the lines of a text one by one. Memory is bounded: one buffer and one line, of at most
// kMaxLineBytes.
//
// gzip is recognized by its first two bytes, whatever the file is called; several gzip members in a
// row are one text. A line ends with
// '\n'; a '\r' before it is dropped, as is a byte order mark at the beginning. A last line without
// '\n' counts. A stream is read no further than the end of a line when that is all that has
// arrived, so a line typed at a terminal or written to a pipe is answered at once.
//
// Throws IoError when the operating system refuses (missing, directory, not readable, an error
// while reading: never taken for the end), and LineError "name:line: ..." for a line that is not
// text (invalid UTF-8, NUL bytes) or too long: the next call goes on after it. What ends the text
// is a DataError that is no LineError: a damaged or truncated gzip file, or an empty file (not
// stream).
class LineReader {
 public:
  static constexpr std::size_t kMaxLineBytes = std::size_t{64} << 20;

  // "-" is standard input, and called so in messages.
  explicit LineReader(const std::string& path);
  // `name` stands for the stream in messages ("standard input"). The stream must outlive the
  // reader.
  LineReader(std::istream& stream, const std::string& name);
  // The same of an open descriptor, which is not closed; it may be one that does not block.
  LineReader(int descriptor, const std::string& name);
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;

  // Writes the next line, without its end, into `line`; false, and an empty `line`, at the end of
  // the text.
  bool next(std::string& line);

  // Whether next() would return or throw without waiting for somebody to write. Of a std::istream
  // nobody can know: always true. Throws as next() does when reading fails.
  bool has_arrived() { return gather(/*may_wait=*/false); }

  // The number of the line that next() gave last, from 1; 0 before the first.
  std::int64_t line_number() const { return line_number_; }
  const std::string& name() const { return name_; }
  // Changes, or only looks at, every line that next() gives from now on, after its checks. What it
  // throws passes through next().
  void set_filter(std::function<void(std::string& line)> filter) { filter_ = std::move(filter); }
  // "name:line" of the line that next() gave last, to begin a message with.
  std::string where() const;

 private:
  LineReader(std::unique_ptr<detail::ByteSource> source, std::string name);
  enum class Gathered { part, line, too_long, end };
  bool gather(bool may_wait);
  void take_from_buffer();
  void check(std::string& line) const;

  std::string name_;
  std::unique_ptr<detail::ByteSource> source_;
  std::vector<char> buffer_;
  std::function<void(std::string&)> filter_;
  std::size_t begin_ = 0;  // of what buffer_ holds and has not been given out
  std::size_t end_ = 0;
  std::string line_;  // what has been gathered of the line that next() will give
  Gathered gathered_ = Gathered::part;
  bool begun_ = false;     // something of the line has been read, if only its end
  bool skipping_ = false;  // the rest of a line that was too long
  std::int64_t line_number_ = 0;
};

// All lines of a file, under the same rules.
std::vector<std::string> read_lines(const std::string& path);

// Throws DataError, naming the files that the lines are from, when none of them has anything but
// white space.
void require_text(std::span<const std::string> lines, std::span<const std::string> files);

}  // namespace attend
