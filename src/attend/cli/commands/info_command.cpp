#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>

#include "attend/checkpoint/checkpoint.h"
#include "attend/cli/binding/command.h"
#include "attend/cli/binding/model_path.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/cli/progress_line.h"
#include "attend/core/files/lines.h"
#include "attend/core/json/json.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/interchange/any_model.h"
#include "attend/interchange/hub_cache.h"
#include "attend/interchange/peft.h"
#include "attend/model_file.h"
#include "attend/tasks/language/chat.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/model_file/model_settings.h"
#include "attend/tasks/model_file/model_summary.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/translation/model.h"

namespace attend {
namespace {

struct InfoArguments {
  std::string model;
  bool all = false;
  std::vector<std::string> set;
  OutputFormat format = OutputFormat::text;
};

template <class Visitor>
void fields(InfoArguments& a, Visitor&& visit) {
  visit("all", a.all, "also print every option and tensor; always on with --format json");
  visit("set", a.set,
        "set KEY=VALUE in the file: name, description, language, src, tgt or chat-template (a "
        "file); an empty VALUE removes the entry");
  visit("format", a.format, "text for people, json for programs");
}

// "3 languages: de, en, fr; by default from en to de", behind the summary of a model of several,
// and the context of one with it.
std::string summary_of_model(const Checkpoint& checkpoint) {
  const std::shared_ptr<const SavedModel> model = load_model(checkpoint);
  std::string text = model_summary(checkpoint, *model);
  const auto* translation = dynamic_cast<const TranslationModel*>(model.get());
  if (translation == nullptr) return text;
  const PairFormat& format = translation->format;
  if (const int most = format.context.sentences; most > 0)
    text += fmt::format("\nreads up to {} before each one", counted(most, "sentence"));
  if (format.terms) text += "\nreads the terms of a glossary within sentences";
  const auto& [languages, defaults] = std::tie(format.languages, format.defaults);
  if (languages.empty()) return text;
  std::vector<std::string> names;
  for (const PairFormat::Language& language : languages) names.push_back(printable(language.name));
  text += fmt::format("\n{}: {}", counted(std::ssize(names), "language"), fmt::join(names, ", "));
  if (!defaults.source.empty()) text += fmt::format("; from {}", printable(defaults.source));
  if (!defaults.target.empty()) text += fmt::format("; into {}", printable(defaults.target));
  return text;
}

// Empty for a file without a task.
std::string summary_of(const FileDescription& file) {
  if (!file.format_problem.empty())
    return fmt::format("cannot be used: {}", printable(file.format_problem));
  const ProgressLine progress = ProgressLine::timing("reading the model");
  return read_checkpoint(file.path, [](const Checkpoint& checkpoint) -> std::string {
    return is_known_task(checkpoint) ? summary_of_model(checkpoint) : "";
  });
}

// Why the chat template of a language model cannot be used; empty if it can, or if there is none.
std::string chat_problem_of(const FileDescription& file) {
  if (!file.metadata.contains(kChatKey) || !file.format_problem.empty()) return "";
  return read_checkpoint(file.path, [](const Checkpoint& checkpoint) -> std::string {
    if (!is_known_task(checkpoint)) return "";
    return chat_problem(ChatFormat::from_json(checkpoint.text(kChatKey), kChatKey),
                        read_tokenizer(checkpoint));
  });
}

// What the file is, in a line or two.
void print_summary(const FileDescription& file) {
  const std::string summary = summary_of(file);
  answer("{}\n", shown_path(file.path));
  if (!summary.empty()) answer("{}\n", summary);
  for (const auto& [key, title] :
       {std::pair{kNameKey, "name"}, std::pair{kDescriptionKey, "description"}})
    if (const auto found = file.metadata.find(key); found != file.metadata.end())
      answer("{}: {}\n", title, printable(found->second, 1000));
  if (const std::string problem = chat_problem_of(file); !problem.empty())
    answer("without chats: {}\n", printable(problem));
  answer("{} in {}, {}\n", counted(static_cast<std::int64_t>(file.parameters), "parameter"),
         counted(static_cast<std::int64_t>(file.tensors.size()), "tensor"),
         counted(static_cast<std::int64_t>(file.file_bytes), "byte"));
  if (const auto layout = file.metadata.find(std::string(kLayoutKey));
      layout != file.metadata.end())
    answer("optimized: weights are used in place, in the layout {}\n",
           printable(layout->second, 60));
}

void print_metadata(const FileDescription& file) {
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
}

void print_tensors(const FileDescription& file) {
  answer("\n");
  for (const TensorDescription& tensor : file.tensors) {
    answer("{:<60} {:>4} [{}]\n", printable(tensor.name), printable(tensor.dtype),
           fmt::join(tensor.shape, ", "));
  }
}

void print_json(const FileDescription& file) {
  nlohmann::ordered_json json{{"path", file.path},
                              {"bytes", file.file_bytes},
                              {"parameters", file.parameters},
                              {"problem", file.format_problem},
                              {"metadata", file.metadata}};
  json["tensors"] = nlohmann::ordered_json::array();
  for (const TensorDescription& t : file.tensors)
    json["tensors"].push_back({{"name", t.name}, {"dtype", t.dtype}, {"shape", t.shape}});
  // File content is untrusted: non-ASCII is escaped.
  answer("{}\n", json.dump(1, ' ', /*ensure_ascii=*/true,
                           nlohmann::ordered_json::error_handler_t::replace));
}

// Checks the golden samples. Throws DataError if the model no longer computes the same.
void print_golden(const std::string& path) {
  ProgressLine progress = ProgressLine::timing("checking the golden samples");
  const std::optional<ModelCheck> check = check_model(path);
  progress.end();
  if (!check) return;
  answer("{} golden {}: {} (largest relative difference of a score {:.1e})\n", check->samples,
         check->kind,
         check->holds() ? "as they were when the model was saved"
                        : "DIFFERENT from when the model was saved",
         check->deviation);
  if (!check->holds())
    throw DataError(fmt::format("{}: its results differ from those when it was saved", path));
}

std::string text_of_file(const std::string& path) {
  LineReader lines(path);
  std::string text;
  for (std::string line; lines.next(line);) text += line + "\n";
  if (is_blank(text)) throw ConfigError(fmt::format("{}: expected a text, found none", path));
  text.pop_back();
  return text;
}

// "name=small" -> {"name", "small"}.
Metadata settings_of(const std::vector<std::string>& arguments) {
  Metadata settings;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    if (equals == 0 || equals == argument.npos)
      throw ConfigError(fmt::format("--set: expected KEY=VALUE, got {}", quote(argument)));
    const std::string key = argument.substr(0, equals), value = argument.substr(equals + 1);
    const bool is_file = key == "chat-template" && !value.empty();
    settings[key] = is_file ? text_of_file(value) : value;
  }
  return settings;
}

// Whether it is imported before it is described. An adapter in a file is described as it is.
bool is_of_another_program(const std::string& named) {
  const std::filesystem::path path = local_path(named);
  return is_foreign_model(path) || is_peft_directory(path);
}

void change(const InfoArguments& arguments) {
  const Metadata settings = settings_of(arguments.set);
  if (is_of_another_program(arguments.model))
    throw ConfigError(
        fmt::format("--set: expected a model file, got a model of another program, {}; "
                    "`attend import` makes a file of it",
                    shown_path(arguments.model)));
  try {
    const ProgressLine progress = ProgressLine::timing("writing the file");
    set_model_settings(arguments.model, settings);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("--set: {}", message_of(error).on_command_line));
  }
}

void run_info(const InfoArguments& arguments) {
  if (!arguments.set.empty()) change(arguments);
  const bool is_import = is_of_another_program(arguments.model);
  const std::string path =
      model_file_of(is_import ? model_path(arguments.model) : arguments.model).string();
  ProgressLine progress = ProgressLine::timing("reading the file");
  const FileDescription file = describe(path);
  progress.end();
  const bool text = arguments.format == OutputFormat::text;
  text ? print_summary(file) : print_json(file);
  if (text && arguments.all) {
    print_metadata(file);
    print_tensors(file);
  }
  if (!file.format_problem.empty()) throw DataError(file.format_problem);
  if (text) print_golden(path);
}

}  // namespace

void add_info_command(CLI::App& app) {
  CLI::App& command = add_command(
      app, "info", "Describe a model: its task, vocabulary and training in a few lines");
  const auto arguments = std::make_shared<InfoArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", kModelHelp});
  OptionBinding(command).add(*arguments);
  on_command(command, [arguments] { run_info(*arguments); });
}

}  // namespace attend
