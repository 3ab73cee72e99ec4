// Options of fairseq-train: batches, the optimizer, the schedule, and when it ends.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "attend/interchange/migration/fairseq/fairseq_rules.h"

namespace attend {

// The elements of "5e-4", "[5e-4, 1e-4]" and "(0.9, 0.98)".
std::vector<std::string> fairseq_list(const Migration& m, std::string_view name) {
  std::vector<std::string> elements;
  const ForeignOption* const option = m.find(name);
  if (option == nullptr) return elements;
  std::string text = fmt::format("{}", fmt::join(option->values, ","));
  std::erase_if(text,
                [](char c) { return std::string_view("()[] ").find(c) != std::string_view::npos; });
  std::istringstream stream(text);
  for (std::string element; std::getline(stream, element, ',');) elements.push_back(element);
  if (elements.empty()) m.refuse(*option, "a value");
  return elements;
}

namespace {

constexpr std::string_view kOneValue = "one value holds for all epochs";

void fairseq_task(Migration& m, const ForeignOption& option, std::string_view) {
  const std::string_view task = trains_language_model(m) ? "language_modeling" : "translation";
  if (m.text(option.name) == task)
    return m.same(option.name, fmt::format("attend {}", m.recipe().command()));
  m.without_equal(option.name, fmt::format("the recipe is for the task {}", task));
}

// `text`: our option.
void fairseq_first(Migration& m, const ForeignOption& option, std::string_view text) {
  const std::vector<std::string> values = fairseq_list(m, option.name);
  if (values.size() > 1) return m.without_equal(option.name, kOneValue);
  m.translate({option.name}, text, values);
}

// A step has update-freq batches of each GPU.
void fairseq_accumulation(Migration& m, const ForeignOption&, std::string_view) {
  const std::vector<std::string> per_gpu = fairseq_list(m, "update-freq");
  if (per_gpu.size() > 1) {
    m.without_equal("update-freq", kOneValue);
    return m.same("distributed-world-size", "accumulate times as many batches are a step");
  }
  const std::int64_t batches = m.whole("update-freq", 1) * m.whole("distributed-world-size", 1);
  m.translate({"update-freq", "distributed-world-size"}, "accumulate", {fmt::format("{}", batches)},
              "times the GPUs that fairseq uses, if more than one");
}

void fairseq_tokens(Migration& m, const ForeignOption& option, std::string_view) {
  m.translate({option.name}, "batch-tokens", option.values, "without padding, unlike fairseq");
}

void fairseq_optimizer(Migration& m, const ForeignOption& option, std::string_view) {
  const std::string name = m.text(option.name);
  if (name == "adam") return m.same(option.name, "the optimizer is Adam");
  m.without_equal(option.name, "the optimizer is Adam here");
}

void fairseq_betas(Migration& m, const ForeignOption& option, std::string_view) {
  const std::vector<std::string> betas = fairseq_list(m, option.name);
  if (betas.size() != 2) m.refuse(option, "two numbers, such as (0.9, 0.98)");
  m.translate({option.name}, "adam-beta1", {betas[0]});
  m.translate({option.name}, "adam-beta2", {betas[1]});
}

void fairseq_criterion(Migration& m, const ForeignOption& option, std::string_view) {
  const std::string name = m.text(option.name);
  if (name == "label_smoothed_cross_entropy")
    return m.same(option.name, "the loss of attend, with label-smoothing");
  if (name == "cross_entropy") return m.translate({option.name}, "label-smoothing", {"0"});
  m.without_equal(option.name, "the loss is cross-entropy");
}

void fairseq_smoothing(Migration& m, const ForeignOption& option, std::string_view) {
  if (m.text("criterion") == "cross_entropy")
    return m.same(option.name, "has no effect on cross_entropy");
  m.translate({option.name}, "label-smoothing", option.values,
              "spread over all tokens, in fairseq over all others");
}

void fairseq_warmup(Migration& m, std::string_view otherwise) {
  if (m.find("warmup-updates") != nullptr)
    return m.translate({"warmup-updates"}, "warmup-steps", {m.text("warmup-updates")});
  m.add("warmup-steps", std::string(otherwise), "fairseq's default");
}

void fairseq_schedule(Migration& m, const ForeignOption& option, std::string_view) {
  const std::string name = m.text(option.name);
  const bool linear = name == "polynomial_decay" && m.number("power", 1) == 1;
  const std::string_view ours = name == "inverse_sqrt" ? "inverse_sqrt"
                                : name == "fixed"      ? "constant"
                                : name == "cosine"     ? "cosine"
                                : linear               ? "linear"
                                                       : "";
  fairseq_warmup(m, name == "inverse_sqrt" ? "4000" : "0");
  if (!ours.empty()) return m.translate({option.name}, "schedule", {std::string(ours)});
  m.without_equal(option.name, "attend has inverse_sqrt, linear, cosine, constant and noam");
  m.add("schedule", "constant", "lr-scheduler has no equal");
}

void fairseq_end_rate(Migration& m, const ForeignOption& option, std::string_view text) {
  if (m.text("lr-scheduler", "fixed") != text)
    return m.same(option.name, fmt::format("only for the schedule {}", text));
  m.translate({option.name}, "min-learning-rate", option.values);
}

void fairseq_total(Migration& m, const ForeignOption& option, std::string_view) {
  if (m.text(option.name) == m.text("max-update"))
    return m.same(option.name, "the schedule ends at max-steps");
  if (m.whole("max-update", 0) == 0) return m.translate({option.name}, "max-steps", option.values);
  m.without_equal(option.name, "the schedule ends at max-steps");
}

void fairseq_power(Migration& m, const ForeignOption& option, std::string_view) {
  if (m.number(option.name, 1) == 1) return m.same(option.name, "schedule = \"linear\"");
  m.without_equal(option.name, "schedule = \"linear\" has the power 1");
}

void fairseq_most_steps(Migration& m, const ForeignOption& option, std::string_view) {
  if (m.whole(option.name, 0) > 0) return becomes(m, option, "max-steps");
  m.translate({option.name}, "max-steps", {"1000000000"}, "no limit");
}

void fairseq_patience(Migration& m, const ForeignOption& option, std::string_view) {
  if (m.whole(option.name, -1) <= 0) return m.same(option.name, "off");
  becomes(m, option, "patience");
}

void fairseq_half(Migration& m, const ForeignOption& option, std::string_view) {
  if (option.name.find("bf16") != std::string::npos)
    return m.translate({option.name}, "precision", {"bf16"},
                       "only the operands of products; sums and parameters stay f32");
  m.without_equal(
      option.name,
      "precision = \"bf16\" is fast on CPUs with bf16 instructions; float16 is not used");
}

constexpr std::string_view kOnlyHalf = "only for float16";
constexpr std::string_view kOnlyForced = "only for force-anneal";

constexpr MigrationRule kFairseqTrainingRules[] = {
    {"task", fairseq_task},
    {"max-tokens", fairseq_tokens},
    {"batch-size", has_no_equal, "batch-tokens counts tokens"},
    {"max-sentences", has_no_equal, "batch-tokens counts tokens"},
    {"update-freq", fairseq_accumulation},
    {"distributed-world-size", fairseq_accumulation},
    {"required-batch-size-multiple", is_same, "batches have any number of sentences"},
    {"required-seq-len-multiple", is_same, "batches are not padded"},
    {"optimizer", fairseq_optimizer},
    {"adam-betas", fairseq_betas},
    {"adam-eps", becomes, "adam-epsilon"},
    {"weight-decay", becomes, "weight-decay"},
    {"use-old-adam", is_same, "there is one Adam", Takes::none},
    {"fp16-adam-stats", has_no_equal_if_on, "optimizer = \"adam8bit\" keeps moments in 8 bits",
     Takes::none},
    {"clip-norm", becomes, "clip-norm"},
    {"sentence-avg", has_no_equal_if_on, "the loss is the mean of the tokens", Takes::none},
    {"lr", fairseq_first, "learning-rate"},
    {"lr-scheduler", fairseq_schedule},
    {"warmup-updates", becomes, "warmup-steps"},
    {"warmup-init-lr", has_no_equal_if_on, "the rate rises from 0"},
    {"total-num-update", fairseq_total},
    {"power", fairseq_power},
    {"end-learning-rate", fairseq_end_rate, "polynomial_decay"},
    {"min-lr", fairseq_end_rate, "cosine"},
    {"stop-min-lr", has_no_equal_if_on, "max-steps ends a run, not a rate"},
    {"lr-period-updates", has_no_equal, "schedule = \"cosine\" has one period, to max-steps"},
    {"t-mult", has_no_equal, "schedule = \"cosine\" has one period, to max-steps"},
    {"force-anneal", has_no_equal, "the rate follows schedule alone"},
    {"lr-shrink", is_same, kOnlyForced},
    {"lr-threshold", has_no_equal, "the rate follows schedule, not validations"},
    {"lr-patience", has_no_equal, "the rate follows schedule, not validations"},
    {"criterion", fairseq_criterion},
    {"label-smoothing", fairseq_smoothing},
    {"report-accuracy", has_no_equal, "perplexity and BLEU are reported", Takes::none},
    {"ignore-prefix-size", has_no_equal_if_on, "all tokens of the target count"},
    {"max-update", fairseq_most_steps},
    {"max-epoch", becomes, "max-epochs"},
    {"stop-time-hours", has_no_equal_if_on, "timeout ends a run with a checkpoint: timeout 2h"},
    {"patience", fairseq_patience},
    {"fp16", fairseq_half, "", Takes::none},
    {"memory-efficient-fp16", fairseq_half, "", Takes::none},
    {"amp", fairseq_half, "", Takes::none},
    {"bf16", fairseq_half, "", Takes::none},
    {"memory-efficient-bf16", fairseq_half, "", Takes::none},
    {"fp16-no-flatten-grads", is_same, kOnlyHalf, Takes::none},
    {"fp16-init-scale", is_same, kOnlyHalf},
    {"fp16-scale-window", is_same, kOnlyHalf},
    {"fp16-scale-tolerance", is_same, kOnlyHalf},
    {"min-loss-scale", is_same, kOnlyHalf},
    {"threshold-loss-scale", is_same, kOnlyHalf},
    {"store-ema", has_no_equal, "ema-decay averages the parameters", Takes::none},
    {"ema-decay", has_no_equal, "ema-decay averages the parameters, and validates the average"},
    {"curriculum", has_no_equal_if_on, "the text is shuffled in every epoch"},
    {"skip-remainder-batch", has_no_equal_if_on, "all batches are trained on", Takes::none},
    {"use-bmuf", has_no_equal, "processes exchange every step", Takes::none},
};

}  // namespace

std::span<const MigrationRule> fairseq_training_rules() { return kFairseqTrainingRules; }

}  // namespace attend
