#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "attend/lab/exercise.h"
#include "attend/lab/experiments.h"
#include "attend/models/transformer.h"

namespace attend::lab {

namespace {

constexpr std::int32_t kMaskSymbols = 16;
constexpr std::int64_t kMaskLength = 24;

TransformerConfig small_config() {
  TransformerConfig config;
  config.d_model = 64;
  config.n_heads = 4;
  config.d_ff = 128;
  config.n_encoder_layers = config.n_decoder_layers = 2;
  config.dropout = 0;
  config.src_vocab_size = config.tgt_vocab_size = kMaskSymbols;
  return config;
}

using Outputs = std::function<Tensor(const std::vector<std::int32_t>& ids)>;

Outputs outputs_of(const SequenceModel& model) {
  return [&model](const std::vector<std::int32_t>& ids) {
    const NoGradient guard;
    Pass pass = Pass::inference();
    return model.hidden(Ragged::one(ids), pass).value();
  };
}

// The whole encoder-decoder, for a fixed source.
Outputs outputs_of(const Transformer& model, const std::vector<std::int32_t>& source) {
  return [&model, source](const std::vector<std::int32_t>& ids) {
    const NoGradient guard;
    Pass pass = Pass::inference();
    const Ragged src = Ragged::one(source);
    return model.decode(Ragged::one(ids), model.encode(src, pass), src, pass).value();
  };
}

struct Leak {
  std::int64_t compared = 0;  // outputs before the token that was changed
  std::int64_t changed = 0;   // those that differ in any bit
  double largest = 0;         // largest difference
  std::int64_t own = 0;       // outputs at the changed token that differ, as they must
};

// Changes every token in turn.
Leak measure_leak(const Outputs& outputs, const std::vector<std::int32_t>& ids) {
  Leak leak;
  const Tensor before = outputs(ids).to_host();
  const auto bytes = static_cast<std::size_t>(before.cols()) * sizeof(float);
  for (std::size_t t = 0; t < ids.size(); ++t) {
    std::vector<std::int32_t> changed = ids;
    changed[t] = (changed[t] + 1) % kMaskSymbols;
    const Tensor after = outputs(changed).to_host();
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(t); ++i) {
      ++leak.compared;
      if (std::memcmp(before.row(i), after.row(i), bytes) == 0) continue;
      ++leak.changed;
      for (std::int64_t d = 0; d < before.cols(); ++d)
        leak.largest =
            std::max(leak.largest, std::fabs(double{before.row(i)[d]} - double{after.row(i)[d]}));
    }
    const auto own = static_cast<std::int64_t>(t);
    leak.own += std::memcmp(before.row(own), after.row(own), bytes) != 0 ? 1 : 0;
  }
  return leak;
}

// Random symbols are unpredictable: a model that does better than chance has seen the next one.
Exercise next_symbol(Random& random) {
  ExerciseBuilder builder;
  for (int b = 0; b < 16; ++b) {
    const auto ids = random_symbols(random, kMaskLength, kMaskSymbols);
    builder.add_sequence(ids);
    for (std::int64_t i = 0; i + 1 < kMaskLength; ++i)
      builder.ask(i, ids[static_cast<std::size_t>(i + 1)]);
  }
  return builder.build();
}

std::vector<std::string> leak_row(const char* label, const Leak& leak, const std::string& loss) {
  return {label, fmt::format("{}", leak.compared), fmt::format("{}", leak.changed),
          fmt::format("{:.2g}", leak.largest), loss};
}

std::string change_of(const Leak& with, const Leak& without, const Leak& of_whole) {
  return fmt::format(
      "With the mask, {} of {} earlier outputs changed in any bit; without it, {} of {}.",
      with.changed + of_whole.changed, with.compared + of_whole.compared, without.changed,
      without.compared);
}

}  // namespace

LabResult run_masks(const Lab& lab) {
  LabResult result;
  const std::int64_t steps = lab.full_or_quick<std::int64_t>(600, 60);
  result.measured = fmt::format(
      "Two layers (d_model 64, 4 heads) read {} random tokens; each token in turn is changed, and "
      "every earlier output is compared bit by bit with the original. Then the decoder is trained "
      "for {} steps to predict the next of {} random symbols, with and without its mask: the loss "
      "cannot fall below log {} = {:.2f} without seeing the answer.",
      kMaskLength, steps, kMaskSymbols, kMaskSymbols, std::log(double{kMaskSymbols}));
  result.table.columns = {"model", "earlier outputs compared", "changed", "largest difference",
                          "loss after training"};

  Random random({lab.options.seed, stream_of("lab.masks")});
  const auto source = random_symbols(random, kMaskLength, kMaskSymbols),
             ids = random_symbols(random, kMaskLength, kMaskSymbols);

  Plot plot{
      "masks", "Predicting random symbols: only a leak helps", {"step"}, {"loss per symbol"}, {}};
  Leak leaks[2];
  double losses[2];
  for (const bool causal : {true, false}) {
    const char* label = causal ? "decoder, causal mask" : "decoder without mask";
    lab.progress(fmt::format("{}: {} steps", label, steps));
    const auto model =
        make_transformer(small_config(), {kMaskSymbols, kMaskSymbols, causal}, lab.options.seed);
    leaks[causal] = measure_leak(outputs_of(*model), ids);
    const PracticeCurve curve =
        practise(*model, next_symbol, {steps, 0, 1e-3f, 50, lab.options.seed});
    losses[causal] = curve.recent();
    result.table.rows.push_back(
        leak_row(label, leaks[causal], fmt::format("{:.3f}", losses[causal])));
    plot.series.push_back(loss_series(label, curve));
  }
  const Transformer whole(small_config(), lab.options.seed);
  const Leak of_whole = measure_leak(outputs_of(whole, source), ids);
  result.table.rows.push_back(leak_row("encoder-decoder", of_whole, ""));
  plot.series.push_back(
      {"chance: log 16",
       {{1, std::log(kMaskSymbols)}, {static_cast<double>(steps), std::log(kMaskSymbols)}}});
  result.plots.push_back(plot);

  const bool sees_itself = of_whole.own == kMaskLength && leaks[true].own == kMaskLength;
  const bool tight = leaks[true].changed == 0 && of_whole.changed == 0;
  const bool leaks_without = leaks[false].changed == leaks[false].compared;
  // A few training steps are not enough to decide.
  const bool cheats =
      losses[true] > 0.98 * std::log(kMaskSymbols) && losses[false] < 0.9 * std::log(kMaskSymbols);
  result.verdict = sees_itself && tight && leaks_without && (cheats || lab.options.quick)
                       ? Verdict::confirmed
                       : Verdict::refuted;
  result.finding = change_of(leaks[true], leaks[false], of_whole);
  if (cheats) {
    result.finding += fmt::format(
        " After training, the loss of the masked decoder stays at chance ({:.2f}); that of the "
        "other falls to {:.3f}, because it reads the answer instead of predicting it.",
        losses[true], losses[false]);
  }
  return result;
}

}  // namespace attend::lab
