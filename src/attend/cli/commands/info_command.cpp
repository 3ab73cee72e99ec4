#include <fmt/format.h>

#include <array>
#include <memory>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/core/json.h"
#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/model_file.h"
#include "attend/train/readable.h"

namespace attend {
namespace {

enum class InfoFormat { text, json };
std::span<const std::string_view> enum_names(InfoFormat) {
  static constexpr std::array<std::string_view, 2> kNames{"text", "json"};
  return kNames;
}

struct InfoArguments {
  std::string model;
  bool tensors = true;
  InfoFormat format = InfoFormat::text;
};

template <class Visitor>
void fields(InfoArguments& a, Visitor&& visit) {
  visit("tensors", a.tensors, "list the tensors");
  visit("format", a.format, "text for people, json for programs");
}

void print_text(const FileDescription& file, bool tensors) {
  answer("{}\n", shown_path(file.path));
  if (!file.format_problem.empty()) answer("cannot be used: {}\n", printable(file.format_problem));
  answer("{} parameters, {} tensors, {} bytes\n",
         readable_count(static_cast<std::int64_t>(file.parameters)), file.tensors.size(),
         readable_count(static_cast<std::int64_t>(file.file_bytes)));
  for (const auto& [key, value] : file.metadata) {
    if (key == "attend.golden") continue;
    const auto json = try_parse_json(value);
    if (!json || !json->is_object()) {
      answer("{} = {}\n", printable(key), printable(value));
      continue;
    }
    answer("{}\n", printable(key));
    for (const auto& [name, option] : json->items())
      answer("  {} = {}\n", printable(name), printable(json_text(option)));
  }
  if (!tensors) return;
  answer("\n");
  for (const TensorDescription& tensor : file.tensors) {
    answer("{:<60} {:>4} [{}]\n", printable(tensor.name), printable(tensor.dtype),
           fmt::join(tensor.shape, ", "));
  }
}

void print_json(const FileDescription& file, bool tensors) {
  nlohmann::ordered_json json{{"path", file.path},
                              {"bytes", file.file_bytes},
                              {"parameters", file.parameters},
                              {"problem", file.format_problem},
                              {"metadata", file.metadata}};
  if (tensors) {
    json["tensors"] = nlohmann::ordered_json::array();
    for (const TensorDescription& t : file.tensors)
      json["tensors"].push_back({{"name", t.name}, {"dtype", t.dtype}, {"shape", t.shape}});
  }
  // File content is untrusted: non-ASCII is escaped.
  answer("{}\n", json.dump(1, ' ', /*ensure_ascii=*/true,
                           nlohmann::ordered_json::error_handler_t::replace));
}

// Checks the golden samples. Throws DataError if the model no longer computes the same.
void print_golden(const std::string& path) {
  const std::optional<ModelCheck> check = check_model(path);
  if (!check) return;
  answer("{} golden {}: {} (largest relative difference of a score {:.1e})\n", check->samples,
         check->kind,
         check->holds() ? "as they were when the model was saved"
                        : "DIFFERENT from when the model was saved",
         check->deviation);
  if (!check->holds())
    throw DataError(fmt::format("{}: its results differ from those where it was saved", path));
}

void run_info(const InfoArguments& arguments) {
  const FileDescription file = describe(arguments.model);
  (arguments.format == InfoFormat::json ? print_json : print_text)(file, arguments.tensors);
  if (!file.format_problem.empty()) throw DataError(file.format_problem);
  if (arguments.format == InfoFormat::text) print_golden(arguments.model);
}

}  // namespace

void add_info_command(CLI::App& app) {
  CLI::App& command = add_command(app, "info", "Describe a model file");
  const auto arguments = std::make_shared<InfoArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", "model file, or the folder of a run"});
  OptionBinding(command).add(*arguments);
  on_command(command, [arguments] { run_info(*arguments); });
}

}  // namespace attend
