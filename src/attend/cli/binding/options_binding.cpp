#include "attend/cli/binding/options_binding.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "attend/cli/binding/literal_values.h"
#include "attend/core/options/config_file.h"
#include "attend/core/options/nearest_name.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {
namespace {

constexpr std::string_view kConfigFlag = "--config";

// Shows one spelling of each flag: --d-model, --[no-]norm-first.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    if (is_positional || option->get_lnames().empty())
      return CLI::Formatter::make_option_name(option, is_positional);
    const auto& names = option->get_lnames();
    std::string out;
    for (const std::string& name : option->get_snames()) out += "-" + name + ",";
    const bool negatable =
        std::find(names.begin(), names.end(), "no-" + names.front()) != names.end();
    return out + (negatable ? "--[no-]" : "--") + names.front();
  }
};

std::string type_name(const OptionField& field) {
  if (const auto* reference = std::get_if<EnumReference>(&field.value)) {
    return fmt::format("{{{}}}", fmt::join(reference->names.begin(), reference->names.end(), ","));
  }
  if (field.is_text()) return "TEXT";
  const bool real =
      std::holds_alternative<float*>(field.value) || std::holds_alternative<double*>(field.value);
  return real ? "NUMBER" : "INTEGER";
}

// "--d-model,--d_model", and for a bool "--tied,!--no-tied".
std::string flag_names(const OptionField& field) {
  const bool two = field.name.find('-') != std::string::npos;
  std::string names = "--" + field.name;
  if (two) names += ",--" + snake_case(field.name);
  if (field.is_flag()) names += ",!--no-" + field.name;
  if (field.is_flag() && two) names += ",!--no_" + snake_case(field.name);
  return names;
}

// "(from 0 to 1024)" after the help of a number, where that says something to a person.
std::string help_of(const OptionField& field) {
  if (field.is_flag() && option_values(field).front() == "true")
    return field.help + " (on by default)";
  constexpr double kTold = 1e5;  // larger upper bounds are technical limits and not shown
  return field.is_number() && field.range.most < kTold
             ? fmt::format("{} ({})", field.help, range_text(field.range))
             : field.help;
}

CLI::Option* register_flag(CLI::App& app, const OptionField& field, const CLI::callback_t& set) {
  const std::string help = help_of(field);
  if (field.is_flag()) {
    // Only add_flag supports "!--no-...", and its callback does not see the text of --name=text; a
    // validator does.
    CLI::Option* flag = app.add_flag(flag_names(field), help)
                            ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
                            ->each([set](const std::string& value) { set({value}); });
    read_literally(*flag);
    return flag;
  }
  CLI::Option* option = app.add_option(flag_names(field), set, help);
  read_literally(*option);
  option->type_name(type_name(field))
      ->default_str(fmt::format("{}", fmt::join(option_values(field), " ")));
  if (field.is_list())
    return option->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
  return option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

// The command in use: the app, or the innermost command on the line.
const CLI::App& innermost(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : innermost(*commands.front());
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : full_name(*app.get_parent()) + " " + app.get_name();
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (name.find('_') == std::string::npos) names.push_back(name);
    }
  }
  return names;
}

// The hint, or where to look instead.
std::string hint_or_help(const std::string& hint, const CLI::App& command, std::string_view what) {
  return hint.empty() ? fmt::format("; {} --help {}", full_name(command), what) : hint;
}

[[noreturn]] void report_unexpected(const CLI::App& app) {
  const auto rest = app.remaining(/*recurse=*/true);
  const std::string argument = rest.empty() ? std::string() : written_argument(rest.front());
  const CLI::App& command = innermost(app);
  if (argument.starts_with("--")) {
    const std::string name = argument.substr(2, argument.find('=') - 2);
    const std::string hint = did_you_mean(name, flags_of(command), "--");
    throw ConfigError(fmt::format("unknown option --{}{}", printable(name, 60),
                                  hint_or_help(hint, command, "lists the options")));
  }
  std::vector<std::string> commands;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(sub->get_name());
  const bool names_a_command =
      !commands.empty() &&
      command.get_options([](const CLI::Option* option) { return option->get_positional(); })
          .empty();
  throw ConfigError(
      fmt::format("{} {}{}", names_a_command ? "unknown command" : "unexpected argument",
                  printable(argument, 60),
                  hint_or_help(did_you_mean(argument, commands), command,
                               names_a_command ? "lists the commands" : "shows the usage")));
}

}  // namespace

OptionBinding::OptionBinding(CLI::App& app, bool with_config_file)
    : app_(app), state_(std::make_shared<State>()) {
  app.formatter(std::make_shared<HelpFormatter>());
  if (!with_config_file) return;
  // Callbacks run in order of registration: the file first, then the flags, which therefore win.
  const auto read = [state = state_](const std::string& path) {
    for (const std::string& name : apply_config_file(path, state->fields)) state->set.insert(name);
    state->config_file = true;
  };
  app.add_option_function<std::string>(std::string(kConfigFlag), read,
                                       "TOML file with values for any of the options below; "
                                       "options on the command line override the file")
      ->type_name("FILE");
}

void OptionBinding::add_fields(const std::vector<OptionField>& fields, const std::string& group) {
  for (const OptionField& field : fields) {
    const auto set = [state = state_, field](const CLI::results_t& values) {
      set_option(field, values, "--" + field.name);
      state->set.insert(field.name);
      return true;
    };
    register_flag(app_, field, set)
        ->group(field.experimental ? "experimental (may change or be removed)" : group);
    state_->fields.push_back(field);
  }
}

void OptionBinding::add_defaults_from(const std::filesystem::path& path) {
  // Applies everything, then restores what was set before.
  std::vector<std::pair<const OptionField*, std::vector<std::string>>> kept;
  for (const OptionField& field : state_->fields) {
    if (is_set(field.name)) kept.emplace_back(&field, option_values(field));
  }
  for (const std::string& name : apply_config_file(path, state_->fields)) state_->set.insert(name);
  for (const auto& [field, values] : kept) set_option(*field, values, field->name);
}

void OptionBinding::use_defaults(const std::vector<OptionField>& own,
                                 const std::vector<OptionField>& options) const {
  for (std::size_t i = 0; i < options.size(); ++i)
    if (!is_set(options[i].name)) set_option(options[i], option_values(own[i]), options[i].name);
}

bool OptionBinding::is_set(const std::string& name) const { return state_->set.contains(name); }

void OptionBinding::refuse_without(std::string_view needed,
                                   std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    if (is_set(std::string(name)))
      throw ConfigError(
          fmt::format("--{0}: works only with {1}; add {1} or leave out --{0}", name, needed));
  }
}

void OptionBinding::refuse_beside(std::string_view other,
                                  std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    if (is_set(std::string(name)))
      throw ConfigError(
          fmt::format("--{0}: has no effect with {1}; leave out one of them", name, other));
  }
}

const std::vector<OptionField>& OptionBinding::fields() const { return state_->fields; }

void parse_command_line(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(literal_arguments(argc, argv));
  } catch (const CLI::ExtrasError&) {
    report_unexpected(app);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) throw;
    // "A subcommand is required" does not help with a misspelled one.
    const bool required = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError);
    if (required && !app.remaining(/*recurse=*/true).empty()) report_unexpected(app);
    throw ConfigError(fmt::format("{}; {} --help shows the usage", printable(error.what()),
                                  full_name(innermost(app))));
  }
}

}  // namespace attend
