#include "attend/text/huggingface/patterns/oniguruma_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend::detail {
namespace {

constexpr std::string_view kWord = R"(\p{M}\p{Nd}\p{Pc}\p{Alphabetic})";
// ² ³ ¹ ¼ ½ ¾, which are words outside of classes.
constexpr std::string_view kMoreWords = R"(\x{b2}\x{b3}\x{b9}\x{bc}-\x{be})";
constexpr std::string_view kHexadecimal = "0-9a-fA-F";
constexpr std::string_view kAscii = R"(\x00-\x7f)";
constexpr int kMostNestedClasses = 32;

using Names = std::pair<std::string_view, std::string_view>;

// Properties by their names without case, spaces, hyphens and underscores, as items of a class.
// Others are categories or scripts.
constexpr std::array kProperties{Names{"any", R"(\p{Any})"},
                                 Names{"letter", R"(\p{L})"},
                                 Names{"mark", R"(\p{M})"},
                                 Names{"number", R"(\p{N})"},
                                 Names{"punctuation", R"(\p{P})"},
                                 Names{"punct", R"(\p{P})"},
                                 Names{"symbol", R"(\p{S})"},
                                 Names{"alphabetic", R"(\p{Alphabetic})"},
                                 Names{"alpha", R"(\p{Alphabetic})"},
                                 Names{"alnum", R"(\p{Alphabetic}\p{Nd})"},
                                 Names{"digit", R"(\p{Nd})"},
                                 Names{"uppercase", R"(\p{Uppercase})"},
                                 Names{"upper", R"(\p{Uppercase})"},
                                 Names{"lowercase", R"(\p{Lowercase})"},
                                 Names{"lower", R"(\p{Lowercase})"},
                                 Names{"whitespace", R"(\p{White_Space})"},
                                 Names{"space", R"(\p{White_Space})"},
                                 Names{"blank", R"(\p{Zs}\t)"},
                                 Names{"cntrl", R"(\p{Cc})"},
                                 Names{"word", kWord},
                                 Names{"xdigit", kHexadecimal},
                                 Names{"ascii", kAscii},
                                 Names{"emoji", R"(\p{Emoji})"}};
constexpr std::string_view kCategories =
    " l lu ll lt lm lo m mn mc me n nd nl no p pc pd ps pe pi pf po s sm sc sk so z zs zl zp c cc "
    "cf co cn ";

// Classes by name within a class, as [:alpha:].
constexpr std::array kNamedClasses{Names{"alpha", R"(\p{Alphabetic})"},
                                   Names{"digit", R"(\p{Nd})"},
                                   Names{"alnum", R"(\p{Alphabetic}\p{Nd})"},
                                   Names{"upper", R"(\p{Uppercase})"},
                                   Names{"lower", R"(\p{Lowercase})"},
                                   Names{"space", R"(\p{White_Space})"},
                                   Names{"punct", R"(\p{P}\p{S})"},
                                   Names{"blank", R"(\p{Zs}\t)"},
                                   Names{"cntrl", R"(\p{Cc})"},
                                   Names{"word", kWord},
                                   Names{"xdigit", kHexadecimal}};

template <std::size_t N>
std::string_view second_of(const std::array<Names, N>& names, std::string_view first) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const Names& entry) { return entry.first == first; });
  return found == names.end() ? "" : found->second;
}

bool is_letter_of_name(char c) { return c >= 'a' && c <= 'z'; }

// Numbers, punctuation, symbols and separators: no form of them is a letter.
bool has_case_of_property(std::string_view name) {
  constexpr std::array<std::string_view, 10> kWithout{"number", "punctuation", "punct", "symbol",
                                                      "digit",  "whitespace",  "space", "blank",
                                                      "any",    "xdigit"};
  const bool is_category = kCategories.find(fmt::format(" {} ", name)) != std::string_view::npos;
  if (is_category) return std::string_view("npsz").find(name.front()) == std::string_view::npos;
  return std::find(kWithout.begin(), kWithout.end(), name) == kWithout.end();
}

ClassItems class_of_property(PatternText& text, bool negated) {
  if (!text.take("{")) refuse_pattern("\\p without braces");
  std::string name;
  for (const char c : text.take_until('}', "\\p"))
    if (c != ' ' && c != '_' && c != '-') name += ascii_lower(c);
  if (name.starts_with('^')) {
    negated = !negated;
    name.erase(0, 1);
  }
  if (name.empty() || !std::all_of(name.begin(), name.end(), is_letter_of_name))
    refuse_pattern(fmt::format("the property {}", name));
  std::string items(second_of(kProperties, name));
  if (items.empty() && kCategories.find(" " + name + " ") != kCategories.npos) {
    items = fmt::format("\\p{{{}}}", name);
    items[3] = static_cast<char>(items[3] - 'a' + 'A');
  }
  if (items.empty()) items = fmt::format("\\p{{sc:{}}}", name);
  return {std::move(items), negated, has_case_of_property(name)};
}

