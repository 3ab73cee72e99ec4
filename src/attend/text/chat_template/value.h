// The values that templates compute with. They are Python's: a template sees what it would see in
// Jinja. Private to text/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attend::chat_template {

class Run;
struct Loop;
struct Macro;
struct Space;

enum class Kind {
  missing,    // of a variable: without a value
  undefined,  // with a reason, for messages
  none,
  boolean,
  integer,
  real,
  text,
  list,
  tuple,
  dict,
  range,
  view,      // keys(), values() or items() of a dict
  iterator,  // gives each of its values once
  method,    // of a value, not called
  function,  // of the language, not called
  space,     // namespace()
  macro,
  loop,
};

class Value;
using Values = std::vector<Value>;
using Items = std::vector<std::pair<Value, Value>>;

// Values within values, at most.
inline constexpr int kDeepestValue = 80;

struct Text {
  std::string bytes;       // UTF-8
  bool is_markup = false;  // made by "safe" or "escape": joined with others, it escapes them
};
struct List {
  Values items;
  int depth = 1;
};
struct Dict {
  Items items;  // in the order of their names' first use
  int depth = 1;
};
struct Range {
  std::int64_t first = 0, stop = 0, step = 1, size = 0;
};
struct View;
struct Method;
struct Iterator {
  std::function<bool(Run& run, Value& next)> next;  // false: there are no more
  int depth = 1;
};

// Copies share what they hold, which never changes. Namespaces, macros and loops live as long as
// the run that made them.
class Value {
 public:
  Value() = default;
  static Value of_kind(Kind kind) { return Value(kind); }
  static Value none() { return Value(Kind::none); }
  static Value undefined(std::string reason);
  static Value boolean(bool value);
  static Value integer(std::int64_t value);
  static Value real(double value);
  static Value text(std::string bytes, bool is_markup = false);
  // Throw DataError for more than kDeepestValue levels.
  static Value list(Values items);
  static Value tuple(Values items);
  static Value dict(Items items);
  static Value range(Range range);
  static Value view(View view);
  static Value method(Method method);
  static Value function(std::string_view name);
  static Value iterator(std::function<bool(Run&, Value&)> next, int depth);
  static Value space(Space* space);
  static Value macro(const Macro* macro);
  static Value loop(Loop* loop);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_missing() const { return kind_ == Kind::missing; }
  bool is_undefined() const { return kind_ == Kind::undefined; }
  bool is_none() const { return kind_ == Kind::none; }
  bool is_text() const { return kind_ == Kind::text; }
  // Truths are numbers in Python.
  bool is_whole() const { return kind_ == Kind::integer || kind_ == Kind::boolean; }
  bool is_number() const { return is_whole() || kind_ == Kind::real; }
  bool is_row() const { return kind_ == Kind::list || kind_ == Kind::tuple; }

  // Preconditions: the kind. whole() is also of truths, real() of every number.
  std::int64_t whole() const { return whole_; }
  double real() const { return kind_ == Kind::real ? real_ : static_cast<double>(whole_); }
  const std::string& bytes() const { return as<Text>().bytes; }
  bool is_markup() const { return is_text() && as<Text>().is_markup; }
  const Values& items() const { return as<List>().items; }
  const Items& members() const { return as<Dict>().items; }
  const Range& range() const { return as<Range>(); }
  const View& view() const;
  const Method& method() const;
  std::string_view function_name() const;
  const Iterator& iterator() const { return as<Iterator>(); }
  Space& space() const { return *static_cast<Space*>(pointer_); }
  const Macro& macro() const { return *static_cast<const Macro*>(pointer_); }
  Loop& loop() const { return *static_cast<Loop*>(pointer_); }
  // Why a value is not defined.
  std::string reason() const;

  // Levels of values within it, itself included.
  int depth() const;
  // Whether both are the same object, as Python's "is" sees it for all but numbers and texts.
  bool is_same_object(const Value& other) const;

 private:
  explicit Value(Kind kind) : kind_(kind) {}
  template <class Object>
  Value(Kind kind, Object object)
      : kind_(kind), object_(std::make_shared<const Object>(std::move(object))) {}
  template <class Object>
  const Object& as() const {
    return *static_cast<const Object*>(object_.get());
  }

  Kind kind_ = Kind::undefined;
  union {
    std::int64_t whole_ = 0;
    double real_;
    void* pointer_;
  };
  std::shared_ptr<const void> object_;
};

enum class ViewKind { keys, values, items };
struct View {
  Value dict;
  ViewKind kind;
};
struct Method {
  Value self;
  std::string_view name;  // of a table
};

// "a list", for messages.
std::string_view kind_name(const Value& value);

// DataError "<what> is not supported": Jinja would go on here.
[[noreturn]] void refuse(std::string_view what);
// DataError: so would Jinja refuse it.
[[noreturn]] void fail(std::string_view reason);

}  // namespace attend::chat_template
