#include "attend/data/public_sets/xml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/core/threads/interruption.h"
#include "attend/error.h"

namespace attend {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr int kEnd = -1;

bool is_blank_byte(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// "amp", "#8364", "#x20ac".
std::optional<char32_t> escaped_character(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, char32_t>, 5> kNames{
      {{"amp", U'&'}, {"lt", U'<'}, {"gt", U'>'}, {"quot", U'"'}, {"apos", U'\''}}};
  for (const auto& [known, character] : kNames)
    if (known == name) return character;
  if (!name.starts_with('#')) return std::nullopt;
  const bool is_hex = name.size() > 1 && name[1] == 'x';
  name.remove_prefix(is_hex ? 2 : 1);
  std::uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), value, is_hex ? 16 : 10);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return static_cast<char32_t>(value);
}

// An escape that XML does not know stays as it is.
std::string unescaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find('&'), text.size());
    out += text.substr(0, begin);
    text.remove_prefix(begin);
    if (text.empty()) break;
    const std::size_t end = text.substr(0, 16).find(';');
    const auto character =
        end == text.npos ? std::nullopt : escaped_character(text.substr(1, end - 1));
    if (character) append_code_point(out, *character);
    if (!character) out += '&';
    text.remove_prefix(character ? end + 1 : 1);
  }
  return out;
}

std::string_view local_name(std::string_view name) {
  return name.substr(name.rfind(':') + 1);  // npos + 1 is 0
}

// One attribute of `rest`, which it is removed from: name, value as it is.
std::optional<std::pair<std::string_view, std::string_view>> next_attribute(
    std::string_view& rest) {
  const std::size_t equals = rest.find('=');
  if (equals == rest.npos) return std::nullopt;
  std::string_view name = rest.substr(0, equals);
  while (!name.empty() && is_blank_byte(name.front())) name.remove_prefix(1);
  while (!name.empty() && is_blank_byte(name.back())) name.remove_suffix(1);
  const std::size_t open = rest.find_first_of("\"'", equals);
  if (open == rest.npos) return std::nullopt;
  const std::size_t close = rest.find(rest[open], open + 1);
  if (close == rest.npos) return std::nullopt;
  const std::string_view value = rest.substr(open + 1, close - open - 1);
  rest.remove_prefix(close + 1);
  return std::pair(name, value);
}

}  // namespace

std::string attribute_of(const XmlPiece& start, std::string_view name) {
  std::string_view rest = start.attributes;
  while (const auto attribute = next_attribute(rest))
    if (local_name(attribute->first) == name) return unescaped(attribute->second);
  return "";
}

XmlReader::XmlReader(Source source, std::string where)
    : source_(std::move(source)), where_(std::move(where)) {}

void XmlReader::refuse(std::string_view why) const {
  throw DataError(fmt::format("{}: expected XML: {}", where_, why));
}

bool XmlReader::refill() {
  look_for_interruption();
  std::array<char, 1 << 16> bytes;
  buffer_.erase(0, std::exchange(at_, 0));
  while (buffer_.empty()) {
    const std::size_t count = source_(bytes.data(), bytes.size());
    if (count == 0) break;
    waiting_.append(bytes.data(), count);
    if (encoding_ == Encoding::unknown) detect();
    if (encoding_ == Encoding::utf8) buffer_ = std::exchange(waiting_, {});
    if (encoding_ == Encoding::utf16_little || encoding_ == Encoding::utf16_big)
      decode_utf16(std::exchange(waiting_, {}));
  }
  if (buffer_.empty() && !waiting_.empty() && encoding_ == Encoding::unknown) {
    encoding_ = Encoding::utf8;  // a file of one byte
    buffer_ = std::exchange(waiting_, {});
  }
  return !buffer_.empty();
}

// A byte order mark decides, or the zero bytes of "<" in UTF-16.
void XmlReader::detect() {
  if (waiting_.size() < 3) return;
  const std::string_view begin(waiting_);
  const auto drop = [&](Encoding encoding, std::size_t mark) {
    encoding_ = encoding;
    waiting_.erase(0, mark);
  };
  if (begin.starts_with("\xef\xbb\xbf")) return drop(Encoding::utf8, 3);
  if (begin.starts_with("\xff\xfe")) return drop(Encoding::utf16_little, 2);
  if (begin.starts_with("\xfe\xff")) return drop(Encoding::utf16_big, 2);
  if (begin[0] == '<' && begin[1] == '\0') return drop(Encoding::utf16_little, 0);
  if (begin[0] == '\0' && begin[1] == '<') return drop(Encoding::utf16_big, 0);
  encoding_ = Encoding::utf8;
}

// What is no character becomes U+FFFD. Half a character waits for the rest.
void XmlReader::decode_utf16(std::string_view bytes) {
  const bool big = encoding_ == Encoding::utf16_big;
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(bytes[at]),
               second = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<char32_t>(big ? first << 8 | second : second << 8 | first);
  };
  std::size_t at = 0;
  while (at + 2 <= bytes.size()) {
    char32_t character = unit(at);
    const bool is_high = character >= 0xd800 && character < 0xdc00;
    if (is_high && at + 4 > bytes.size()) break;
    const char32_t low = is_high ? unit(at + 2) : 0;
    const bool is_pair = low >= 0xdc00 && low < 0xe000;
    if (is_pair) character = 0x10000 + ((character - 0xd800) << 10) + (low - 0xdc00);
    append_code_point(buffer_, character);
    at += is_pair ? 4 : 2;
  }
  waiting_ = bytes.substr(at);
}

