#include <memory>
#include <string>
#include <vector>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/backtranslate/augmentation_run.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/commands/train/set_options_file.h"
#include "attend/cli/output.h"
#include "attend/collective/launch.h"
#include "attend/error.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/translation/training/training.h"

namespace attend {
namespace {

std::vector<OptionGroup> groups_of(AugmentationOptions& o) {
  return {{"texts", option_fields(o.texts)},
          {"translating", option_fields(o.search)},
          {"new-pairs", option_fields(o.pairs)}};
}

// Options are never without effect.
void refuse_idle(const AugmentationOptions& o, const OptionBinding& binding) {
  const AugmentationDecoding decoding = o.search.decoding;
  if (decoding == AugmentationDecoding::sample)
    binding.refuse_beside("--mono-decoding sample", {"mono-beam-size"});
  else
    binding.refuse_without("--mono-decoding sample",
                           {"mono-temperature", "mono-top-k", "mono-top-p"});
  if (!o.has_noise())
    binding.refuse_without("--mono-decoding noised", {"noise-drop", "noise-blank", "noise-swap"});
  if (o.texts.tgt_mono.empty()) {
    // Self-training has real sources.
    binding.refuse_without("--tgt-mono", {"tag"});
    if (o.has_noise())
      throw ConfigError(
          "--mono-decoding: expected noise with --tgt-mono only; the sources of self-training have "
          "noise by --source-noise");
  }
  if (!o.pairs.duplicates.unique && !o.pairs.duplicates.unique_sources &&
      !o.pairs.duplicates.unique_targets)
    binding.refuse_without("--unique", {"unique-memory"});
}

void run_backtranslate(AugmentationArguments& a, OptionBinding& binding) {
  SessionOptions& session = a.session;
  if (find_launch())
    throw ConfigError(
        "attend backtranslate: expected one process; its parts can be trained by mpirun attend "
        "train, one after another");
  if (!session.dry_run) binding.refuse_without("--dry-run", {"format"});
  const SetOptionsFile record(session.run.out, "backtranslate.toml");
  if (session.resume && !session.run.out.empty()) record.read(binding);
  const IsSet is_set = [&binding](const std::string& name) { return binding.is_set(name); };
  AugmentationTexts& texts = a.options.texts;
  if (!texts.src_mono.empty() && !texts.tgt_mono.empty() && !is_set("rounds")) texts.rounds = 2;
  if (session.print_config) {
    std::vector<OptionGroup> groups = groups_of(a.options);
    settle_preset(*a.task, session.run, is_set);
    for (const OptionGroup& group : a.task->option_groups()) groups.push_back(group);
    return answer("{}", resolved_configuration(session.run, groups));
  }
  refuse_idle(a.options, binding);
  AugmentationRun run(a, is_set);
  if (session.dry_run) return tell_costs(run.cost(), session.format);
  require_folder_for(session.run, session.resume);
  record.write(binding);
  run.run();
}

}  // namespace

void add_backtranslate_command(CLI::App& app) {
  CLI::App& command = add_command(
      app, "backtranslate",
      "Train a translator also on text without translations: back-translation and self-training");
  const auto arguments = std::make_shared<AugmentationArguments>();
  arguments->task = trainable_task(TranslationTraining::kName);
  OptionBinding binding(command);
  for (const OptionGroup& group : groups_of(arguments->options))
    binding.add_fields(group.fields, group.name);
  binding.add(arguments->session, "run");
  for (const OptionGroup& group : arguments->task->option_groups())
    binding.add_fields(group.fields, group.name);
  on_command(command, [binding, arguments]() mutable { run_backtranslate(*arguments, binding); });
}

}  // namespace attend
