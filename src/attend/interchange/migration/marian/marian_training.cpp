// Marian's options of training: batches, the optimizer, the schedule, and when it ends.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>

#include "attend/interchange/migration/marian/marian_rules.h"

namespace attend {

MarianPeriod marian_period(const Migration& m, const ForeignOption& option, std::string value) {
  MarianPeriod period;
  constexpr const char* kExpected = "a whole number with a unit, such as 10000u, 100Ku, 2Gt or 10e";
  const auto take_last = [&value](std::string_view letters) {
    if (value.empty() || letters.find(value.back()) == letters.npos) return '\0';
    const char last = value.back();
    value.pop_back();
    return last;
  };
  if (const char unit = take_last("ute")) period.unit = unit;
  const char prefix = take_last("kKMGT");
  std::erase(value, ',');
  const double factor = prefix == '\0'  ? 1
                        : prefix == 'M' ? 1e6
                        : prefix == 'G' ? 1e9
                        : prefix == 'T' ? 1e12
                                        : 1e3;
  std::istringstream stream(value);
  double number = 0;
  if (!(stream >> number) || stream.peek() != EOF || number < 0 || number * factor > 1e15 ||
      number * factor != std::floor(number * factor))
    m.refuse(option, kExpected);
  period.count = static_cast<std::int64_t>(number * factor);
  return period;
}

namespace {

constexpr std::string_view kOnlyUpdates = "only a number of updates can be translated";

std::string digits(double number) { return fmt::format("{:.10g}", number); }

// One period in updates; nullopt for another unit.
std::optional<std::int64_t> updates_of(const Migration& m, std::string_view name) {
  const ForeignOption* const option = m.find(name);
  if (option == nullptr || option->values.empty()) return 0;
  const MarianPeriod period = marian_period(m, *option, option->values.front());
  if (period.unit != 'u' && period.count > 0) return std::nullopt;
  return period.count;
}

// `text`: our option.
void marian_every(Migration& m, const ForeignOption& option, std::string_view text) {
  const std::optional<std::int64_t> updates = updates_of(m, option.name);
  if (!updates) return m.without_equal(option.name, kOnlyUpdates);
  m.translate({option.name}, text, {fmt::format("{}", *updates)});
}

void marian_validation(Migration& m, const ForeignOption& option, std::string_view text) {
  if (!m.recipe().sets("src-valid") && !marian_names_pair(m, "valid-sets"))
    return m.same(option.name, "without validation text, nothing is validated");
  if (text == "patience") return becomes(m, option, text);
  marian_every(m, option, text);
}

// A step is a batch of mini-batch-words, in optimizer-delay parts; or, with mini-batch-fit, that
// many batches.
void marian_batches(Migration& m, const ForeignOption&, std::string_view) {
  constexpr std::string_view kNoCount =
      "set batch-tokens to the tokens of a batch; the recipe has those of the preset base";
  const double delay = m.number("optimizer-delay", 1);
  const bool whole = delay >= 1 && delay == std::floor(delay);
  const std::int64_t words = m.whole("mini-batch-words", 0);
  const bool fit = m.is_on("mini-batch-fit");
  if (whole && m.find("optimizer-delay") != nullptr) {
    m.translate({"optimizer-delay"}, "accumulate", {digits(delay)});
  } else if (!whole) {
    m.without_equal("optimizer-delay", "a step is a whole number of batches: accumulate");
  }
  if (!fit && words > 0) {
    const double parts = whole ? delay : 1;
    m.translate({"mini-batch-words"}, "batch-tokens",
                {digits(std::ceil(static_cast<double>(words) / parts))},
                parts > 1 ? "a step has optimizer-delay batches; the longer side of a pair counts"
                          : "the longer side of a pair counts, in Marian the source");
    m.same("mini-batch", "mini-batch-words decides");
    return m.same("mini-batch-fit", "off");
  }
  m.add("batch-tokens", "4096", "as preset base");
  m.without_equal("mini-batch-words", "mini-batch-fit decides, by the memory of a device");
  if (fit) {
    m.without_equal("mini-batch-fit", kNoCount);
    m.same("mini-batch", "mini-batch-fit decides");
  } else {
    m.without_equal("mini-batch", kNoCount);
    m.same("mini-batch-fit", "off");
  }
}

// Both parts of the rate: Marian's rises until lr-warmup and falls from lr-decay-inv-sqrt on.
void marian_schedule(Migration& m, const ForeignOption&, std::string_view) {
  const std::optional<std::int64_t> warmup = updates_of(m, "lr-warmup"),
                                    decay = updates_of(m, "lr-decay-inv-sqrt");
  if (!warmup) m.without_equal("lr-warmup", kOnlyUpdates);
  if (!decay) m.without_equal("lr-decay-inv-sqrt", kOnlyUpdates);
  const std::int64_t rises = warmup.value_or(0), falls = decay.value_or(0);
  if (falls == 0) {
    const std::string steps = fmt::format("{}", rises);
    if (decay) {
      m.translate({"lr-decay-inv-sqrt"}, "schedule", {"constant"});
    } else {
      m.add("schedule", "constant", "lr-decay-inv-sqrt has no equal");
    }
    if (warmup) return m.translate({"lr-warmup"}, "warmup-steps", {steps});
    return m.add("warmup-steps", steps, "lr-warmup has no equal");
  }
  const ForeignOption& option = *m.find("lr-decay-inv-sqrt");
  const bool shifted = option.values.size() > 1 && option.values[0] != option.values[1];
  m.translate({"lr-decay-inv-sqrt"}, "schedule", {"inverse_sqrt"},
              shifted ? "here the rate falls from warmup-steps on" : "");
  const std::string steps = fmt::format("{}", falls);
  if (rises == falls && warmup)
    return m.translate({"lr-warmup", "lr-decay-inv-sqrt"}, "warmup-steps", {steps});
  m.translate({"lr-decay-inv-sqrt"}, "warmup-steps", {steps});
  if (warmup)
    m.without_equal("lr-warmup",
                    fmt::format("here the rate rises until step {}; after step {} it is the same",
                                falls, std::max(rises, falls)));
}

void marian_optimizer_params(Migration& m, const ForeignOption& option, std::string_view) {
  static constexpr std::string_view kOurs[] = {"adam-beta1", "adam-beta2", "adam-epsilon",
                                               "weight-decay"};
  if (m.text("optimizer", "adam") != "adam")
    return m.without_equal(option.name, "the optimizer is Adam here");
  const std::vector<double> given = m.numbers(option.name);
  if (given.size() > 4) m.refuse(option, "at most four numbers");
  std::vector<double> values{0.9, 0.999, 1e-8};
  if (given.size() > values.size()) values.resize(given.size());
  std::copy(given.begin(), given.end(), values.begin());
  for (std::size_t i = 0; i < values.size(); ++i)
    m.translate({option.name}, kOurs[i], {digits(values[i])});
}

void marian_cost(Migration& m, const ForeignOption& option, std::string_view) {
  const std::string cost = m.text(option.name);
  if (cost == "ce-mean-words") return m.same(option.name, "the loss is the mean of the tokens");
  if (cost == "ce-sum")
    return m.same(option.name,
                  "the loss is the mean of the tokens; the steps of Adam are the same");
  m.without_equal(option.name, "the loss is the mean of the tokens");
}

void marian_clipping(Migration& m, const ForeignOption& option, std::string_view) {
  if (is_off(option) || m.text("cost-type", "ce-sum") == "ce-mean-words")
    return becomes(m, option, "clip-norm");
  m.without_equal(option.name,
                  "the gradient is that of the mean of the tokens, not of their sum: its norm is "
                  "smaller");
}

void marian_smoothing(Migration& m, const ForeignOption& option, std::string_view) {
  const double share = option.values.empty() ? 1e-4 : m.number(option.name, 0);
  if (share == 0) return m.same(option.name, "off");
  if (m.whole("mini-batch-words-ref", 0) > 0)
    return m.without_equal(option.name, "ema-decay does not depend on the size of a batch");
  m.translate({option.name}, "ema-decay", {digits(1 - share)});
}

std::int64_t least_limit(std::int64_t a, std::int64_t b) { return a == 0 ? b : std::min(a, b); }

// after, after-epochs and after-batches: what comes first ends the training.
void marian_end(Migration& m, const ForeignOption&, std::string_view) {
  std::int64_t steps = m.whole("after-batches", 0), epochs = m.whole("after-epochs", 0);
  bool labels = false;
  if (const ForeignOption* const after = m.find("after")) {
    std::istringstream parts(m.text("after"));
    for (std::string part; std::getline(parts, part, ',');) {
      const MarianPeriod period = marian_period(m, *after, part);
      if (period.count == 0) continue;
      labels |= period.unit == 't';
      if (period.unit == 'u') steps = least_limit(steps, period.count);
      if (period.unit == 'e') epochs = least_limit(epochs, period.count);
    }
  }
  if (labels) m.without_equal("after", "training does not end after a number of target labels");
  const std::vector<std::string_view> kAll{"after", "after-epochs", "after-batches"};
  const std::string step_limit = fmt::format("{}", steps == 0 ? 1'000'000'000 : steps);
  const std::string_view remark = steps == 0 ? "no limit" : "";
  if (labels) {
    m.expand("after-epochs");
    m.expand("after-batches");
    m.add("max-steps", step_limit, steps == 0 ? "no limit" : "after or after-batches");
    if (epochs > 0) m.add("max-epochs", fmt::format("{}", epochs), "after or after-epochs");
  } else {
    m.translate(kAll, "max-steps", {step_limit}, remark);
    if (epochs > 0) m.translate(kAll, "max-epochs", {fmt::format("{}", epochs)});
  }
}

void marian_seed(Migration& m, const ForeignOption& option, std::string_view) {
  if (is_off(option))
    return m.without_equal(option.name, "a random seed; without a seed, attend takes 1");
  becomes(m, option, "seed");
}

void marian_precision(Migration& m, const ForeignOption& option, std::string_view) {
  const bool full = option.name == "fp16"
                        ? !m.is_on("fp16")
                        : option.values.empty() || option.values.front() == "float32";
  if (full) return m.same(option.name, "the default");
  m.without_equal(
      option.name,
      "precision = \"bf16\" is fast on CPUs with bf16 instructions; float16 is not used");
}

constexpr std::string_view kOneUpdate = "all batches of a step are summed before its update";
constexpr std::string_view kNoDecay = "only for lr-decay";

constexpr MigrationRule kTrainingRules[] = {
    {"mini-batch-words", marian_batches},
    {"mini-batch", marian_batches},
    {"mini-batch-fit", marian_batches, "", Takes::maybe},
    {"optimizer-delay", marian_batches},
    {"mini-batch-fit-step", is_same, "only for mini-batch-fit"},
    {"mini-batch-words-ref", has_no_equal_if_on, "options do not depend on the size of a batch"},
    {"mini-batch-warmup", has_no_equal_if_on, "all batches have one size"},
    {"mini-batch-track-lr", has_no_equal_if_on, "all batches have one size", Takes::maybe},
    {"mini-batch-round-up", is_same, "only for batches of changing size", Takes::maybe},
    {"maxi-batch", is_same, "batches are made of the whole text"},
    {"maxi-batch-sort", is_same, "batches are made of sentences of similar length"},
    {"gradient-checkpointing", becomes, "recompute", Takes::maybe},
    {"optimizer", is_same_if, "adam|the optimizer is Adam here"},
    {"optimizer-params", marian_optimizer_params, "", Takes::list},
    {"sync-sgd", is_same, kOneUpdate, Takes::maybe},
    {"learn-rate", becomes, "learning-rate"},
    {"lr-report", is_same, "log.jsonl has the rate of every step", Takes::maybe},
    {"lr-warmup", marian_schedule},
    {"lr-decay-inv-sqrt", marian_schedule, "", Takes::list},
    {"lr-warmup-start-rate", has_no_equal_if_on, "the rate rises from 0"},
    {"lr-warmup-cycle", has_no_equal_if_on, "the rate rises once", Takes::maybe},
    {"lr-warmup-at-reload", has_no_equal_if_on, "a resumed run goes on at its rate", Takes::maybe},
    {"lr-decay", has_no_equal_if_on, "the rate follows schedule, not validations"},
    {"lr-decay-strategy", is_same, kNoDecay},
    {"lr-decay-start", is_same, kNoDecay, Takes::list},
    {"lr-decay-freq", is_same, kNoDecay},
    {"lr-decay-reset-optimizer", is_same, kNoDecay, Takes::maybe},
    {"lr-decay-repeat-warmup", is_same, kNoDecay, Takes::maybe},
    {"label-smoothing", becomes, "label-smoothing"},
    {"cost-type", marian_cost},
    {"multi-loss-type", is_same, "there is one loss"},
    {"unlikelihood-loss", has_no_equal_if_on, "the loss is cross-entropy", Takes::maybe},
    {"clip-norm", marian_clipping},
    {"exponential-smoothing", marian_smoothing, "", Takes::maybe},
    {"exponential-smoothing-replace-freq", has_no_equal_if_on,
     "the average does not replace the parameters"},
    {"normalize-gradient", has_no_equal_if_on, "the loss is the mean of the tokens", Takes::maybe},
    {"normalize-gradient-by-ratio", has_no_equal_if_on, "the loss is the mean of the tokens",
     Takes::maybe},
    {"dynamic-gradient-scaling", has_no_equal_if_on, "clip-norm bounds the norm", Takes::list},
    {"gradient-norm-average-window", is_same, "only for dynamic-gradient-scaling"},
    {"after", marian_end},
    {"after-epochs", marian_end},
    {"after-batches", marian_end},
    {"seed", marian_seed},
    {"valid-freq", marian_validation, "valid-every"},
    {"early-stopping", marian_validation, "patience"},
    {"early-stopping-epsilon", has_no_equal_if_on, "every improvement counts", Takes::list},
    {"early-stopping-on", is_same_if, "first|the BLEU of the validation text decides"},
    {"save-freq", marian_every, "save-every"},
    {"disp-freq", marian_every, "log-every"},
    {"precision", marian_precision, "", Takes::list},
    {"fp16", marian_precision, "", Takes::maybe},
    {"cost-scaling", is_same, "only for float16", Takes::list},
    {"fp16-fallback-to-fp32", is_same, "only for float16", Takes::maybe},
    {"custom-fallbacks", has_no_equal_if_on, "a run that diverges stops", Takes::list},
    {"throw-on-divergence", is_same, "a run that diverges stops", Takes::list},
    {"check-gradient-nan", is_same, "a run that diverges stops", Takes::maybe},
    {"quantize-bits", has_no_equal_if_on, "attend quantize makes a small model after training"},
    {"quantize-optimization-steps", is_same, "only for quantize-bits"},
    {"quantize-log-based", is_same, "only for quantize-bits", Takes::maybe},
    {"quantize-biases", is_same, "only for quantize-bits", Takes::maybe},
    {"train-embedder-rank", has_no_equal_if_on, "attend train embedding trains embedders",
     Takes::list},
};

}  // namespace

std::span<const MigrationRule> marian_training_rules() { return kTrainingRules; }

}  // namespace attend
