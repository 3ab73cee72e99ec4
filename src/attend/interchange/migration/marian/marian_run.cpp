// Marian's options of a run: files, devices, logs and validation.
#include <algorithm>
#include <string>

#include "attend/interchange/migration/marian/marian_rules.h"

namespace attend {

void marian_threads(Migration& m, const ForeignOption& option, std::string_view) {
  if (is_off(option) && !option.values.empty())
    return m.same(option.name, "all fast cores compute");
  m.translate({option.name}, "threads",
              option.values.empty() ? std::vector<std::string>{"1"} : option.values);
}

namespace {

constexpr std::string_view kTold = "progress is told on the terminal and in log.jsonl";
constexpr std::string_view kMemory = "memory is taken as it is needed";

void marian_overwrite(Migration& m, const ForeignOption& option, std::string_view) {
  m.translate({option.name}, "keep-checkpoints", {m.is_on(option.name) ? "1" : "0"});
}

void marian_task(Migration& m, const ForeignOption& option, std::string_view) {
  for (const std::string& task : option.values)
    if (marian_task_presets(task).empty())
      return m.without_equal(option.name, "attend does not know the options of this task");
  m.expand(option.name);
}

bool decodes_to_validate(const Migration& m) {
  static constexpr std::string_view kDecoding[] = {"translation", "bleu", "bleu-detok",
                                                   "bleu-segmented", "chrf"};
  const ForeignOption* const metrics = m.find("valid-metrics");
  return metrics != nullptr &&
         std::any_of(metrics->values.begin(), metrics->values.end(), [](const std::string& name) {
           return std::find(std::begin(kDecoding), std::end(kDecoding), name) !=
                  std::end(kDecoding);
         });
}

void marian_metrics(Migration& m, const ForeignOption& option, std::string_view) {
  if (option.values.empty() || option.values.front().starts_with("bleu"))
    return m.same(option.name, "the BLEU of the validation text decides");
  m.without_equal(option.name,
                  "the BLEU of the validation text decides; loss and perplexity are told, too");
}

// The search of validation in Marian, and of translators by default here.
void marian_training_beam(Migration& m, const ForeignOption& option, std::string_view) {
  becomes(m, option, "beam-size");
  if (decodes_to_validate(m)) becomes(m, option, "valid-beam-size");
}

void marian_normalize(Migration& m, const ForeignOption& option, std::string_view) {
  m.translate({option.name}, "length-penalty",
              option.values.empty() ? std::vector<std::string>{"1"} : option.values);
}

constexpr MigrationRule kRunRules[] = {
    {"model", is_same, "the folder of the run, out, has the model"},
    {"pretrained-model", has_no_equal_if_on,
     "init-from takes a directory of Marian, with decoder.yml and the vocabularies"},
    {"overwrite", marian_overwrite, "", Takes::maybe},
    {"overwrite-checkpoint", is_same, "keep-checkpoints says how many are kept", Takes::maybe},
    {"no-reload", is_same, "only resume goes on with a run", Takes::maybe},
    {"no-optimizer-reload", has_no_equal_if_on, "init-from starts with a new optimizer",
     Takes::maybe},
    {"sigterm", is_same_if, "save-and-exit|a signal ends a run after the step, with a checkpoint"},
    {"relative-paths", has_no_equal_if_on,
     "data is the folder that file names are relative to: that of the configuration", Takes::maybe},
    {"task", marian_task, "", Takes::list},
    {"cpu-threads", marian_threads, "", Takes::maybe},
    {"no-nccl", is_same, "mpirun starts several processes", Takes::maybe},
    {"sharding", is_same, "shard-optimizer divides the optimizer among processes"},
    {"sync-freq", is_same, "processes exchange every step"},
    {"quiet-validation", is_same, kTold, Takes::maybe},
    {"disp-first", is_same, kTold},
    {"disp-label-counts", is_same, kTold, Takes::maybe},
    {"logical-epoch", has_no_equal_if_on, "an epoch is once through the text", Takes::list},
    {"valid-metrics", marian_metrics, "", Takes::list},
    {"valid-mini-batch", is_same, "does not change what is measured"},
    {"valid-max-length", has_no_equal, "max-length holds for the validation text, too"},
    {"valid-reset-stalled", has_no_equal_if_on, "a resumed run goes on as it was", Takes::maybe},
    {"valid-reset-all", has_no_equal_if_on, "a resumed run goes on as it was", Takes::maybe},
    {"valid-script-path", has_no_equal_if_on,
     "from Python, on_validation of attend.train calls a function"},
    {"valid-script-args", is_same, "only for valid-script-path", Takes::list},
    {"valid-translation-output", has_no_equal_if_on, "attend translate writes translations"},
    {"keep-best", is_same, "model.safetensors is the best model", Takes::maybe},
    {"valid-log", is_same, "log.jsonl has the validations"},
    {"beam-size", marian_training_beam},
    {"normalize", marian_normalize, "", Takes::maybe},
    {"word-penalty", has_no_equal_if_on, "length-penalty favors long or short translations"},
    {"max-length-factor", has_no_equal,
     "a translation has up to twice the tokens of its source, and 50 more: max-length of attend "
     "translate"},
    {"allow-unk", has_no_equal_if_on, "forbid-unknown of attend translate decides", Takes::maybe},
    {"n-best", is_same, "n-best of attend translate writes several translations", Takes::maybe},
    {"word-scores", is_same, "format = \"json\" of attend translate has them", Takes::maybe},
};

constexpr MigrationRule kCommonRules[] = {
    {"tsv", has_no_equal_if_on, "cut -f1 and cut -f2 make a file of each column", Takes::maybe},
    {"tsv-fields", has_no_equal_if_on, "cut -f1 and cut -f2 make a file of each column"},
    {"ignore-model-config", has_no_equal_if_on, "a new run has its own options", Takes::maybe},
    {"interpolate-env-vars", has_no_equal_if_on, "names of files are taken as they are",
     Takes::maybe},
    {"config", has_no_equal, "that file has options of its own: give it to attend migrate",
     Takes::list},
    {"version", is_same, "says which Marian wrote the file"},
    {"authors", is_same, "prints who made Marian", Takes::maybe},
    {"cite", is_same, "prints who made Marian", Takes::maybe},
    {"build-info", is_same, "the version of attend tells its own build", Takes::maybe},
    {"dump-config", is_same, "print-config prints all options", Takes::maybe},
    {"workspace", is_same, kMemory},
    {"devices", is_same, "attend computes on the CPU: threads", Takes::list},
    {"num-devices", is_same, "attend computes on the CPU: threads"},
    {"data-threads", is_same, "reading takes what threads it needs"},
    {"log", is_same, "log.jsonl has every step"},
    {"log-level", is_same, kTold},
    {"log-time-zone", is_same, kTold},
    {"quiet", is_same, kTold, Takes::maybe},
    {"quiet-translation", is_same, kTold, Takes::maybe},
    {"check-nan", is_same, "a run that diverges stops", Takes::maybe},
};

}  // namespace

std::span<const MigrationRule> marian_run_rules() { return kRunRules; }
std::span<const MigrationRule> marian_common_rules() { return kCommonRules; }

}  // namespace attend
