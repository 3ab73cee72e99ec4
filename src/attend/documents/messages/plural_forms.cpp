#include "attend/documents/messages/plural_forms.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "attend/core/strings/ascii.h"

namespace attend {
namespace {

// No language has as many.
constexpr std::size_t kMostForms = 8;
// Bytes of an expression; the longest in use has a fifth of it. Its depth is bounded by that.
constexpr std::size_t kLongestExpression = 1024;

struct KnownForms {
  std::string_view languages;  // with a space around each
  std::string_view declaration;
};

// From the manual of gettext, and CLDR.
constexpr std::array<KnownForms, 14> kKnownForms{
    {{" ja ko zh vi th id ms lo my km ", "nplurals=1; plural=0;"},
     {" fr pt_br fil hy ", "nplurals=2; plural=(n > 1);"},
     {" ru uk be sr hr bs ",
      "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || "
      "n%100>=20) "
      "? 1 : 2);"},
     {" cs sk ", "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;"},
     {" pl ",
      "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"},
     {" sl ", "nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);"},
     {" lt ",
      "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : "
      "2);"},
     {" lv ", "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);"},
     {" ro ", "nplurals=3; plural=n==1 ? 0 : (n==0 || (n%100 > 0 && n%100 < 20)) ? 1 : 2;"},
     {" ga ", "nplurals=5; plural=n==1 ? 0 : n==2 ? 1 : n<7 ? 2 : n<11 ? 3 : 4;"},
     {" ar ",
      "nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? "
      "4 : 5;"},
     {" mt ",
      "nplurals=4; plural=(n==1 ? 0 : n==0 || (n%100>1 && n%100<11) ? 1 : (n%100>10 && n%100<20) ? "
      "2 : 3);"},
     {" is mk ", "nplurals=2; plural=(n%10!=1 || n%100==11);"},
     {" en de nl sv da nb nn no fo es pt it bg el fi et he hu tr ca eu gl sq af eo bn hi ur ta te "
      "mr "
      "gu kn ml pa ne sw az ka kk ky uz tk mn lb fy fa si ",
      "nplurals=2; plural=(n != 1);"}}};

// Computes an expression of C for one number n: ?: || && == != < > <= >= + - * / % ! ( ).
class PluralExpression {
 public:
  PluralExpression(std::string_view text, std::uint64_t n) : text_(text), n_(n) {}

  // nullopt if it is none, or divides by zero.
  std::optional<std::uint64_t> value() {
    const std::uint64_t result = choice();
    skip_spaces();
    if (at_ < text_.size()) fails_ = true;
    return fails_ ? std::nullopt : std::optional(result);
  }

 private:
  using Operators = std::array<std::string_view, 4>;
  // Weaker ones first; of those with the same beginning, the longer one.
  static constexpr std::array<Operators, 6> kLevels{
      {{"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}}};

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(std::string_view token) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  std::uint64_t choice() {
    const std::uint64_t condition = operation(0);
    if (!take("?")) return condition;
    const std::uint64_t first = choice();
    if (!take(":")) fails_ = true;
    const std::uint64_t second = choice();
    return condition != 0 ? first : second;
  }

  std::uint64_t operation(std::size_t level) {
    if (level == kLevels.size()) return operand();
    std::uint64_t left = operation(level + 1);
    for (bool more = true; more && !fails_;) {
      more = false;
      for (const std::string_view one : kLevels[level]) {
        if (one.empty() || !take(one)) continue;
        left = computed(one, left, operation(level + 1));
        more = true;
        break;
      }
    }
    return left;
  }

  std::uint64_t computed(std::string_view what, std::uint64_t a, std::uint64_t b) {
    if (what == "||") return a != 0 || b != 0;
    if (what == "&&") return a != 0 && b != 0;
    if (what == "==") return a == b;
    if (what == "!=") return a != b;
    if (what == "<=") return a <= b;
    if (what == ">=") return a >= b;
    if (what == "<") return a < b;
    if (what == ">") return a > b;
    if (what == "+") return a + b;
    if (what == "-") return a - b;
    if (what == "*") return a * b;
    fails_ = fails_ || b == 0;
    if (fails_) return 0;
    return what == "/" ? a / b : a % b;
  }

  std::uint64_t operand() {
    if (fails_) return 0;
    if (take("!")) return operand() == 0;
    if (take("n")) return n_;
    if (take("(")) {
      const std::uint64_t inner = choice();
      if (!take(")")) fails_ = true;
      return inner;
    }
    skip_spaces();
    std::uint64_t number = 0;
    const auto read = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (read.ec != std::errc()) fails_ = true;
    at_ = static_cast<std::size_t>(read.ptr - text_.data());
    return number;
  }

  std::string_view text_;
  std::uint64_t n_;
  std::size_t at_ = 0;
  bool fails_ = false;
};

// What stands after "name=" up to a semicolon or the end.
std::optional<std::string_view> value_of(std::string_view declaration, std::string_view name) {
  const std::size_t found = declaration.find(name);
  if (found == declaration.npos) return std::nullopt;
  std::string_view rest = declaration.substr(found + name.size());
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (!rest.starts_with('=')) return std::nullopt;
  rest.remove_prefix(1);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  return rest.substr(0, rest.find(';'));
}

}  // namespace

std::optional<PluralForms> PluralForms::read(std::string_view declaration) {
  const auto count = value_of(declaration, "nplurals");
  const std::size_t end = std::min(declaration.find(';'), declaration.size());
  const auto expression = value_of(declaration.substr(end), "plural");
  if (!count || !expression || expression->size() > kLongestExpression) return std::nullopt;
  PluralForms forms;
  std::from_chars(count->data(), count->data() + count->size(), forms.count_);
  if (forms.count_ == 0 || forms.count_ > kMostForms) return std::nullopt;
  const auto one = PluralExpression(*expression, 1).value();
  if (!one || *one >= forms.count_) return std::nullopt;
  forms.of_one_ = static_cast<std::size_t>(*one);
  forms.one_is_alone_ = true;
  constexpr std::uint64_t kMostNumbers = 1000;  // msgfmt looks at as many
  for (std::uint64_t n = 0; n <= kMostNumbers && forms.one_is_alone_; ++n)
    forms.one_is_alone_ = n == 1 || PluralExpression(*expression, n).value() != one;
  return forms;
}

std::string_view plural_forms_of(std::string_view language) {
  std::string whole(language);
  for (char& c : whole) c = c == '-' ? '_' : ascii_lower(c);
  for (const std::string& name : {whole, whole.substr(0, whole.find('_'))})
    for (const KnownForms& known : kKnownForms)
      if (!name.empty() && known.languages.find(" " + name + " ") != std::string_view::npos)
        return known.declaration;
  return {};
}

}  // namespace attend
