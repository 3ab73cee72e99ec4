#include "attend/interchange/nested_classes.h"

#include <fmt/format.h>

#include "attend/core/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

// One pass over an expression.
class ClassFlattener {
 public:
  explicit ClassFlattener(std::string_view expression) : expression_(expression) {}

  std::string run() {
    while (at_ < expression_.size()) {
      if (!take_escaped()) take_character();
    }
    return std::move(result_);
  }

 private:
  bool is_next(std::string_view text) const { return expression_.substr(at_).starts_with(text); }

  void copy(std::size_t length) {
    result_ += expression_.substr(at_, length);
    at_ += length;
  }

  bool take_escaped() {
    if (!is_next("\\")) return false;
    copy(2);
    return true;
  }

  void take_character() {
    if (is_next("[")) {
      open();
    } else if (is_next("]") && depth_ > 0) {
      close();
    } else if (depth_ > 0 && is_next("&&")) {
      refuse("an intersection of classes");
    } else {
      copy(1);
    }
  }

  void open() {
    const std::string_view rest = expression_.substr(at_);
    if (depth_ > 0 && rest.starts_with("[:")) {  // a class by name
      const std::size_t end = rest.find(":]");
      if (end == rest.npos) refuse("a class without an end");
      copy(end + 2);
      return;
    }
    ++depth_;
    if (depth_ == 1) {
      copy(is_next("[^") ? 2 : 1);
    } else {
      if (is_next("[^")) refuse("a negated class within another");
      require_no_range();
      ++at_;
      if (is_next("-")) refuse("a range between classes");
    }
    if (is_next("]")) {  // first in a class, the character
      result_ += '\\';
      copy(1);
    }
  }

  void close() {
    --depth_;
    if (depth_ == 0) {
      copy(1);
      return;
    }
    require_no_range();
    ++at_;
    if (is_next("-")) refuse("a range between classes");
  }

  // A '-' here would make a range of what was not one.
  void require_no_range() const {
    if (result_.ends_with('-') && !result_.ends_with("\\-")) refuse("a range between classes");
  }

  [[noreturn]] void refuse(const char* what) const {
    throw DataError(
        fmt::format("its pattern {} has {}, which is not supported", quote(expression_), what));
  }

  std::string_view expression_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string result_;
};

}  // namespace

std::string without_nested_classes(std::string_view expression) {
  return ClassFlattener(expression).run();
}

}  // namespace attend
