#include <fmt/format.h>

#include <cmath>

#include "attend/lab/exercise.h"
#include "attend/lab/experiments.h"
#include "attend/ops/losses/cross_entropy.h"

namespace attend::lab {

namespace {

constexpr std::int32_t kHardSymbols = 16;
constexpr std::int64_t kHardLength = 24, kHardBack = 3;

TransformerConfig one_layer(AttentionChoice choice) {
  TransformerConfig config;
  config.d_model = 64;
  config.n_heads = 1;
  config.d_ff = 64;
  config.n_encoder_layers = 1;
  config.dropout = 0;
  config.norm_first = true;
  config.attention.choice = choice;
  return config;
}

Exercise hard_attention_task(Random& random) {
  return recall_back(random, 32, kHardLength, kHardBack, kHardSymbols);
}

// The gradient norm of the query and key parameters before training.
double query_gradient(SequenceModel& model, const Exercise& exercise) {
  model.parameters().gradients().zero();
  Pass pass = Pass::inference();
  backward(cross_entropy(model.logits(exercise, pass), exercise.targets).loss);
  double squares = 0;
  const Tensor gradients = model.parameters().gradients().to_host();
  for (const ParameterSet::Entry& entry : model.parameters().entries()) {
    if (entry.name.find(".q_proj.weight") == std::string::npos) continue;
    for (std::int64_t p = entry.offset; p < entry.offset + entry.shape.size(); ++p) {
      const double value = gradients.data()[p];
      squares += value * value;
    }
  }
  return std::sqrt(squares);
}

double right_when(AttentionChoice choice, SequenceModel& trained, const Exercise& test,
                  std::uint64_t seed) {
  const auto model = make_transformer(one_layer(choice), {}, seed);
  model->parameters().values().copy_from(trained.parameters().values());
  return accuracy(*model, test);
}

}  // namespace

LabResult run_hard_attention(const Lab& lab) {
  const std::int64_t steps = lab.full_or_quick<std::int64_t>(1200, 20);
  LabResult result;
  result.measured = fmt::format(
      "The task: name the symbol (of {}) {} positions earlier. One causal layer with one head "
      "(d_model 64) is trained for {} steps; its attention is soft, hard, or hard with the "
      "gradient of soft (straight-through). The table shows the norm of the first gradient of the "
      "query weights, the accuracy on 256 new sequences, and the accuracy of the same parameters "
      "with hard attention. Guessing gives {:.3f}.",
      kHardSymbols, kHardBack, steps, 1.0 / kHardSymbols);
  result.table.columns = {"trained with", "gradient of the queries", "loss", "accuracy",
                          "accuracy with hard attention"};
  Plot plot{"hard-attention", "Learning where to look", {"step"}, {"loss per symbol"}, {}};
  double right[3], hardened[3], gradient[3];
  for (const AttentionChoice choice :
       {AttentionChoice::soft, AttentionChoice::hard, AttentionChoice::straight_through}) {
    const auto i = static_cast<std::size_t>(choice);
    const std::string label(enum_names(choice)[i]);
    lab.progress(fmt::format("{}: {} steps", label, steps));
    const auto model = make_transformer(one_layer(choice), {}, lab.options.seed);
    Random random({lab.options.seed, stream_of("lab.hard_attention")});
    gradient[i] = query_gradient(*model, hard_attention_task(random));
    const PracticeCurve curve =
        practise(*model, hard_attention_task, {steps, 0, 2e-3f, 50, lab.options.seed});
    const Exercise test = recall_back(random, 256, kHardLength, kHardBack, kHardSymbols);
    right[i] = accuracy(*model, test);
    hardened[i] = right_when(AttentionChoice::hard, *model, test, lab.options.seed);
    plot.series.push_back(loss_series(label, curve));
    result.table.rows.push_back(
        {label, fmt::format("{:.2g}", gradient[i]), fmt::format("{:.3f}", curve.recent()),
         fmt::format("{:.3f}", right[i]), fmt::format("{:.3f}", hardened[i])});
  }
  result.plots.push_back(plot);
  const bool as_claimed =
      gradient[1] == 0 && gradient[0] > 0 && right[0] > 0.9 && right[1] < 0.5 * right[0];
  result.verdict = as_claimed ? Verdict::confirmed : Verdict::refuted;
  result.finding = fmt::format(
      "The accuracy is {:.3f} with soft attention ({:.3f} if it is made hard after training), "
      "{:.3f} "
      "with hard attention, where no gradient reaches the queries, and {:.3f} with "
      "straight-through "
      "attention.",
      right[0], hardened[0], right[1], right[2]);
  return result;
}

}  // namespace attend::lab
