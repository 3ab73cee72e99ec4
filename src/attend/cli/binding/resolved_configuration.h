// The configuration of a run with every default spelt out, as TOML.
#pragma once

#include <string>
#include <vector>

#include "attend/cli/commands/training_session.h"
#include "attend/core/option_fields.h"

namespace attend {

// What belongs into a configuration that others will start from: not that this start resumes, or is a trial.
inline std::vector<OptionField> lasting_fields(SessionOptions& session) {
  std::vector<OptionField> fields = option_fields(session);
  std::erase_if(fields, [](const OptionField& field) { return field.name == "resume" || field.name == "dry-run"; });
  return fields;
}

inline std::string resolved_configuration(SessionOptions& session, const std::vector<OptionGroup>& task) {
  std::string text = to_toml(lasting_fields(session), "run");
  for (const OptionGroup& group : task) text += "\n" + to_toml(group.fields, group.name);
  return text;
}

}  // namespace attend
