#include "attend/core/files/lines.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include "attend/core/files/byte_source.h"
#include "attend/core/strings/utf8.h"
#include "attend/core/threads/interruption.h"
#include "attend/error.h"

namespace attend {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
const std::string kStandardInput = "standard input";

}  // namespace

LineReader::LineReader(const std::string& path)
    : LineReader(
          path == "-" ? detail::open_bytes(STDIN_FILENO, kStandardInput) : detail::open_bytes(path),
          path == "-" ? kStandardInput : path) {
  end_ = source_->read(buffer_.data(), buffer_.size());
  if (end_ == 0) throw DataError(fmt::format("{} is empty, expected lines of text", name_));
}

LineReader::LineReader(std::istream& stream, const std::string& name)
    : LineReader(detail::open_bytes(stream, name), name) {}

LineReader::LineReader(int descriptor, const std::string& name)
    : LineReader(detail::open_bytes(descriptor, name), name) {}

LineReader::LineReader(std::unique_ptr<detail::ByteSource> source, std::string name)
    : name_(std::move(name)), source_(std::move(source)), buffer_(kBufferBytes) {}

LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;

std::string LineReader::where() const { return fmt::format("{}:{}", name_, line_number_); }

bool LineReader::next(std::string& line) {
  line.clear();
  look_for_interruption();
  gather(/*may_wait=*/true);
  if (gathered_ == Gathered::end) return false;
  ++line_number_;
  line.swap(line_);
  line_.clear();
  begun_ = false;
  if (std::exchange(gathered_, Gathered::part) == Gathered::too_long) {
    throw LineError(
        fmt::format("{}: the line is longer than {} MiB; expected text with one sample per line",
                    where(), kMaxLineBytes >> 20));
  }
  check(line);
  if (filter_) filter_(line);
  return true;
}

// Reads until there is a line or the end. Returns false if that would mean waiting and it may not.
bool LineReader::gather(bool may_wait) {
  while (gathered_ == Gathered::part) {
    if (begin_ == end_) {
      if (!may_wait && !source_->has_arrived()) return false;
      begin_ = 0;
      end_ = source_->read(buffer_.data(), buffer_.size());
      if (end_ == 0) gathered_ = begun_ ? Gathered::line : Gathered::end;
      if (end_ == 0) ended_with_break_ = false;
    }
    take_from_buffer();
  }
  return true;
}

void LineReader::take_from_buffer() {
  if (begin_ == end_) return;
  const char* from = buffer_.data() + begin_;
  const auto* newline = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_));
  const std::size_t count = newline ? static_cast<std::size_t>(newline - from) : end_ - begin_;
  begin_ += count + (newline ? 1 : 0);
  if (skipping_) {
    skipping_ = newline == nullptr;
    return;
  }
  begun_ = true;
  if (line_.size() + count > kMaxLineBytes) {
    gathered_ = Gathered::too_long;
    skipping_ = newline == nullptr;
    return;
  }
  line_.append(from, count);
  if (newline) gathered_ = Gathered::line;
  ended_with_break_ = newline != nullptr;
}

void LineReader::check(std::string& line) const {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line_number_ == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  if (!line.empty() && std::memchr(line.data(), '\0', line.size())) {
    throw LineError(fmt::format(
        "{}: found a NUL byte: a binary file (or UTF-16), expected text in UTF-8", where()));
  }
  const std::size_t invalid = find_invalid_utf8(line);
  if (invalid != std::string_view::npos) {
    throw LineError(
        fmt::format("{}: byte {} (0x{:02X}) is not valid UTF-8; convert the file, for example with "
                    "iconv -t UTF-8",
                    where(), invalid + 1, static_cast<unsigned char>(line[invalid])));
  }
}

bool is_packed(std::string_view begin) { return detail::is_packed(begin); }

std::string_view unpacked_name(std::string_view file) {
  for (const std::string_view extension : {".gz", ".zst"})
    if (file.ends_with(extension)) file.remove_suffix(extension.size());
  return file;
}

std::vector<std::string> read_lines(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

void require_text(std::span<const std::string> lines, std::span<const std::string> files) {
  if (std::all_of(lines.begin(), lines.end(), is_blank))
    refuse_blank_text(std::ssize(lines), files);
}

void refuse_blank_text(std::int64_t lines, std::span<const std::string> files) {
  throw DataError(fmt::format("{}: expected text, found {} blank lines and nothing else",
                              fmt::join(files, ", "), lines));
}

void require_readable(std::span<const std::string> files) {
  for (const std::string& file : files) {
    if (file == "-") continue;
    std::error_code error;
    if (access(file.c_str(), R_OK) != 0 || std::filesystem::is_directory(file, error))
      LineReader{file};  // says why
  }
}

}  // namespace attend
