#include "attend/documents/messages/json_strings.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/messages/edited_file.h"
#include "attend/error.h"

namespace attend {
namespace {

bool is_json_digit(char c) { return c >= '0' && c <= '9'; }

// Reads one value after another; stops with an error at the first fault.
class JsonScanner {
 public:
  JsonScanner(std::string_view name, std::string_view json,
              const std::function<bool(std::string_view)>& skips,
              const std::function<void(JsonString)>& found)
      : name_(name), json_(json), skips_(skips), found_(found) {}

  void scan() {
    if (json_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    skip_spaces();
    read_value();
    while (!open_.empty()) read_next();
    skip_spaces();
    if (at_ < json_.size()) fail("the end of the file");
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    const std::string found =
        at_ < json_.size() ? quote(json_.substr(at_, 20)) : std::string("the end of the file");
    throw DataError(fmt::format("{}: not JSON: expected {}, found {}",
                                place_in_file(name_, json_, at_), expected, found));
  }

  char peek() const { return at_ < json_.size() ? json_[at_] : '\0'; }

  void skip_spaces() {
    while (at_ < json_.size() &&
           (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r'))
      ++at_;
  }

  void expect(char c) {
    if (peek() != c) fail(fmt::format("'{}'", c));
    ++at_;
  }

  // The end of the innermost list or object, or its next value.
  void read_next() {
    const bool in_object = open_.back() == '{';
    const char end = in_object ? '}' : ']';
    skip_spaces();
    if (peek() == end) {
      ++at_;
      open_.pop_back();
      is_first_ = false;
      return;
    }
    if (!is_first_) {
      if (peek() != ',') fail(fmt::format("',' or '{}'", end));
      ++at_;
      skip_spaces();
    }
    is_first_ = false;
    member_.clear();
    if (in_object) {
      member_ = read_string().text;
      // Within a member that is left out, all are.
      if (!skipped_ || open_.size() <= *skipped_)
        skipped_ = skips_(member_) ? std::optional(open_.size()) : std::nullopt;
      skip_spaces();
      expect(':');
      skip_spaces();
    }
    read_value();
  }

  void read_value() {
    const char c = peek();
    if (c == '{' || c == '[') {
      open_.push_back(c);
      ++at_;
      is_first_ = true;
    } else if (c == '"') {
      JsonString string = read_string();
      string.member = member_;
      if (!skipped_ || open_.size() < *skipped_) found_(std::move(string));
    } else if (c == '-' || is_json_digit(c)) {
      read_number();
    } else {
      for (const std::string_view word : {"true", "false", "null"}) {
        if (!json_.substr(at_).starts_with(word)) continue;
        at_ += word.size();
        return;
      }
      fail("a value");
    }
  }

  void read_digits() {
    if (!is_json_digit(peek())) fail("a digit");
    while (is_json_digit(peek())) ++at_;
  }

  void read_number() {
    if (peek() == '-') ++at_;
    if (peek() == '0') {
      ++at_;
    } else {
      read_digits();
    }
    if (peek() == '.') {
      ++at_;
      read_digits();
    }
    if (peek() != 'e' && peek() != 'E') return;
    ++at_;
    if (peek() == '+' || peek() == '-') ++at_;
    read_digits();
  }

  JsonString read_string() {
    expect('"');
    JsonString string{{at_, at_}, {}};
    while (peek() != '"') {
      if (at_ >= json_.size() || static_cast<unsigned char>(peek()) < 0x20)
        fail("a quotation mark at the end of the string");
      if (peek() == '\\') {
        read_escape(string.text);
      } else {
        string.text += json_[at_++];
      }
    }
    string.place.end = at_++;
    return string;
  }

  void read_escape(std::string& text) {
    constexpr std::string_view kEscapes = "\"\\/bfnrt", kCharacters = "\"\\/\b\f\n\r\t";
    ++at_;
    if (peek() == 'u') return append_code_point(text, read_code_point());
    const std::size_t which = kEscapes.find(peek());
    if (at_ >= json_.size() || which == kEscapes.npos) fail("an escape of JSON");
    text += kCharacters[which];
    ++at_;
  }

  char32_t read_code_point() {
    const char32_t first = read_unit();
    if (first < 0xd800 || first >= 0xe000) return first;
    if (first >= 0xdc00 || !json_.substr(at_).starts_with("\\u")) fail("a pair of surrogates");
    ++at_;
    const char32_t second = read_unit();
    if (second < 0xdc00 || second >= 0xe000) fail("a pair of surrogates");
    return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
  }

  // "u20ac"
  char32_t read_unit() {
    ++at_;
    char32_t unit = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      constexpr std::string_view kDigits = "0123456789abcdef0123456789ABCDEF";
      const std::size_t digit = kDigits.find(peek());
      if (at_ >= json_.size() || digit == kDigits.npos) fail("four hexadecimal digits");
      unit = unit * 16 + static_cast<char32_t>(digit % 16);
    }
    return unit;
  }

  std::string_view name_, json_;
  const std::function<bool(std::string_view)>& skips_;
  const std::function<void(JsonString)>& found_;
  std::size_t at_ = 0;
  std::string member_;                  // whose value is read
  std::string open_;                    // the brackets that are open
  bool is_first_ = false;               // nothing stands in the innermost one yet
  std::optional<std::size_t> skipped_;  // what is within as many brackets is left out
};

void append_unit(std::string& out, char32_t unit) {
  fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(unit));
}

}  // namespace

void find_json_strings(std::string_view name, std::string_view json,
                       const std::function<bool(std::string_view)>& skips,
                       const std::function<void(JsonString)>& found) {
  require_utf8(name, json);
  JsonScanner(name, json, skips, found).scan();
}

std::string json_escaped(std::string_view text, bool ascii) {
  constexpr std::string_view kCharacters = "\"\\\b\f\n\r\t", kEscapes = "\"\\bfnrt";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const std::size_t which = c < 0x80 ? kCharacters.find(static_cast<char>(c)) : kCharacters.npos;
    if (which != kCharacters.npos) {
      out += '\\';
      out += kEscapes[which];
    } else if (c < 0x20 || (ascii && c >= 0x7f && c < 0x10000)) {
      append_unit(out, c);
    } else if (ascii && c >= 0x10000) {
      append_unit(out, 0xd800 + ((c - 0x10000) >> 10));
      append_unit(out, 0xdc00 + ((c - 0x10000) & 0x3ff));
    } else {
      out += text.substr(begin, at - begin);
    }
  }
  return out;
}

}  // namespace attend
