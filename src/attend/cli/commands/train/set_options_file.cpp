#include "attend/cli/commands/train/set_options_file.h"

#include <vector>

#include "attend/checkpoint/run_folder.h"
#include "attend/core/files/atomic_file.h"

namespace attend {

void SetOptionsFile::read(OptionBinding& binding) const {
  if (!binding.has_config_file() && exists()) binding.add_defaults_from(path_);
}

void SetOptionsFile::write(const OptionBinding& binding) const {
  std::vector<OptionField> set;
  for (const OptionField& field : binding.fields()) {
    const bool is_of_call = field.name == "out" || field.name == "resume";
    const bool is_set =
        binding.is_set(field.name) || (field.name == "teachers" && !option_values(field).empty());
    if (is_set && !is_of_call) set.push_back(field);
  }
  std::filesystem::create_directories(path_.parent_path());
  write_file_atomically(path_, to_toml(set));
}

}  // namespace attend
