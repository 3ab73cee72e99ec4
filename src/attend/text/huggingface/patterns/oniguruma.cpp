#include "attend/text/huggingface/patterns/oniguruma.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/text/huggingface/patterns/oniguruma_class.h"

namespace attend::detail {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Translator {
 public:
  explicit Translator(std::string_view expression) : text_(expression) {}

  std::string run() {
    while (!text_.empty()) take();
    result_.append(groups_.front().closing, ')');
    return std::move(result_);
  }

 private:
  struct Group {
    std::size_t begin = 0;    // in the result
    std::size_t closing = 0;  // groups that an option such as (?i) has opened
    bool ignores_case = false;
  };

  void begin_atom() { atom_ = result_.size(); }

  void take() {
    const char c = text_.front();
    if (c == '{' && take_interval()) return;
    if (c == '*' || c == '+' || c == '?' || c == '|') {
      result_ += text_.pop();
      last_letter_ = 0;
      return;
    }
    if (c == ')') {
      close_group();
      return;
    }
    begin_atom();
    if (c == '\\') {
      text_.pop();
      take_escaped();
      last_letter_ = 0;
    } else if (c == '[') {
      text_.pop();
      result_ += take_class(text_, groups_.back().ignores_case);
      last_letter_ = 0;
    } else if (c == '(') {
      open_group();
    } else {
      take_letter();
    }
  }

  // Oniguruma also compares letters with what they fold to, such as ß with ss.
  void take_letter() {
    const std::string_view letter = text_.pop_character();
    result_ += letter;
    if (!groups_.back().ignores_case) return;
    if (letter.size() > 1) refuse_pattern("characters beyond ASCII without their case");
    const char c = letter.front();
    const char small = ascii_lower(c);
    for (const std::string_view pair : {"ss", "st", "ff", "fi", "fl"})
      if (last_letter_ == pair[0] && small == pair[1])
        refuse_pattern(fmt::format("{} without its case", pair));
    last_letter_ = small;
  }

  // What follows a backslash.
  void take_escaped() {
    if (text_.empty()) refuse_pattern("a backslash at its end");
    const char c = text_.pop();
    if (const ClassItems one = class_of_escape(c, text_); !one.items.empty()) {
      const bool is_one_case =
          one.items == R"(\p{Lu})" || one.items == R"(\p{Ll})" || one.items == R"(\p{Lt})";
      if (groups_.back().ignores_case && is_one_case) refuse_pattern("a case without its case");
      result_ += alone(one);
    } else if (c == 'x' || c == 'u') {
      const char32_t code = code_of_escape(c, text_);
      if (groups_.back().ignores_case) refuse_pattern("a code without its case");
      result_ += fmt::format("\\x{{{:x}}}", static_cast<std::uint32_t>(code));
    } else if (c == 'v') {
      result_ += R"(\x0b)";
    } else if (c == 'b' || c == 'B') {
      const std::string word = alone(class_of_escape('w', text_)) + ")";
      const std::string_view after = c == 'b' ? "(?!" : "(?=", before = c == 'b' ? "(?=" : "(?!";
      result_ += fmt::format("(?:(?<={0}{1}{0}|(?<!{0}{2}{0})", word, after, before);
    } else if (c == 'N' || c == 'O') {
      result_ += c == 'N' ? "[^\\n]" : "(?s:.)";
    } else if (std::string_view("XyYkgcCM0").find(c) != std::string_view::npos) {
      refuse_pattern(fmt::format("\\{}", c));
    } else if (is_digit(c)) {
      if (has_names_ || (!text_.empty() && is_digit(text_.front())))
        refuse_pattern(fmt::format("the reference \\{}", c));
      result_.append({'\\', c});
    } else if (is_letter(c) && std::string_view("tnrfaeRKGAZz").find(c) == std::string_view::npos) {
      result_ += c;
    } else {
      result_.append({'\\', c});
    }
  }

  void open_group() {
    text_.pop();
    last_letter_ = 0;
    if (text_.starts_with("*")) refuse_pattern("(*");
    const std::size_t begin = result_.size();
    const bool ignores_case = groups_.back().ignores_case;
    if (!text_.take("?")) {
      result_ += '(';
    } else if (text_.take("#")) {
      text_.take_until(')', "a comment");
      return;
    } else {
      for (const char* start : {":", "=", "!", ">", "<=", "<!"}) {
        if (!text_.take(start)) continue;
        result_ += fmt::format("(?{}", start);
        groups_.push_back({begin, 0, ignores_case});
        return;
      }
      if (!text_.take("<")) return take_options(begin);
      has_names_ = true;
      text_.take_until('>', "a name");
      result_ += "(?:";  // nothing can refer to it
    }
    groups_.push_back({begin, 0, ignores_case});
  }

  // (?i-m:...) or, to the end of the group, (?i-m).
  void take_options(std::size_t begin) {
    std::string options;
    bool on = true, ignores_case = groups_.back().ignores_case;
    while (!text_.empty() && text_.front() != ':' && text_.front() != ')') {
      const char c = text_.pop();
      if (c == '-') {
        on = false;
      } else if (c == 'i') {
        ignores_case = on;
      } else if (c != 'm') {
        refuse_pattern(fmt::format("(?{}", c));
      }
      options += c == 'm' ? 's' : c;  // a dot matches line ends
    }
    if (text_.empty()) refuse_pattern("a group without an end");
    result_ += fmt::format("(?{}:", options);
    if (text_.pop() == ':') {
      groups_.push_back({begin, 0, ignores_case});
    } else {
      ++groups_.back().closing;
      groups_.back().ignores_case = ignores_case;
    }
  }

  void close_group() {
    text_.pop();
    if (groups_.size() == 1) refuse_pattern("a closing parenthesis too many");
    result_.append(groups_.back().closing + 1, ')');
    atom_ = groups_.back().begin;
    groups_.pop_back();
    last_letter_ = 0;
  }

  // {n}, {n,}, {,m} or {n,m}; false: ordinary text.
  bool take_interval() {
    const std::string_view rest = text_.rest();
    const std::size_t end = rest.find('}');
    const std::string_view inside = rest.substr(1, end == rest.npos ? 0 : end - 1);
    const std::size_t comma = inside.find(',');
    const bool is_interval = inside.find_first_not_of("0123456789,") == inside.npos &&
                             inside.size() > 0 && inside != "," &&
                             (comma == inside.npos || inside.find(',', comma + 1) == inside.npos);
    if (!is_interval) return false;
    text_.skip(end + 1);
    result_ += comma == 0 ? fmt::format("{{0{}}}", inside) : fmt::format("{{{}}}", inside);
    last_letter_ = 0;
    // What follows repeats all of it, except for the question mark of a range.
    if (text_.starts_with("+") || (text_.starts_with("?") && comma == inside.npos)) {
      result_.insert(atom_, "(?:");
      result_ += ')';
      result_ += text_.pop();
      if (!text_.empty() && (text_.front() == '+' || text_.front() == '?')) refuse_pattern("{n}++");
    }
    return true;
  }

  PatternText text_;
  std::string result_;
  std::vector<Group> groups_{Group{}};
  std::size_t atom_ = 0;  // where a quantifier begins to repeat, in the result
  bool has_names_ = false;
  char last_letter_ = 0;  // before this one, without its case
};

}  // namespace

std::string pcre_of_oniguruma(std::string_view expression) { return Translator(expression).run(); }

}  // namespace attend::detail
