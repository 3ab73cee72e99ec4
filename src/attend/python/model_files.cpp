#include "attend/model_file.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "attend/checkpoint/checkpoint.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/model_export.h"
#include "attend/python/keywords.h"
#include "attend/python/module.h"
#include "attend/tasks/translation/pair_format.h"

namespace nb = nanobind;

namespace attend {

namespace {

using Path = std::filesystem::path;

// "translation", "classification", ...: read from the header of the file; "" if it has none.
std::string task_of(const Path& path) {
  const nb::gil_scoped_release released;
  const Path file = model_file_of(path);
  const FileDescription description = describe(file);
  check_format(description.metadata, file.string());
  const auto task = description.metadata.find("attend.task");
  return task == description.metadata.end() ? "" : task->second;
}

// Whether it is a directory for import_into(): with a config.json of Hugging Face, or with a
// decoder.yml of Marian.
bool is_foreign_model(const Path& path) {
  if (!std::filesystem::is_directory(path)) return false;
  const std::vector<std::string> names = ModelDirectory(path).names();
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name == "config.json" || name.ends_with("decoder.yml");
  });
}

// Returns what the user should know about the model.
std::vector<std::string> import_into(const Path& directory, const Path& out,
                                     const nb::dict& keywords) {
  ImportOptions options;
  set_keywords(option_fields(options.languages), keywords);
  const nb::gil_scoped_release released;
  ImportedModel imported = import_model(ModelDirectory(directory), options);
  save_checkpoint(out, imported.checkpoint);
  return std::move(imported.remarks);
}

// Returns the family of the written model: "marian".
std::string export_into(const Path& model, const Path& directory) {
  const nb::gil_scoped_release released;
  const ExportedModel exported = export_model(load_checkpoint(model));
  write_model_directory(exported, directory);
  return std::string(exported.family);
}

FileDescription describe_model(const Path& path) {
  const nb::gil_scoped_release released;
  return describe(model_file_of(path));
}

std::optional<double> deviation_of(const Path& path) {
  const nb::gil_scoped_release released;
  const std::optional<ModelCheck> check = check_model(path);
  if (!check) return std::nullopt;
  return check->deviation;
}

void add_descriptions(nb::module_& module) {
  nb::class_<TensorDescription>(module, "TensorDescription", "A tensor in a model file.")
      .def_ro("name", &TensorDescription::name)
      .def_ro("dtype", &TensorDescription::dtype)
      .def_ro("shape", &TensorDescription::shape);
  nb::class_<FileDescription>(module, "FileDescription", "What a safetensors file holds.")
      .def_ro("path", &FileDescription::path)
      .def_ro("file_bytes", &FileDescription::file_bytes)
      .def_ro("parameters", &FileDescription::parameters)
      .def_ro("tensors", &FileDescription::tensors)
      .def_ro("metadata", &FileDescription::metadata)
      .def_ro("format_problem", &FileDescription::format_problem,
              "Empty if attend can load the file; else why not.");
}

}  // namespace

void add_model_files(nb::module_& module) {
  add_descriptions(module);
  module.def("task_of", task_of, nb::arg("path"));
  module.def("is_foreign_model", is_foreign_model, nb::arg("path"));
  module.def("describe", describe_model, nb::arg("path"));
  module.def("deviation_of", deviation_of, nb::arg("path"));
  module.def("import_model", import_into, nb::arg("directory"), nb::arg("out"), nb::arg("options"));
  module.def("export_model", export_into, nb::arg("model"), nb::arg("directory"));
  module.def(
      "average_models",
      [](const std::vector<Path>& checkpoints, const Path& out) {
        const nb::gil_scoped_release released;
        average_models(checkpoints, out);
      },
      nb::arg("checkpoints"), nb::arg("out"));
  module.def(
      "quantize_model",
      [](const Path& model, const Path& out) {
        const nb::gil_scoped_release released;
        quantize_model(model, out);
      },
      nb::arg("model"), nb::arg("out"));
}

}  // namespace attend
