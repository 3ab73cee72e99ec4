// Options of a command of attend, as a file for its option config: those that are set, each with a
// comment.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options/option_fields.h"

namespace attend {

class Recipe {
 public:
  // `Options` has groups().
  template <class Options>
  static Recipe of(std::string command) {
    auto options = std::make_shared<Options>();
    std::vector<OptionGroup> groups = option_groups(*options);
    return Recipe(std::move(command), std::move(options), std::move(groups));
  }

  // The words that call the command: "train translation".
  const std::string& command() const { return command_; }
  bool sets(std::string_view name) const { return comments_.contains(std::string(name)); }
  // As it is typed; a list as its elements, separated by spaces. `name` is set.
  std::string value(std::string_view name) const;

  // Throws ConfigError "<where>: expected ..." for a value that the option does not take.
  void set(std::string_view name, std::span<const std::string> values, std::string_view where,
           std::string comment);

  // The lines of the file, in the order of the command's help.
  std::string toml() const;

 private:
  Recipe(std::string command, std::shared_ptr<void> owner, std::vector<OptionGroup> groups)
      : command_(std::move(command)), owner_(std::move(owner)), groups_(std::move(groups)) {}

  const OptionField& field(std::string_view name) const;

  std::string command_;
  std::shared_ptr<void> owner_;  // what the groups refer to
  std::vector<OptionGroup> groups_;
  std::map<std::string, std::string> comments_;  // by option
};

}  // namespace attend