bool is_property(std::string_view items) {
  return items.starts_with("\\p{") && items.find('}') + 1 == items.size();
}

// One class with what is in it.
class ClassReader {
 public:
  ClassReader(PatternText& text, bool ignores_case, int depth, bool in_negated)
      : text_(text), ignores_case_(ignores_case), depth_(depth), in_negated_(in_negated) {
    if (depth > kMostNestedClasses) refuse_pattern("too many classes within one another");
  }

  std::string run() {
    const bool negated = text_.take("^");
    // Oniguruma finds something else in [^[^...]] where the inner class is empty beyond ASCII.
    if (negated && in_negated_) refuse_pattern("a negated class within a negated one");
    in_negated_ = in_negated_ || negated;
    // First, it is the character, unless the class would not end.
    if (text_.starts_with("]") && text_.rest().find(']', 1) != std::string_view::npos)
      take_value(decoded(text_.pop_character()));
    while (!text_.take("]")) {
      if (text_.empty()) refuse_pattern("a class without an end");
      take_member();
    }
    finish_part();
    if (ignores_case_ && (parts_.size() > 1 || !parts_.front().others.empty()))
      refuse_pattern("a class within another without its case");
    return negated ? negation() : intersection();
  }

 private:
  enum class State { start, value, range, type, complete };
  struct Part {  // between &&
    std::string items;
    std::vector<std::string> others;  // expressions for one character
  };

  static char32_t decoded(std::string_view character) {
    std::size_t at = 0;
    return next_code_point(character, at);
  }

  void take_member() {
    if (text_.starts_with("[:")) {
      take_named();
    } else if (text_.take("[")) {
      if (state_ == State::range) refuse_pattern("a range between classes");
      flush();
      part_.others.push_back(ClassReader(text_, ignores_case_, depth_ + 1, in_negated_).run());
      state_ = State::complete;
    } else if (text_.take("&&")) {
      finish_part();
      state_ = State::start;
    } else if (text_.take("-")) {
      take_hyphen();
    } else if (text_.take("\\")) {
      take_escape();
    } else {
      take_value(decoded(text_.pop_character()));
    }
  }

  void take_named() {
    text_.skip(2);
    const bool negated = text_.take("^");
    const std::string_view name = text_.take_until(':', "a class by name");
    const std::string_view items = second_of(kNamedClasses, name);
    if (!text_.take("]") || items.empty()) refuse_pattern(fmt::format("the class [:{}:]", name));
    add_type({std::string(items), negated, has_case_of_property(name)});
  }

  // Between values, it makes a range.
  void take_hyphen() {
    const bool is_last = text_.starts_with("]") || text_.starts_with("&&");
    if (state_ == State::type && !is_last) refuse_pattern("a range that begins with a class");
    if (state_ == State::value && !is_last) {
      state_ = State::range;
    } else {
      take_value(U'-');
    }
  }

  void take_escape() {
    if (text_.empty()) refuse_pattern("a backslash at its end");
    const char c = text_.pop();
    if (const ClassItems type = class_of_escape(c, text_); !type.items.empty())
      return add_type(type);
    if (c == 'x' || c == 'u') return take_value(code_of_escape(c, text_));
    constexpr std::string_view kNames = "tnrfaevb", kCodes = "\t\n\r\f\a\x1b\v\b";
    const std::size_t index = kNames.find(c);
    const bool is_code = (c >= '0' && c <= '9') || std::string_view("cCMN").find(c) != kNames.npos;
    if (is_code || (static_cast<unsigned char>(c) & 0x80) != 0)
      refuse_pattern(fmt::format("\\{} in a class", is_code ? std::string(1, c) : "letters"));
    take_value(static_cast<char32_t>(index == kNames.npos ? c : kCodes[index]));
  }

  void add_type(const ClassItems& type) {
    if (state_ == State::range) refuse_pattern("a range that ends with a class");
    if (ignores_case_ && (type.has_case || type.negated))
      refuse_pattern("letters of all kinds without their case");
    flush();
    if (!type.negated) {
      part_.items += type.items;
    } else if (is_property(type.items)) {
      part_.items += "\\P" + type.items.substr(2);
    } else {
      part_.others.push_back("[^" + type.items + "]");
    }
    state_ = State::type;
  }

