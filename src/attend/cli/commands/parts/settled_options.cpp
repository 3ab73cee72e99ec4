#include "attend/cli/commands/parts/settled_options.h"

#include <filesystem>
#include <utility>

#include "attend/tasks/training/training_task.h"

namespace attend {

SettledOptions::SettledOptions(Trainable& task, IsSet is_set)
    : is_set_([this, is_set = std::move(is_set)](const std::string& name) {
        const bool is_open = vocabulary_is_open_ && vocabulary_.contains(name);
        return settled_.contains(name) || (is_set(name) && !is_open);
      }) {
  for (const OptionGroup& group : task.option_groups()) {
    fields_.insert(fields_.end(), group.fields.begin(), group.fields.end());
    if (group.name == "vocabulary")
      for (const OptionField& field : group.fields) vocabulary_.insert(field.name);
  }
}

std::vector<std::string> SettledOptions::list(std::string_view name) const {
  return option_values(*find_option(fields_, name));
}

std::vector<std::string> SettledOptions::found(const std::vector<std::string>& names) const {
  std::vector<std::string> files = in_folder(text("data"), names);
  for (std::string& file : files) file = std::filesystem::absolute(file).string();
  return files;
}

void SettledOptions::settle(const std::string& name, const std::vector<std::string>& values) {
  set_option(*find_option(fields_, name), values, name);
  settled_.insert(name);
}

}  // namespace attend
