// Option structs as flags of a command and keys of its configuration file.
//
//   CLI::App app("...");
//   OptionBinding binding(app);           // adds --config FILE
//   binding.add(config, "Model");         // --d-model, --n-heads, ..., under "Model" in the help
//   binding.add(options, "Training");
//   parse_command_line(app, argc, argv);
//
// After parsing, an option has the value of its flag, or else of the file, or else its default.
// Flags may be in kebab-case or snake_case; a bool is --name or --no-name; a list takes all values
// up to the next flag.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options/option_fields.h"

namespace CLI {
class App;
}

namespace attend {

class OptionBinding {
 public:
  // Adds --config by default. The app must outlive the binding, and the bound structs must outlive
  // parsing.
  explicit OptionBinding(CLI::App& app, bool with_config_file = true);

  // The current values are the defaults shown in the help.
  template <class Options>
  void add(Options& options, const std::string& group = "Options") {
    add_fields(option_fields(options), group);
  }
  void add_fields(const std::vector<OptionField>& fields, const std::string& group);

  // Whether a flag or a file has set this option (in kebab-case).
  bool is_set(const std::string& name) const;
  // Replaces what neither a flag nor a file has set by the defaults of a model. `options` are
  // bound.
  template <class Options>
  void use_defaults(Options own, Options& options) const {
    use_defaults(option_fields(own), option_fields(options));
  }
  // Whether --config was given.
  bool has_config_file() const { return state_->config_file; }
  // Options are never ignored in silence. Throws ConfigError for the first of `names` that is set:
  // one that works only with `needed`, which is missing, or one that `other`, which is given,
  // leaves without effect.
  void refuse_without(std::string_view needed, std::initializer_list<std::string_view> names) const;
  void refuse_beside(std::string_view other, std::initializer_list<std::string_view> names) const;

  // Takes options from a file unless set by a flag or --config. Throws like apply_config_file().
  void add_defaults_from(const std::filesystem::path& path);
  const std::vector<OptionField>& fields() const;

 private:
  void use_defaults(const std::vector<OptionField>& own,
                    const std::vector<OptionField>& options) const;

  struct State {
    std::vector<OptionField> fields;
    std::set<std::string> set;
    bool config_file = false;
  };
  CLI::App& app_;
  std::shared_ptr<State> state_;  // shared with the callbacks inside the app
};

// The simplest use: one struct, no file.
template <class Options>
void bind_options(CLI::App& app, Options& options, const std::string& group = "Options") {
  OptionBinding(app, /*with_config_file=*/false).add(options, group);
}

// Parses, and runs the callbacks. Throws ConfigError for an invalid command line, suggesting the
// nearest known flag or command. CLI::Success (--help, --version) propagates: pass it to
// app.exit().
void parse_command_line(CLI::App& app, int argc, const char* const* argv);

}  // namespace attend