  void take_value(char32_t c) {
    if (ignores_case_ && c >= 0x80) refuse_pattern("characters beyond ASCII without their case");
    if (state_ == State::range) {
      if (c < value_) refuse_pattern("a range that ends before it begins");
      part_.items += fmt::format("\\x{{{:x}}}-\\x{{{:x}}}", static_cast<std::uint32_t>(value_),
                                 static_cast<std::uint32_t>(c));
      state_ = State::complete;
      return;
    }
    flush();
    value_ = c;
    state_ = State::value;
  }

  void flush() {
    if (state_ == State::value)
      part_.items += fmt::format("\\x{{{:x}}}", static_cast<std::uint32_t>(value_));
    state_ = State::complete;
  }

  void finish_part() {
    flush();
    parts_.push_back(std::move(part_));
    part_ = {};
  }

  static std::string union_of(const Part& part) {
    std::vector<std::string> all = part.others;
    if (!part.items.empty()) all.insert(all.begin(), "[" + part.items + "]");
    if (all.empty()) return "(?!)";
    return all.size() == 1 ? all.front() : fmt::format("(?:{})", fmt::join(all, "|"));
  }

  std::string intersection() const {
    std::string result;
    for (std::size_t i = 0; i + 1 < parts_.size(); ++i)
      result += fmt::format("(?={})", union_of(parts_[i]));
    result += union_of(parts_.back());
    return parts_.size() == 1 ? result : fmt::format("(?:{})", result);
  }

  std::string negation() const {
    if (parts_.size() == 1 && parts_.front().others.empty() && !parts_.front().items.empty())
      return "[^" + parts_.front().items + "]";
    return fmt::format("(?:(?!{})(?s:.))", intersection());
  }

  PatternText& text_;
  bool ignores_case_;
  int depth_;
  bool in_negated_;
  State state_ = State::start;
  char32_t value_ = 0;
  Part part_;
  std::vector<Part> parts_;
};

}  // namespace

char PatternText::pop() {
  const char c = rest_.front();
  rest_.remove_prefix(1);
  return c;
}

std::string_view PatternText::pop_character() {
  std::size_t end = 0;
  next_code_point(rest_, end);
  const std::string_view character = rest_.substr(0, end);
  rest_.remove_prefix(end);
  return character;
}

bool PatternText::take(std::string_view text) {
  if (!rest_.starts_with(text)) return false;
  rest_.remove_prefix(text.size());
  return true;
}

std::string_view PatternText::take_until(char end, std::string_view what) {
  const std::size_t size = rest_.find(end);
  if (size == rest_.npos) refuse_pattern(fmt::format("{} without an end", what));
  const std::string_view text = rest_.substr(0, size);
  rest_.remove_prefix(size + 1);
  return text;
}

void refuse_pattern(std::string_view what) {
  throw DataError(fmt::format("its pattern has {}, which is not supported", what));
}

ClassItems class_of_escape(char escape, PatternText& text) {
  switch (escape) {
    case 'd':
    case 'D':
      return {R"(\p{Nd})", escape == 'D'};
    case 'h':
    case 'H':
      return {std::string(kHexadecimal), escape == 'H'};
    case 's':
    case 'S':
      return {R"(\p{White_Space})", escape == 'S'};
    case 'w':
    case 'W':
      return {std::string(kWord), escape == 'W', true};
    case 'p':
    case 'P':
      return class_of_property(text, escape == 'P');
    default:
      return {};
  }
}

char32_t code_of_escape(char kind, PatternText& text) {
  std::string_view digits;
  if (kind == 'x' && text.take("{")) {
    digits = text.take_until('}', "\\x");
  } else {
    digits = text.rest().substr(0, kind == 'x' ? 2 : 4);
    text.skip(digits.size());
    if (kind == 'x' && digits >= "8") refuse_pattern("bytes of characters");
  }
  const bool fits = !digits.empty() && digits.size() <= 6 &&
                    digits.find_first_not_of("0123456789abcdefABCDEF") == digits.npos;
  if (!fits) refuse_pattern(fmt::format("\\{} without hexadecimal digits", kind));
  return static_cast<char32_t>(std::stoul(std::string(digits), nullptr, 16));
}

// Not \P{...}: PCRE2 10.42 takes \P{Lt}?\P{Nd} for two things that have nothing in common.
std::string alone(ClassItems one) {
  if (one.items == kWord) one.items += kMoreWords;
  if (one.items == kAscii) return fmt::format("(?-i:[{}{}])", one.negated ? "^" : "", kAscii);
  if (one.negated) return "[^" + one.items + "]";
  return is_property(one.items) ? one.items : "[" + one.items + "]";
}

std::string take_class(PatternText& text, bool ignores_case) {
  return ClassReader(text, ignores_case, 0, false).run();
}

}  // namespace attend::detail
