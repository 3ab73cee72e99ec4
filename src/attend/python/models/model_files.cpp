#include "attend/model_file.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/any_model.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/hub_cache.h"
#include "attend/interchange/import_cache.h"
#include "attend/interchange/peft.h"
#include "attend/interchange/writing/model_export.h"
#include "attend/python/keywords.h"
#include "attend/python/module.h"
#include "attend/python/released.h"
#include "attend/python/values.h"
#include "attend/tasks/model_file/adapter.h"
#include "attend/tasks/translation/pair_format.h"

namespace nb = nanobind;

namespace attend {

namespace {

using Path = std::filesystem::path;

// "translation", "classification", ...: read from the header of the file; "" if it has none.
std::string task_of(const Path& path) {
  const Released released;
  const Path file = model_file_of(path);
  const FileDescription description = describe(file);
  check_format(description.metadata, file.string());
  const auto task = description.metadata.find("attend.task");
  return task == description.metadata.end() ? "" : task->second;
}

// Where a model can be loaded from.
Path usable_path(const Path& path) {
  const Released released;
  return usable_model(path).path;
}

// The adapted model as one file.
void merge_into(const Path& base, const Path& adapter, const Path& out) {
  const Released released;
  const Checkpoint model = load_any_model(base);
  save_checkpoint(out, merge_adapter(model, load_any_adapter(adapter, model)));
}

// Returns what the user should know about the model.
std::vector<std::string> import_into(const Path& directory, const Path& out, bool dequantize,
                                     const nb::dict& keywords) {
  ImportOptions options{.dequantize = dequantize};
  set_keywords(option_fields(options.languages), keywords);
  const Released released;
  ImportedModel imported = import_model(local_path(directory), options);
  save_checkpoint(out, imported.checkpoint);
  return std::move(imported.remarks);
}

// Returns the family of the written model: "marian"; of an adapter, which needs its base, "peft".
std::string export_into(const Path& path, const Path& directory,
                        const std::optional<std::string>& base) {
  const Released released;
  const Checkpoint model = load_checkpoint(path);
  if (is_adapter(model) != base.has_value())
    throw ConfigError(base ? "base: expected an adapter to export, got a model"
                           : "base: expected the model that the adapter adapts, got none");
  if (base) {
    write_peft_adapter(model, load_any_model(*base), *base, directory);
    return "peft";
  }
  const ExportedModel exported = export_model(model);
  write_model_directory(exported, directory);
  return std::string(exported.family);
}

FileDescription describe_model(const Path& path) {
  const Released released;
  return describe(model_file_of(path));
}

std::optional<double> deviation_of(const Path& path) {
  const Released released;
  const std::optional<ModelCheck> check = check_model(path);
  if (!check) return std::nullopt;
  return check->deviation;
}

void add_descriptions(nb::module_& module) {
  nb::class_<TensorDescription> tensor(module, "TensorDescription", "A tensor in a model file.");
  tensor.def_ro("name", &TensorDescription::name)
      .def_ro("dtype", &TensorDescription::dtype)
      .def_ro("shape", &TensorDescription::shape)
      .def("__repr__", [](const TensorDescription& t) {
        return fmt::format("TensorDescription(name={}, dtype={}, shape=[{}])", quote(t.name),
                           quote(t.dtype), fmt::join(t.shape, ", "));
      });
  add_value_members(tensor, &TensorDescription::name, &TensorDescription::dtype,
                    &TensorDescription::shape, &TensorDescription::bytes);
  nb::class_<FileDescription> file(module, "FileDescription", "What a safetensors file holds.");
  file.def_ro("path", &FileDescription::path)
      .def_ro("file_bytes", &FileDescription::file_bytes)
      .def_ro("parameters", &FileDescription::parameters)
      .def_ro("tensors", &FileDescription::tensors)
      .def_ro("metadata", &FileDescription::metadata)
      .def_ro("format_problem", &FileDescription::format_problem,
              "Empty if attend can load the file; else why not.")
      .def("__repr__", [](const FileDescription& f) {
        return fmt::format("FileDescription(path={}, parameters={}, tensors={})", quote(f.path),
                           f.parameters, f.tensors.size());
      });
  add_value_members(file, &FileDescription::path, &FileDescription::file_bytes,
                    &FileDescription::tensors, &FileDescription::parameters,
                    &FileDescription::tensor_bytes, &FileDescription::metadata,
                    &FileDescription::format_problem);
}

// The name and revision of a model of the Hugging Face Hub that is not downloaded yet; None for a
// path that is something else.
std::optional<std::pair<std::string, std::string>> hub_model(const Path& path) {
  const std::optional<HubModel> model = missing_hub_model(path);
  if (!model) return std::nullopt;
  return std::pair(model->name, model->revision);
}

}  // namespace

void add_model_files(nb::module_& module) {
  add_descriptions(module);
  module.def("task_of", task_of, nb::arg("path"));
  module.def("usable_path", usable_path, nb::arg("path"));
  module.def("hub_model", hub_model, nb::arg("path"));
  module.def("hub_cache_folder", hub_cache_folder);
  module.def("describe", describe_model, nb::arg("path"));
  module.def("deviation_of", deviation_of, nb::arg("path"));
  module.def("import_model", import_into, nb::arg("directory"), nb::arg("out"),
             nb::arg("dequantize"), nb::arg("options"));
  module.def("export_model", export_into, nb::arg("model"), nb::arg("directory"),
             nb::arg("base").none());
  module.def("merge_adapter", merge_into, nb::arg("base"), nb::arg("adapter"), nb::arg("out"));
  module.def(
      "average_models",
      [](const std::vector<Path>& checkpoints, const Path& out) {
        const Released released;
        average_models(checkpoints, out);
      },
      nb::arg("checkpoints"), nb::arg("out"));
  module.def(
      "quantize_model",
      [](const Path& model, const Path& out, int bits) {
        const Released released;
        quantize_model(model, out, bits);
      },
      nb::arg("model"), nb::arg("out"), nb::arg("bits"));
  module.def(
      "optimize_model",
      [](const Path& model, const Path& out) {
        const Released released;
        optimize_model(model, out);
      },
      nb::arg("model"), nb::arg("out"));
}

}  // namespace attend
