#include <filesystem>
#include <memory>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/resolved_configuration.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/commands/training_session.h"
#include "attend/tasks/classification/training.h"
#include "attend/tasks/language/training.h"
#include "attend/tasks/translation/training.h"

namespace attend {

namespace {

template <class Options>
struct TrainArguments {
  SessionOptions session;
  Options options;
};

// A resumed run goes on with the configuration it was begun with, unless another is given.
void read_own_configuration(OptionBinding& binding, const SessionOptions& session) {
  const std::filesystem::path file = RunFolder(session.out).config_file();
  if (session.resume && !session.out.empty() && !binding.has_config_file() && std::filesystem::exists(file))
    binding.add_defaults_from(file);
}

// Options are a struct with groups() and prepare_training().
template <class Options>
void add_task(CLI::App& train, const std::string& name, const std::string& help) {
  CLI::App& command = add_command(train, name, help);
  const auto arguments = std::make_shared<TrainArguments<Options>>();
  OptionBinding binding(command);
  binding.add(arguments->session, "run");
  groups(arguments->options, [&](const char* group, auto& options) { binding.add(options, group); });
  on_command(command, [binding, arguments]() mutable {
    read_own_configuration(binding, arguments->session);
    const Options& options = arguments->options;
    run_training(arguments->session, options.trainer, resolved_configuration(arguments->session, arguments->options),
                 [&options](const Checkpoint* resumed) { return prepare_training(options, resumed); });
  });
}

}  // namespace

void add_train_command(CLI::App& app) {
  CLI::App& train = add_command_group(app, "train", "Train a model from text");
  add_task<TranslationTraining>(train, "translation", "Train an encoder-decoder to translate");
  add_task<LanguageTraining>(train, "lm", "Train a decoder to predict the next token of a text");
  add_task<ClassificationTraining>(train, "classification", "Train an encoder to classify texts");
}

}  // namespace attend
