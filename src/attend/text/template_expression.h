// Expressions of templates, read once and evaluated any number of times. Private to text/.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "attend/text/template_tokens.h"
#include "attend/text/template_values.h"

namespace attend::detail {

class TemplateRun;
using TemplateExpression = std::function<TemplateValue(TemplateRun& run)>;

// A macro: called with values by position and by name, it returns text.
using TemplateMacro =
    std::function<TemplateValue(TemplateRun& run, const TemplateValues& values,
                                const std::map<std::string, TemplateValue, std::less<>>& named)>;

// What a template knows while it is rendered, and what it has written.
class TemplateRun {
 public:
  explicit TemplateRun(TemplateValue globals);

  // Innermost first; undefined if there is none.
  TemplateValue find(const std::string& name) const;
  void set(const std::string& name, TemplateValue value);
  // The member of a namespace, which lives where it was made.
  void set_member(const std::string& name, const std::string& member, TemplateValue value);
  void enter_scope() { scopes_.push_back(TemplateValue::object()); }
  void leave_scope() { scopes_.pop_back(); }

  void write(std::string_view text);
  // What is written until end_capture() is returned by it.
  void begin_capture() { outputs_.emplace_back(); }
  std::string end_capture();

  // Called for every piece that is evaluated. Throws DataError for a template without end.
  void count_step();

  std::map<std::string, TemplateMacro, std::less<>> macros;

 private:
  std::vector<TemplateValue> scopes_;
  std::vector<std::string> outputs_;
  std::size_t steps_ = 0;
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

// Throws DataError with the line.
TemplateExpression read_expression(TemplateReader& reader);
// Without "if" behind it, as in {% for x in list if x.y %}.
TemplateExpression read_choice_free(TemplateReader& reader);

}  // namespace attend::detail
