// Reads text line by line, from plain, gzip or zstd files and from streams, with the checks that
// user data needs.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attend {

namespace detail {
class ByteSource;
}

// Reads the lines of a text one by one, in bounded memory: one buffer and one line of at most
// kMaxLineBytes.
//
// gzip and zstd are recognized by the first bytes, not by the file name; several gzip members or
// zstd frames in a row are one text. A line ends with '\n'; a preceding '\r' is dropped, as is a
// byte order mark at the start. A last line without '\n' counts. A line typed at a terminal or
// written to a pipe is available at once: the reader does not wait for more than one line.
//
// Throws IoError for errors of the operating system (missing, directory, not readable, read error),
// and LineError "name:line: ..." for a line that is not text (invalid UTF-8, NUL bytes) or too
// long; the next call continues after it. A damaged or truncated packed file and an empty file (not
// an empty stream) end the text with a DataError that is not a LineError.
class LineReader {
 public:
  static constexpr std::size_t kMaxLineBytes = std::size_t{64} << 20;

  // "-" is standard input, and is named so in messages.
  explicit LineReader(const std::string& path);
  // `name` names the stream in messages ("standard input"). The stream must outlive the reader.
  LineReader(std::istream& stream, const std::string& name);
  // The same for an open descriptor, which is not closed and may be non-blocking.
  LineReader(int descriptor, const std::string& name);
  // The lines of a source that is plain: for readers in core/.
  LineReader(std::unique_ptr<detail::ByteSource> source, std::string name);
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;

  // Reads the next line, without its line break, into `line`. Returns false, and clears `line`, at
  // the end.
  bool next(std::string& line);

  // Whether the last line ended with a line break, and not with the text.
  bool ended_with_break() const { return ended_with_break_; }

  // Whether next() would return or throw without waiting for input. Always true for a std::istream,
  // where this is unknown. Throws like next() for read errors.
  bool has_arrived() { return gather(/*may_wait=*/false); }

  // The number of the last line returned by next(), from 1; 0 before the first.
  std::int64_t line_number() const { return line_number_; }
  const std::string& name() const { return name_; }
  // Applies `filter` to every later line, after its checks. The filter may modify or only observe
  // the line. Its exceptions propagate from next().
  void set_filter(std::function<void(std::string& line)> filter) { filter_ = std::move(filter); }
  // "name:line" of the last line, to prefix messages.
  std::string where() const;

 private:
  enum class Gathered { part, line, too_long, end };
  bool gather(bool may_wait);
  void take_from_buffer();
  void check(std::string& line) const;

  std::string name_;
  std::unique_ptr<detail::ByteSource> source_;
  std::vector<char> buffer_;
  std::function<void(std::string&)> filter_;
  std::size_t begin_ = 0;  // start of the unread part of buffer_
  std::size_t end_ = 0;
  std::string line_;  // the part of the next line read so far
  Gathered gathered_ = Gathered::part;
  bool begun_ = false;  // something of the line has been read, if only its line break
  bool ended_with_break_ = false;
  bool skipping_ = false;  // inside the rest of a line that was too long
  std::int64_t line_number_ = 0;
};

// Whether text that begins so is packed: gzip or zstd.
bool is_packed(std::string_view begin);

// The name of a file without the extension of its compression, .gz or .zst.
std::string_view unpacked_name(std::string_view file);

// Reads all lines of a file, by the same rules.
std::vector<std::string> read_lines(const std::string& path);

// Throws DataError, naming the files of the lines, if all lines are blank.
void require_text(std::span<const std::string> lines, std::span<const std::string> files);
// Throws the DataError of require_text() for `lines` lines.
[[noreturn]] void refuse_blank_text(std::int64_t lines, std::span<const std::string> files);

// Throws IoError, as a LineReader does, for the first of `files` that cannot be read. Checks all
// paths before reading any, except standard input.
void require_readable(std::span<const std::string> files);

}  // namespace attend
