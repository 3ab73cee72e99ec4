#include "attend/text/oniguruma.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "attend/error.h"

namespace attend::detail {
namespace {

constexpr std::string_view kWord = R"(\p{L}\p{M}\p{N}\p{Pc}\p{Alphabetic})";
constexpr std::string_view kHexadecimal = "0-9a-fA-F";

using Names = std::pair<std::string_view, std::string_view>;

// Properties by their names without case, spaces, hyphens and underscores. Others are scripts.
constexpr std::array kProperties{Names{"any", "Any"},
                                 Names{"letter", "L"},
                                 Names{"mark", "M"},
                                 Names{"number", "N"},
                                 Names{"punctuation", "P"},
                                 Names{"symbol", "S"},
                                 Names{"alphabetic", "Alphabetic"},
                                 Names{"alpha", "Alphabetic"},
                                 Names{"digit", "Nd"},
                                 Names{"uppercase", "Uppercase"},
                                 Names{"lowercase", "Lowercase"},
                                 Names{"whitespace", "White_Space"},
                                 Names{"emoji", "Emoji"}};
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
                                   Names{"cntrl", R"(\p{Cc})"},
                                   Names{"punct", R"(\p{P}\p{S})"},
                                   Names{"blank", R"(\p{Zs}\t)"},
                                   Names{"xdigit", kHexadecimal}};

template <std::size_t N>
std::string_view second_of(const std::array<Names, N>& names, std::string_view first) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const Names& entry) { return entry.first == first; });
  return found == names.end() ? "" : found->second;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Translator {
 public:
  explicit Translator(std::string_view expression) : rest_(expression) {}

  std::string run() {
    while (!rest_.empty()) in_class_ ? take_in_class() : take();
    result_.append(groups_.front().closing, ')');
    return std::move(result_);
  }

 private:
  struct Group {
    std::size_t begin = 0;    // in the result
    std::size_t closing = 0;  // groups that an option such as (?i) has opened
    bool ignores_case = false;
  };

  [[noreturn]] static void refuse(std::string_view what) {
    throw DataError(fmt::format("its pattern has {}, which is not supported", what));
  }

  char pop() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  bool take_text(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  std::string_view take_until(char end, std::string_view what) {
    const std::size_t size = rest_.find(end);
    if (size == rest_.npos) refuse(fmt::format("{} without an end", what));
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size + 1);
    return text;
  }
  void begin_atom() { atom_ = result_.size(); }

  void take() {
    const char c = rest_.front();
    if (c == '{' && take_interval()) return;
    if (c == '*' || c == '+' || c == '?' || c == '|') {
      result_ += pop();
      last_letter_ = 0;
      return;
    }
    if (c == ')') {
      close_group();
      return;
    }
    begin_atom();
    if (c == '\\') {
      take_escape();
    } else if (c == '[') {
      in_class_ = true;
      result_ += pop();
      if (take_text("^")) result_ += '^';
      if (take_text("]")) result_ += "\\]";
    } else if (c == '(') {
      open_group();
    } else {
      take_letter();
    }
  }

  // Oniguruma also compares letters with what they fold to, such as ß with ss.
  void take_letter() {
    const char c = pop();
    result_ += c;
    if (!groups_.back().ignores_case) return;
    if ((static_cast<unsigned char>(c) & 0x80) != 0)
      refuse("characters beyond ASCII without their case");
    const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c;
    for (const std::string_view pair : {"ss", "st", "ff", "fi", "fl"})
      if (!in_class_ && last_letter_ == pair[0] && small == pair[1])
        refuse(fmt::format("{} without its case", pair));
    last_letter_ = small;
  }

  void take_in_class() {
    if (take_text("[:")) {
      const bool negated = take_text("^");
      const std::string_view name = take_until(':', "a class by name");
      if (!take_text("]")) refuse("a class by name without an end");
      const std::string_view items = name == "word" ? kWord : second_of(kNamedClasses, name);
      const bool is_one = items.find('}') == items.size() - 1;
      if (items.empty() || (negated && !is_one)) refuse(fmt::format("the class [:{}:]", name));
      result_ += negated ? fmt::format("\\P{}", items.substr(2)) : std::string(items);
    } else if (take_text("\\")) {
      take_escaped();
    } else if (take_text("]")) {
      in_class_ = false;
      result_ += ']';
    } else {
      take_letter();
    }
  }

  void take_escape() {
    pop();
    take_escaped();
    last_letter_ = 0;
  }

  void add_class(std::string_view items, bool negated) {
    if (in_class_ && negated) refuse("a negated class within another");
    result_ += in_class_ ? std::string(items) : fmt::format("[{}{}]", negated ? "^" : "", items);
  }

  // What follows a backslash.
  void take_escaped() {
    if (rest_.empty()) refuse("a backslash at its end");
    const char c = pop();
    switch (c) {
      case 'h':
      case 'H':
        return add_class(kHexadecimal, c == 'H');
      case 'w':
      case 'W':
        return add_class(kWord, c == 'W');
      case 's':
        result_ += R"(\p{White_Space})";
        return;
      case 'S':
        result_ += R"(\P{White_Space})";
        return;
      case 'v':
        result_ += R"(\x0b)";
        return;
      case 'p':
      case 'P':
        return take_property(c == 'P');
      case 'x':
      case 'u':
        return take_code(c);
      default:
        in_class_ ? take_escaped_in_class(c) : take_escaped_outside(c);
    }
  }

  void take_escaped_in_class(char c) {
    if (c == 'b') {
      result_ += R"(\x08)";
    } else if (is_digit(c) || std::string_view("cCMRXNO").find(c) != std::string_view::npos) {
      refuse(fmt::format("\\{} in a class", c));
    } else if (is_letter(c) && std::string_view("dDtnrfae").find(c) == std::string_view::npos) {
      result_ += c;  // an ordinary letter
    } else {
      result_.append({'\\', c});
    }
  }

  void take_escaped_outside(char c) {
    if (c == 'b' || c == 'B') {
      const std::string word = fmt::format("[{}])", kWord);
      const std::string_view after = c == 'b' ? "(?!" : "(?=", before = c == 'b' ? "(?=" : "(?!";
      result_ += fmt::format("(?:(?<={0}{1}{0}|(?<!{0}{2}{0})", word, after, before);
    } else if (c == 'N' || c == 'O') {
      result_ += c == 'N' ? "[^\\n]" : "(?s:.)";
    } else if (std::string_view("XyYkgcCM0").find(c) != std::string_view::npos) {
      refuse(fmt::format("\\{}", c));
    } else if (is_digit(c)) {
      if (has_names_ || (!rest_.empty() && is_digit(rest_.front())))
        refuse(fmt::format("the reference \\{}", c));
      result_.append({'\\', c});
    } else if (is_letter(c) &&
               std::string_view("dDtnrfaeRKGAZz").find(c) == std::string_view::npos) {
      result_ += c;
    } else {
      result_.append({'\\', c});
    }
  }

  void take_property(bool negated) {
    if (!take_text("{")) refuse("\\p without braces");
    std::string name;
    for (const char c : take_until('}', "\\p"))
      if (c != ' ' && c != '_' && c != '-')
        name += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c;
    if (name.starts_with('^')) {
      negated = !negated;
      name.erase(0, 1);
    }
    if (!std::all_of(name.begin(), name.end(), is_letter))
      refuse(fmt::format("the property {}", name));
    std::string property(second_of(kProperties, name));
    if (property.empty() && kCategories.find(" " + name + " ") != kCategories.npos) {
      property = name;
      property.front() = static_cast<char>(property.front() - 'a' + 'A');
    }
    if (groups_.back().ignores_case && (name == "lu" || name == "ll" || name == "lt"))
      refuse("a case without its case");
    result_ +=
        fmt::format("\\{}{{{}}}", negated ? 'P' : 'p', property.empty() ? "sc:" + name : property);
  }

  // \x41, \x{41} or \u0041.
  void take_code(char kind) {
    std::string digits;
    if (kind == 'x' && take_text("{")) {
      digits = take_until('}', "\\x");
    } else {
      digits = rest_.substr(0, kind == 'x' ? 2 : 4);
      rest_.remove_prefix(digits.size());
      if (kind == 'x' && digits >= "8") refuse("bytes of characters");
    }
    const bool fits = !digits.empty() && digits.size() <= 6 &&
                      digits.find_first_not_of("0123456789abcdefABCDEF") == digits.npos;
    if (!fits) refuse(fmt::format("\\{} without hexadecimal digits", kind));
    result_ += fmt::format("\\x{{{}}}", digits);
  }

  void open_group() {
    pop();
    last_letter_ = 0;
    if (rest_.starts_with('*')) refuse("(*");
    const std::size_t begin = result_.size();
    const bool ignores_case = groups_.back().ignores_case;
    if (!take_text("?")) {
      result_ += '(';
    } else if (take_text("#")) {
      take_until(')', "a comment");
      return;
    } else {
      for (const char* start : {":", "=", "!", ">", "<=", "<!"}) {
        if (!take_text(start)) continue;
        result_ += fmt::format("(?{}", start);
        groups_.push_back({begin, 0, ignores_case});
        return;
      }
      if (!take_text("<")) return take_options(begin);
      has_names_ = true;
      result_ += fmt::format("(?<{}>", take_until('>', "a name"));
    }
    groups_.push_back({begin, 0, ignores_case});
  }

  // (?i-m:...) or, to the end of the group, (?i-m).
  void take_options(std::size_t begin) {
    std::string options;
    bool on = true, ignores_case = groups_.back().ignores_case;
    while (!rest_.empty() && rest_.front() != ':' && rest_.front() != ')') {
      const char c = pop();
      if (c == '-') {
        on = false;
      } else if (c == 'i') {
        ignores_case = on;
      } else if (c != 'm') {
        refuse(fmt::format("(?{}", c));
      }
      options += c == 'm' ? 's' : c;  // a dot matches line ends
    }
    if (rest_.empty()) refuse("a group without an end");
    result_ += fmt::format("(?{}:", options);
    if (pop() == ':') {
      groups_.push_back({begin, 0, ignores_case});
    } else {
      ++groups_.back().closing;
      groups_.back().ignores_case = ignores_case;
    }
  }

  void close_group() {
    pop();
    if (groups_.size() == 1) refuse("a closing parenthesis too many");
    result_.append(groups_.back().closing + 1, ')');
    atom_ = groups_.back().begin;
    groups_.pop_back();
    last_letter_ = 0;
  }

  // {n}, {n,}, {,m} or {n,m}; false: ordinary text.
  bool take_interval() {
    const std::size_t end = rest_.find('}');
    const std::string_view inside = rest_.substr(1, end == rest_.npos ? 0 : end - 1);
    const std::size_t comma = inside.find(',');
    const bool is_interval = inside.find_first_not_of("0123456789,") == inside.npos &&
                             inside.size() > 0 && inside != "," &&
                             (comma == inside.npos || inside.find(',', comma + 1) == inside.npos);
    if (!is_interval) return false;
    rest_.remove_prefix(end + 1);
    result_ += comma == 0 ? fmt::format("{{0{}}}", inside) : fmt::format("{{{}}}", inside);
    last_letter_ = 0;
    // What follows repeats all of it, except for the question mark of a range.
    if (rest_.starts_with('+') || (rest_.starts_with('?') && comma == inside.npos)) {
      result_.insert(atom_, "(?:");
      result_ += ')';
      result_ += pop();
      if (!rest_.empty() && (rest_.front() == '+' || rest_.front() == '?')) refuse("{n}++");
    }
    return true;
  }

  std::string_view rest_;
  std::string result_;
  std::vector<Group> groups_{Group{}};
  std::size_t atom_ = 0;  // where a quantifier begins to repeat, in the result
  bool in_class_ = false, has_names_ = false;
  char last_letter_ = 0;  // before this one, without its case
};

}  // namespace

std::string pcre_of_oniguruma(std::string_view expression) { return Translator(expression).run(); }

}  // namespace attend::detail
