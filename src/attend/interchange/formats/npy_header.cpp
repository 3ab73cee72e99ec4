#include "attend/interchange/formats/npy_header.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <set>
#include <string_view>

#include "attend/core/files/byte_reader.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr std::size_t kHighestNpyRank = 64;

struct NpyType {
  std::string_view name;
  ElementType type;
};

constexpr std::array kNpyTypes = {
    NpyType{"f8", ElementType::f64},    NpyType{"f4", ElementType::f32},
    NpyType{"f2", ElementType::f16},    NpyType{"i8", ElementType::i64},
    NpyType{"i4", ElementType::i32},    NpyType{"i2", ElementType::i16},
    NpyType{"i1", ElementType::i8},     NpyType{"u1", ElementType::u8},
    NpyType{"b1", ElementType::boolean}};

// Reads the text: a Python dictionary with three keys, in any order.
class NpyTextReader {
 public:
  NpyTextReader(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  void read(NpyHeader& header) {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      if (!seen_.insert(key).second) refuse();
      expect(':');
      if (key == "descr") {
        header.type = type(string());
      } else if (key == "fortran_order") {
        header.column_major = truth();
      } else if (key == "shape") {
        header.shape = tuple();
      } else {
        refuse();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (at_ != text_.size() || seen_.size() != 3) refuse();
  }

 private:
  [[noreturn]] void refuse() const {
    throw DataError(fmt::format(
        "{}: expected the header of a NumPy array with descr, fortran_order and shape, found {}",
        where_, quote(text_, 100)));
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool accept(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) refuse();
  }

  std::string_view string() {
    expect('\'');
    const std::size_t end = text_.find('\'', at_);
    if (end == text_.npos) refuse();
    const std::string_view found = text_.substr(at_, end - at_);
    at_ = end + 1;
    return found;
  }

  bool truth() {
    skip_blanks();
    for (const std::string_view word : {"False", "True"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return word == "True";
    }
    refuse();
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> extents;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      std::int64_t extent = 0;
      const auto [end, error] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), extent);
      if (error != std::errc() || extent < 0 || extents.size() == kHighestNpyRank) refuse();
      at_ = static_cast<std::size_t>(end - text_.data());
      extents.push_back(extent);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return extents;
  }

  // The first letter is the byte order: little, none or that of the machine, which is little.
  ElementType type(std::string_view name) const {
    for (const NpyType& known : kNpyTypes) {
      if (name.size() == 3 && name.substr(1) == known.name &&
          std::string_view("<|=").find(name[0]) != std::string_view::npos)
        return known.type;
    }
    throw DataError(
        fmt::format("{}: expected elements <f8, <f4, <f2, <i8, <i4, <i2, |i1, |u1 or |b1, found {}",
                    where_, quote(name)));
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
  std::set<std::string_view> seen_;
};

}  // namespace

NpyHeader read_npy_header(std::span<const std::byte> bytes, const std::string& where) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  ByteReader reader(bytes, where);
  if (reader.left() < kMagic.size() || reader.text(kMagic.size()) != kMagic)
    throw DataError(fmt::format("{}: expected a NumPy array, found something else", where));
  const auto major = reader.number<std::uint8_t>(), minor = reader.number<std::uint8_t>();
  if ((major != 1 && major != 2) || minor != 0)
    throw DataError(fmt::format("{}: expected version 1.0 or 2.0 of the array format, found {}.{}",
                                where, major, minor));
  const std::uint32_t length =
      major == 1 ? reader.number<std::uint16_t>() : reader.number<std::uint32_t>();
  NpyHeader header;
  NpyTextReader(reader.text(length), where).read(header);
  header.bytes = reader.position();
  return header;
}

}  // namespace attend
