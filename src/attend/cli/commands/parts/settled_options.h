// The options of a training, of which a command settles some.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options/option_fields.h"
#include "attend/tasks/training/trainable.h"

namespace attend {

class SettledOptions {
 public:
  // `task` must outlive it.
  SettledOptions(Trainable& task, IsSet is_set);

  std::vector<std::string> names() const { return option_names(fields_); }
  bool has(std::string_view name) const { return find_option(fields_, name) != nullptr; }
  std::vector<std::string> list(std::string_view name) const;
  std::string text(std::string_view name) const { return list(name).front(); }
  // The files of an option, which are relative to that of --data, as absolute paths.
  std::vector<std::string> files(std::string_view name) const { return found(list(name)); }
  // The same for files of other options.
  std::vector<std::string> found(const std::vector<std::string>& names) const;

  // Returns those of a part of the training, such as the columns of its tables.
  template <class Options>
  Options part() const {
    Options options;
    for (const OptionField& field : option_fields(options))
      set_option(field, list(field.name), field.name);
    return options;
  }

  // From now on the training has this value, as if the user had set it.
  void settle(const std::string& name, const std::vector<std::string>& values);
  // The training takes another vocabulary than the one that was asked for.
  void leave_vocabulary_open() { vocabulary_is_open_ = true; }
  const IsSet& is_set() const { return is_set_; }

 private:
  std::vector<OptionField> fields_;
  std::set<std::string> vocabulary_;  // names of its options
  std::set<std::string> settled_;
  bool vocabulary_is_open_ = false;
  IsSet is_set_;
};

}  // namespace attend
