// The options that Python's functions take as keywords, described: tools/python_options.py writes
// their types and docstrings from it.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <tuple>

#include "attend/error.h"
#include "attend/metrics/report.h"
#include "attend/python/models/translator.h"
#include "attend/python/module.h"
#include "attend/tasks/explanation/explanation.h"
#include "attend/tasks/language/engine.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/training/folder_run.h"

namespace nb = nanobind;

namespace attend {

namespace {

// Name, type, choices, default values and help.
using OptionState = std::tuple<std::string, std::string, std::vector<std::string>,
                               std::vector<std::string>, std::string>;

std::string type_of(const OptionField& field) {
  if (field.is_flag()) return "bool";
  if (field.is_list()) return "list";
  if (field.is_text()) return "str";
  if (!field.is_number()) return "choice";
  const bool whole =
      !std::holds_alternative<float*>(field.value) && !std::holds_alternative<double*>(field.value);
  return whole ? "int" : "float";
}

void describe(std::vector<OptionState>& states, std::span<const OptionField> fields) {
  for (const OptionField& field : fields) {
    std::vector<std::string> choices;
    if (const auto* names = std::get_if<EnumReference>(&field.value))
      choices.assign(names->names.begin(), names->names.end());
    states.emplace_back(snake_case(field.name), type_of(field), std::move(choices),
                        option_values(field), field.help);
  }
}

template <class Options>
std::vector<OptionState> options_of() {
  Options options;
  std::vector<OptionState> states;
  describe(states, option_fields(options));
  return states;
}

std::vector<OptionState> training_options_of(const std::string& task) {
  for (const std::unique_ptr<Trainable>& one : trainable_tasks()) {
    if (one->name() != task) continue;
    std::vector<OptionState> states = options_of<RunOptions>();
    for (const OptionGroup& group : one->option_groups()) describe(states, group.fields);
    return states;
  }
  throw ConfigError(fmt::format("training_options: there is no task {}", task));
}

}  // namespace

void add_options(nb::module_& module) {
  module.def("translation_options", options_of<NamedTranslation>);
  module.def("preparation_options", options_of<TextPreparation>);
  module.def("pair_options", options_of<PairKeywords>);
  module.def("generation_options", options_of<GenerationOptions>);
  module.def("explanation_options", options_of<ExplanationOptions>);
  module.def("bleu_options", options_of<BleuOptions>);
  module.def("chrf_options", options_of<ChrfOptions>);
  module.def("ter_options", options_of<TerOptions>);
  module.def("report_options", options_of<EvaluationOptions>);
  module.def("training_options", training_options_of, nb::arg("task"));
}

}  // namespace attend
