// Classes of characters in patterns of the tokenizers library, as PCRE2 writes them. Private to
// text/.
#pragma once

#include <string>
#include <string_view>

namespace attend::detail {

// What is left of a pattern. All functions throw DataError, stating only the reason.
class PatternText {
 public:
  explicit PatternText(std::string_view rest) : rest_(rest) {}

  bool empty() const { return rest_.empty(); }
  char front() const { return rest_.front(); }  // precondition: not empty
  bool starts_with(std::string_view text) const { return rest_.starts_with(text); }
  std::string_view rest() const { return rest_; }
  char pop();
  std::string_view pop_character();  // one in UTF-8
  bool take(std::string_view text);  // false: it does not begin with this
  std::string_view take_until(char end, std::string_view what);
  void skip(std::size_t bytes) { rest_.remove_prefix(bytes); }

 private:
  std::string_view rest_;
};

[[noreturn]] void refuse_pattern(std::string_view what);

// Items of a class [...].
struct ClassItems {
  std::string items;
  bool negated = false;
  bool has_case = false;  // some of its characters have several forms without their case
};
// The class of \d, \D, \w, \W, \s, \S, \h, \H or \p{...} by what follows the backslash; no items:
// there is no such class. \p takes its name from the text.
ClassItems class_of_escape(char escape, PatternText& text);
// The class outside of others: \p{L} or [^...].
std::string alone(ClassItems one);

// The code of \xHH, \x{H} or \uHHHH, after "\x" or "\u".
char32_t code_of_escape(char kind, PatternText& text);

// [...] after the first bracket, perhaps with other classes in it, [a[bc]], or intersections,
// [a-z&&[^b]]. Returns an expression that matches one character.
std::string take_class(PatternText& text, bool ignores_case);

}  // namespace attend::detail