int XmlReader::peek() {
  if (at_ == buffer_.size() && !refill()) return kEnd;
  return static_cast<unsigned char>(buffer_[at_]);
}

int XmlReader::take() {
  const int byte = peek();
  if (byte != kEnd) ++at_;
  return byte;
}

// Up to and with `end`, which is not part of `to`.
void XmlReader::take_until(std::string_view end, std::string& to) {
  while (!to.ends_with(end)) {
    const int byte = take();
    if (byte == kEnd) refuse("the file ends too early; fetch it again");
    to += static_cast<char>(byte);
    if (to.size() > kMostBytes) refuse("a tag or text has more than 64 MiB");
  }
  to.resize(to.size() - end.size());
}

bool XmlReader::next(XmlPiece& piece) {
  while (peek() != kEnd) {
    piece = {};
    if (peek() != '<') {
      take_text(piece);
      return true;
    }
    take();
    if (take_markup(piece)) return true;
  }
  return false;
}

void XmlReader::take_text(XmlPiece& piece) {
  std::string text;
  while (peek() != '<' && peek() != kEnd) {
    const std::size_t end = std::min(buffer_.find('<', at_), buffer_.size());
    text.append(buffer_, at_, end - at_);
    at_ = end;
    if (text.size() > kMostBytes) refuse("a text has more than 64 MiB");
  }
  piece.text = unescaped(text);
}

// After "<". False for what is passed over.
bool XmlReader::take_markup(XmlPiece& piece) {
  if (peek() == '?') {
    take_instruction();
    return false;
  }
  if (peek() != '!') {
    take_tag(piece);
    return true;
  }
  take();
  constexpr std::string_view kCharacters = "[CDATA[";
  std::string begin;
  if (peek() == '[') {
    while (begin.size() < kCharacters.size() && peek() != kEnd) begin += static_cast<char>(take());
    if (begin != kCharacters) refuse(fmt::format("found <!{}", printable(begin)));
    take_until("]]>", piece.text);
    return true;
  }
  take_declaration();
  return false;
}

// "<!" is taken: a comment, or a document type with declarations in brackets.
void XmlReader::take_declaration() {
  std::string ignored;
  if (peek() == '-') {
    take();
    if (peek() == '-') {
      take();
      return take_until("-->", ignored);
    }
  }
  int depth = 0;
  std::string last;  // bytes
  for (int byte = take(); byte != '>' || depth > 0; byte = take()) {
    if (byte == kEnd) refuse("the document type does not end");
    if (byte == '[') ++depth;
    if (byte == ']') --depth;
    if (byte == '"' || byte == '\'') take_until(std::string(1, static_cast<char>(byte)), ignored);
    last += static_cast<char>(byte);
    if (last.size() > 4) last.erase(0, 1);
    if (last == "<!--") take_until("-->", ignored);
    ignored.clear();
  }
}

// "?" is next. The declaration of a file may name its encoding.
void XmlReader::take_instruction() {
  XmlPiece piece;
  take_until("?>", piece.attributes);
  if (!piece.attributes.starts_with("?xml ")) return;
  piece.attributes.erase(0, 5);
  const std::string encoding = ascii_lower(attribute_of(piece, "encoding"));
  if (!encoding.empty() && encoding != "utf-8" && encoding != "utf8" && encoding != "us-ascii" &&
      encoding != "ascii" && !encoding.starts_with("utf-16") && encoding != "utf16")
    refuse(
        fmt::format("the encoding is {}, expected UTF-8 or UTF-16; convert the file, for "
                    "example with iconv, and its first line",
                    quote(encoding)));
}

// Quoted attributes may hold ">".
void XmlReader::take_tag(XmlPiece& piece) {
  std::string tag;
  int quotes = 0;
  for (int byte = take(); byte != '>' || quotes != 0; byte = take()) {
    if (byte == kEnd) refuse("a tag does not end");
    if (quotes == byte) {
      quotes = 0;
    } else if (quotes == 0 && (byte == '"' || byte == '\'')) {
      quotes = byte;
    }
    tag += static_cast<char>(byte);
    if (tag.size() > kMostBytes) refuse("a tag has more than 64 MiB");
  }
  piece.kind = tag.starts_with('/') ? XmlPiece::Kind::end : XmlPiece::Kind::start;
  if (piece.kind == XmlPiece::Kind::end) tag.erase(0, 1);
  piece.closes_self = tag.ends_with('/');
  if (piece.closes_self) tag.pop_back();
  std::size_t end = 0;
  while (end < tag.size() && !is_blank_byte(tag[end])) ++end;
  piece.name = local_name(std::string_view(tag).substr(0, end));
  piece.attributes = tag.substr(end);
}

}  // namespace attend
