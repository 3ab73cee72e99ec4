// The options of another program in the words of attend: a recipe, and what became of every option.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/interchange/migration/foreign_option.h"
#include "attend/interchange/migration/recipe.h"

namespace attend {

// What becomes of an option. same: attend does so without an option.
enum class Fate { translated, same, without_equal, unknown };

struct OptionFate {
  Fate fate = Fate::unknown;
  std::string said = {};  // why, or what to do instead
};

// Every option gets exactly one fate. Functions that take a name of another program do nothing for
// an option that is not there.
class Migration {
 public:
  // `where` names the file in messages.
  Migration(Recipe recipe, std::vector<ForeignOption> options, OptionStyle style,
            std::string where);

  const Recipe& recipe() const { return recipe_; }
  const std::vector<ForeignOption>& options() const { return options_; }
  OptionStyle style() const { return style_; }

  // Theirs, by name: nullptr, or `otherwise`, if absent. Values that are not as asked for are a
  // ConfigError that names the option.
  const ForeignOption* find(std::string_view name) const;
  // The only value; empty if it has none.
  std::string text(std::string_view name, std::string_view otherwise = "") const;
  std::int64_t whole(std::string_view name, std::int64_t otherwise) const;
  double number(std::string_view name, double otherwise) const;
  std::vector<double> numbers(std::string_view name) const;
  // Whether a flag is set: there, and not false.
  bool is_on(std::string_view name) const;
  [[noreturn]] void refuse(const ForeignOption& option, std::string_view expected) const;

  // The fates. `remark` ends the comment of the line.
  void translate(const std::vector<std::string_view>& theirs, std::string_view ours,
                 const std::vector<std::string>& values, std::string_view remark = "");
  // An option that sets others, which are translated.
  void expand(std::string_view theirs);
  void same(std::string_view theirs, std::string_view why);
  void without_equal(std::string_view theirs, std::string_view why);
  void unknown(std::string_view theirs, std::string_view hint);
  bool is_decided(std::string_view name) const { return fates_.contains(name); }
  const OptionFate& fate(std::string_view name) const { return fates_.find(name)->second; }

  // A line of the recipe that no option asks for.
  void add(std::string_view ours, const std::string& value, std::string_view comment);

 private:
  void decide(std::string_view theirs, Fate fate, std::string_view said);

  Recipe recipe_;
  std::vector<ForeignOption> options_;
  OptionStyle style_;
  std::string where_;
  std::map<std::string, OptionFate, std::less<>> fates_;
};

// The recipe, and below it as comments: what is the same here, what has no equal, and what is
// unknown. `program`: the name of the other program.
std::string migration_text(const Migration& migration, std::string_view program,
                           std::string_view file);

}  // namespace attend
