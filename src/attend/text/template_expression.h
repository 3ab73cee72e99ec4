// Expressions of templates, read once and evaluated any number of times. Private to text/.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/text/template_tokens.h"
#include "attend/text/template_values.h"

namespace attend::detail {

class TemplateRun;

// What can be evaluated. Copies share it.
class TemplateExpression {
 public:
  TemplateExpression() = default;
  template <std::invocable<TemplateRun&> Function>
  requires(!std::same_as<Function, TemplateExpression>) TemplateExpression(Function function)
      : function_(std::make_shared<const std::function<TemplateValue(TemplateRun&)>>(
            std::move(function))) {}

  TemplateValue operator()(TemplateRun& run) const { return (*function_)(run); }
  explicit operator bool() const { return function_ != nullptr; }

 private:
  std::shared_ptr<const std::function<TemplateValue(TemplateRun&)>> function_;
};

// A macro: called with values by position and by name, it returns text.
using TemplateMacro =
    std::function<TemplateValue(TemplateRun& run, const TemplateValues& values,
                                const std::map<std::string, TemplateValue, std::less<>>& named)>;

// What a template knows while it is rendered, and what it has written.
class TemplateRun {
 public:
  explicit TemplateRun(TemplateValue globals);

  // Innermost first; undefined if there is none.
  const TemplateValue& find(const std::string& name);
  void set(const std::string& name, TemplateValue value);
  // The member of a namespace, which lives where it was made.
  void set_member(const std::string& name, const std::string& member, TemplateValue value);
  void enter_scope() { scopes_.push_back(TemplateValue::object()); }
  void leave_scope() { scopes_.pop_back(); }

  void write(std::string_view text);
  // What is written until end_capture() is returned by it.
  void begin_capture() { outputs_.emplace_back(); }
  std::string end_capture();

  // Called for every piece that is evaluated, and for what is copied and searched: bytes of text,
  // members. They throw DataError for a template without end.
  void count_step();
  void count_work(std::size_t amount);
  // A new value. Throws DataError for one that is too large or too deep, too.
  void count_value(const TemplateValue& value) { count_work(weight_of(value)); }

  std::map<std::string, TemplateMacro, std::less<>> macros;

 private:
  std::vector<TemplateValue> scopes_;
  std::vector<std::string> outputs_;
  std::size_t held_ = 0;  // bytes of all outputs
  std::size_t work_ = 0;
};

// Reads tokens one after another.
class TemplateReader {
 public:
  explicit TemplateReader(std::vector<TemplateToken> tokens) : tokens_(std::move(tokens)) {}

  const TemplateToken& peek(std::size_t ahead = 0) const;
  TemplateToken next();
  bool is(std::string_view text, std::size_t ahead = 0) const;
  // Whether it was there, and is read.
  bool accept(std::string_view text);
  // Throw DataError with the line.
  void expect(std::string_view text);
  std::string expect_name();
  [[noreturn]] void refuse(std::string_view reason) const;

  // Levels of what is read within something else.
  class Level {
   public:
    explicit Level(TemplateReader& reader);
    ~Level() { --reader_.levels_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    TemplateReader& reader_;
  };

 private:
  std::vector<TemplateToken> tokens_;
  std::size_t at_ = 0;
  int levels_ = 0;
};

// These throw DataError with the line.
TemplateExpression read_expression(TemplateReader& reader);
// Without "if" after it, as in {% for x in list if x.y %}.
TemplateExpression read_choice_free(TemplateReader& reader);
// Without operators.
TemplateExpression read_operand(TemplateReader& reader);
// The arguments of filters, tests and methods: only tojson's indent is taken by its name.
std::function<TemplateValues(TemplateRun&)> read_positions(TemplateReader& reader);

TemplateExpression constant_expression(TemplateValue value);
TemplateExpression undefined_expression();

}  // namespace attend::detail
