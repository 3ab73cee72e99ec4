#include "attend/cli/commands/train/run_variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "attend/core/options/nearest_name.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/model_file/registry.h"

namespace attend {

namespace {

void copy_values(std::span<const OptionField> from, std::span<const OptionField> to) {
  for (std::size_t i = 0; i < from.size(); ++i)
    if (const std::vector<std::string> values = option_values(from[i]);
        values != option_values(to[i]))
      set_option(to[i], values, to[i].name);
}

}  // namespace

std::vector<OptionField> run_fields(SessionOptions& session, Trainable& task) {
  std::vector<OptionField> fields = option_fields(session.run);
  for (const OptionGroup& group : task.option_groups())
    fields.insert(fields.end(), group.fields.begin(), group.fields.end());
  return fields;
}

OptionValue option_value_of(const std::string& text, std::span<const OptionField> fields,
                            std::string_view flag,
                            std::initializer_list<std::string_view> settled) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw ConfigError(fmt::format("{}: expected name=value, got {}", flag, quote(text)));
  const std::string name = kebab_case(text.substr(0, equals));
  if (find_option(fields, name) == nullptr)
    throw ConfigError(fmt::format("{}: unknown option {}{}", flag, quote(name),
                                  did_you_mean(name, option_names(fields))));
  if (std::find(settled.begin(), settled.end(), name) != settled.end())
    throw ConfigError(fmt::format("{}: {} cannot be set here", flag, name));
  return {name, text.substr(equals + 1)};
}

RunVariant variant_of(Trainable& task, const SessionOptions& session, const IsSet& is_set,
                      const std::vector<OptionValue>& values, const std::filesystem::path& folder) {
  RunVariant variant{trainable_task(task.name()), session, {}};
  SessionOptions original = session;
  const std::vector<OptionField> fields = run_fields(variant.session, *variant.task);
  copy_values(run_fields(original, task), fields);
  std::set<std::string> names;
  for (const auto& [name, value] : values) {
    set_option(*find_option(fields, name), std::vector{value}, name);
    names.insert(name);
  }
  variant.session.run.out = folder.string();
  variant.session.resume = !RunFolder(folder).checkpoints().empty();
  variant.is_set = [names = std::move(names), is_set](const std::string& name) {
    return names.contains(name) || is_set(name);
  };
  return variant;
}

}  // namespace attend
