// fairseq's options of a run: checkpoints, validation, devices and logs.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "attend/core/json/json.h"
#include "attend/interchange/migration/fairseq/fairseq_rules.h"

namespace attend {

namespace {

constexpr std::string_view kLogged = "progress is told on the terminal and in log.jsonl";
constexpr std::string_view kTensorBoard = "the folder of the run has events for TensorBoard";
constexpr std::string_view kCpu = "attend computes on the CPU, and with mpirun on several";
constexpr std::string_view kBleu = "the BLEU of the validation text decides";
constexpr std::string_view kResumes = "resume goes on with a run as if it had not stopped";
constexpr std::string_view kEpochs = "in steps: save-every and valid-every";

// fairseq validates whenever it saves.
void fairseq_saving(Migration& m, const ForeignOption& option, std::string_view) {
  const std::string steps = m.text(option.name);
  if (steps == "0") return m.same(option.name, "off");
  m.translate({option.name}, "save-every", {steps});
  if (m.find("validate-interval-updates") == nullptr)
    m.translate({option.name}, "valid-every", {steps});
}

void fairseq_validating(Migration& m, const ForeignOption& option, std::string_view) {
  if (m.text(option.name) == "0") return m.same(option.name, "off");
  becomes(m, option, "valid-every");
}

void fairseq_keeping(Migration& m, const ForeignOption& option, std::string_view) {
  if (m.whole(option.name, -1) < 0) return m.same(option.name, "off");
  becomes(m, option, "keep-checkpoints");
}

void fairseq_best(Migration& m, const ForeignOption& option, std::string_view) {
  const std::string metric = m.text(option.name);
  const std::string_view ours = trains_language_model(m) ? "loss" : "bleu";
  if (metric == ours)
    return m.same(option.name, trains_language_model(m) ? "the perplexity decides" : kBleu);
  m.without_equal(option.name, trains_language_model(m) ? "the perplexity decides" : kBleu);
}

// A JSON object with the options of the search.
void fairseq_search_of_validation(Migration& m, const ForeignOption& option, std::string_view) {
  const std::optional<nlohmann::ordered_json> json = try_parse_json(m.text(option.name));
  if (!json || !json->is_object()) m.refuse(option, "a JSON object, such as {\"beam\": 5}");
  if (trains_language_model(m)) return m.without_equal(option.name, "the perplexity decides");
  std::string others;
  const nlohmann::ordered_json* beam = nullptr;
  for (const auto& [key, value] : json->items()) {
    if (key == "beam" && value.is_number_integer()) {
      beam = &value;
    } else {
      others += (others.empty() ? "" : " ") + key;
    }
  }
  const std::string size = beam == nullptr ? "" : fmt::format("{}", beam->get<std::int64_t>());
  if (others.empty()) {
    if (beam == nullptr) return m.same(option.name, "validation is greedy");
    return m.translate({option.name}, "valid-beam-size", {size});
  }
  if (beam != nullptr) m.add("valid-beam-size", size, "eval-bleu-args");
  m.without_equal(option.name, fmt::format("not in the recipe: {}", others));
}

// The limits of both sides; the shorter one holds.
void fairseq_lengths(Migration& m, const ForeignOption& option, std::string_view) {
  if (trains_language_model(m))
    return m.without_equal(option.name, "sequence-length is the length of a sample");
  const std::int64_t source = m.whole("max-source-positions", 1024),
                     target = m.whole("max-target-positions", 1024);
  m.translate({"max-source-positions", "max-target-positions"}, "max-length",
              {fmt::format("{}", std::min(source, target))},
              source == target ? "" : "the shorter limit, for both sides");
}

void fairseq_sample_length(Migration& m, const ForeignOption& option, std::string_view) {
  if (!trains_language_model(m)) return m.same(option.name, "only for language models");
  becomes(m, option, "sequence-length");
}

void fairseq_samples(Migration& m, const ForeignOption& option, std::string_view) {
  if (!trains_language_model(m)) return m.same(option.name, "only for language models");
  if (m.text(option.name) == "eos") return m.same(option.name, "every line is a text of its own");
  if (m.text(option.name) == "none") return m.translate({option.name}, "documents", {"true"});
  m.without_equal(option.name, "a text is a line, or with documents = true a file");
}

constexpr MigrationRule kFairseqRunRules[] = {
    {"save-dir", is_same, "out is the folder of the run"},
    {"restore-file", has_no_equal, "init-from takes a model that attend reads"},
    {"finetune-from-model", has_no_equal, "init-from takes a model that attend reads"},
    {"continue-once", has_no_equal, kResumes},
    {"reset-optimizer", has_no_equal_if_on, kResumes, Takes::none},
    {"reset-lr-scheduler", has_no_equal_if_on, kResumes, Takes::none},
    {"reset-meters", has_no_equal_if_on, kResumes, Takes::none},
    {"reset-dataloader", has_no_equal_if_on, kResumes, Takes::none},
    {"optimizer-overrides", has_no_equal, kResumes},
    {"save-interval", has_no_equal, kEpochs},
    {"save-interval-updates", fairseq_saving},
    {"validate-interval", has_no_equal, kEpochs},
    {"validate-interval-updates", fairseq_validating},
    {"validate-after-updates", has_no_equal_if_on, "validations begin with the first steps"},
    {"keep-interval-updates", fairseq_keeping},
    {"keep-last-epochs", fairseq_keeping},
    {"keep-best-checkpoints", has_no_equal,
     "model.safetensors is the best; checkpoints are the newest"},
    {"keep-interval-updates-pattern", has_no_equal, "the newest checkpoints are kept"},
    {"no-save", has_no_equal, "a run writes checkpoints", Takes::none},
    {"no-epoch-checkpoints", is_same, "the newest checkpoints are kept", Takes::none},
    {"no-last-checkpoints", is_same, "checkpoints are those of save-every", Takes::none},
    {"no-save-optimizer-state", has_no_equal, "a checkpoint has all that resume needs",
     Takes::none},
    {"checkpoint-suffix", has_no_equal, "a checkpoint has the number of its step"},
    {"write-checkpoints-asynchronously", has_no_equal, "a checkpoint is there before the next step",
     Takes::none},
    {"best-checkpoint-metric", fairseq_best},
    {"maximize-best-checkpoint-metric", is_same, "a higher BLEU is better", Takes::none},
    {"disable-validation", has_no_equal, "leave out src-valid and tgt-valid", Takes::none},
    {"eval-bleu", is_same, "validation measures BLEU", Takes::none},
    {"eval-bleu-args", fairseq_search_of_validation},
    {"eval-bleu-detok", is_same_if, "space|BLEU is that of the text as it is trained on"},
    {"eval-bleu-detok-args", has_no_equal, "BLEU is that of the text as it is trained on"},
    {"eval-tokenized-bleu", is_same, "BLEU is that of the text as it is trained on", Takes::none},
    {"eval-bleu-remove-bpe", has_no_equal, "BLEU is that of the tokens between spaces",
     Takes::maybe},
    {"eval-bleu-print-samples", has_no_equal, "attend translate shows translations", Takes::none},
    {"max-tokens-valid", is_same, "does not change what is measured"},
    {"batch-size-valid", is_same, "does not change what is measured"},
    {"max-valid-steps", has_no_equal, "the whole validation text is measured"},
    {"fixed-validation-seed", is_same, "validation is not random"},
    {"train-subset", is_same_if, "train|src-train and tgt-train name the files"},
    {"valid-subset", is_same_if, "valid|src-valid and tgt-valid name the files"},
    {"skip-invalid-size-inputs-valid-test", is_same, "pairs that are too long are left out",
     Takes::none},
    {"max-source-positions", fairseq_lengths},
    {"max-target-positions", fairseq_lengths},
    {"truncate-source", has_no_equal_if_on, "over-long = \"truncate\" shortens both sides",
     Takes::none},
    {"tokens-per-sample", fairseq_sample_length},
    {"sample-break-mode", fairseq_samples},
    {"add-bos-token", has_no_equal_if_on, "attend decides which tokens begin a text", Takes::none},
    {"left-pad-source", is_same, "batches are not padded"},
    {"left-pad-target", is_same, "batches are not padded"},
    {"num-batch-buckets", is_same, "batches are not padded"},
    {"upsample-primary", has_no_equal, "mix-weights weighs files"},
    {"load-alignments", has_no_equal,
     "guided-alignment learns alignments from the text, without a file", Takes::none},
    {"seed", becomes, "seed"},
    {"log-interval", becomes, "log-every"},
};

constexpr MigrationRule kFairseqCommonRules[] = {
    {"cpu", is_same, kCpu, Takes::none},
    {"tpu", is_same, kCpu, Takes::none},
    {"device-id", is_same, kCpu},
    {"ddp-backend", is_same, kCpu},
    {"ddp-comm-hook", is_same, kCpu},
    {"distributed-backend", is_same, kCpu},
    {"distributed-init-method", is_same, kCpu},
    {"distributed-port", is_same, kCpu},
    {"distributed-rank", is_same, kCpu},
    {"distributed-num-procs", is_same, kCpu},
    {"distributed-no-spawn", is_same, kCpu, Takes::none},
    {"nprocs-per-node", is_same, kCpu},
    {"find-unused-parameters", is_same, kCpu, Takes::none},
    {"fast-stat-sync", is_same, kCpu, Takes::none},
    {"bucket-cap-mb", is_same, kCpu},
    {"zero-sharding", is_same, "shard-optimizer divides the optimizer among processes"},
    {"model-parallel-size", is_same_if, "1|every process has the whole model"},
    {"empty-cache-freq", is_same, kCpu},
    {"all-gather-list-size", is_same, kCpu},
    {"num-workers", is_same, "reading takes what threads it needs"},
    {"data-buffer-size", is_same, "reading takes what threads it needs"},
    {"no-progress-bar", is_same, kLogged, Takes::none},
    {"progress-bar", is_same, kLogged},
    {"log-format", is_same, kLogged},
    {"log-file", is_same, kLogged},
    {"log-nvidia-smi", is_same, kCpu, Takes::none},
    {"tensorboard-logdir", is_same, kTensorBoard},
    {"wandb-project", has_no_equal, kTensorBoard},
    {"azureml-logging", has_no_equal, kTensorBoard},
    {"aim-repo", has_no_equal, kTensorBoard},
    {"aim-run-hash", has_no_equal, kTensorBoard},
    {"user-dir", has_no_equal, "code of users is in Python or C++: docs/tutorials/own-layer.md"},
    {"profile", is_same, "attend train tells how fast it is", Takes::none},
    {"scoring", has_no_equal, "attend evaluate measures BLEU and chrF"},
    {"bpe", has_no_equal, "the tokenizer of the recipe splits words"},
    {"bpe-codes", has_no_equal, "the tokenizer of the recipe splits words"},
    {"sentencepiece-model", has_no_equal, "the tokenizer of the recipe splits words"},
    {"tokenizer", has_no_equal, "tokenize = \"moses\" of attend translate prepares raw text"},
    {"moses-source-lang", has_no_equal, "language of attend translate"},
    {"moses-target-lang", has_no_equal, "tgt-language of attend translate"},
    {"suppress-crashes", has_no_equal_if_on, "an error ends the program", Takes::none},
    {"use-plasma-view", is_same, kCpu, Takes::none},
    {"plasma-path", is_same, kCpu},
};

}  // namespace

std::span<const MigrationRule> fairseq_run_rules() { return kFairseqRunRules; }
std::span<const MigrationRule> fairseq_common_rules() { return kFairseqCommonRules; }

}  // namespace attend
