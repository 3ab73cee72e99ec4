// The readers of text against hostile bytes, plain and gzip: lines that are UTF-8 and short enough,
// or a DataError.
#include <sstream>
#include <stdexcept>

#include "attend/core/files/lines.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "core/gzip.h"
#include "core/zstd.h"
#include "fuzz/fuzz_target.h"

namespace attend::lines_fuzz {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

void read_text(const std::string& bytes) {
  std::istringstream stream(bytes);
  LineReader lines(stream, "fuzz");
  for (std::string line; lines.next(line);) {
    require(is_utf8(line), "a line that is not UTF-8");
    require(line.find('\n') == line.npos && line.find('\0') == line.npos,
            "a line with a line feed or a zero byte in it");
    require(line.size() <= LineReader::kMaxLineBytes, "a line that is too long");
  }
}

void read_characters(const std::string& bytes) {
  const std::size_t invalid = find_invalid_utf8(bytes);
  require((invalid == bytes.npos) == is_utf8(bytes), "two answers to one question");
  std::string again;
  std::size_t count = 0;
  for (std::size_t at = 0; at < bytes.size(); ++count) {
    const std::size_t before = at;
    append_code_point(again, next_code_point(bytes, at));
    require(at > before, "a loop that does not end");
  }
  require(count == count_code_points(bytes), "another number of code points");
  require(is_utf8(again) && (invalid != bytes.npos || again == bytes),
          "code points that do not give the text back");
  is_blank(bytes);
  const std::string shown = printable(bytes);
  require(is_utf8(shown) && shown.size() < 1000, "what is shown is not UTF-8, or not short");
  for (const char c : shown)
    require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "a control character is shown");
}

std::vector<std::string> corpus() {
  const std::string text = "first line\nsecond, ü € 𝄞\r\n\nlast";
  return {text,
          "\xef\xbb\xbfmark\n",
          gzip(text),
          gzip(text) + gzip("more\n"),
          zstd(text),
          zstd(text) + zstd("more\n", false),
          std::string("a\0b\n", 4),
          "\xed\xa0\x80\n\xc0\x80\n\xf5\n",
          ""};
}

std::vector<std::string> dictionary() {
  return {"\n",
          "\r\n",
          "\r",
          std::string("\0", 1),
          "\xef\xbb\xbf",
          "\x1f\x8b\x08",
          "\xc3\xbc",
          "\xe2\x82\xac",
          "\xf0\x9d\x84\x9e",
          "\xed\xa0\x80",
          "\xf4\x90\x80\x80",
          "\xe2\x80\xae",
          "\xe2\x80\xa8",
          "\x1b[",
          gzip("x\n"),
          "\x28\xb5\x2f\xfd",
          zstd("x\n")};
}

void use(std::string_view input) {
  const std::string bytes(input);
  read_characters(bytes);
  try {
    read_text(bytes);
  } catch (const DataError&) {
  }
}

const RegisteredFuzzTarget registered{{"lines", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::lines_fuzz
