#include "attend/tasks/classification/taught_options.h"

#include <initializer_list>
#include <utility>

#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/error.h"

namespace attend {

namespace {

// Throws ConfigError if one of these options is used beside `name`.
void require_alone(const char* name, std::initializer_list<std::pair<const char*, bool>> others) {
  for (const auto& [other, is_used] : others)
    if (is_used)
      throw OptionError<ConfigError>("{}: does not work with {}", as_key(name), as_flag(other));
}

}  // namespace

void check_taught(const ClassificationTraining& o) {
  check_options(o.replay);
  const bool has_teachers = !o.teachers.empty(), has_old = !o.replay.text.empty(),
             has_old_valid = !o.replay.valid.empty();
  // The targets of texts are distributions then, of which each counts the same.
  if (o.has_soft_labels())
    require_alone("soft-labels", {{"teachers", has_teachers},
                                  {"class-weights", !o.loss.class_weights.empty()},
                                  {"r-drop", o.loss.r_drop > 0.0f},
                                  {"replay", has_old},
                                  {"replay-valid", has_old_valid}});
  if (!o.has_margins()) return;
  require_alone("margins", {{"train", !o.data.train.empty()},
                            {"soft-labels", o.has_soft_labels()},
                            {"teachers", has_teachers},
                            {"distill-weight", o.replay.distill_weight > 0.0f},
                            {"replay", has_old},
                            {"replay-valid", has_old_valid}});
  if (o.model.problem_type != ProblemType::regression || o.data.columns.second_column.empty())
    throw OptionError<ConfigError>("{}: expected {} regression, and {}, because texts are pairs",
                                   as_key("margins"), as_flag("problem-type"),
                                   as_flag("second-column"));
}

}  // namespace attend
