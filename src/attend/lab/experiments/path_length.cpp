#include <fmt/format.h>

#include <cstdlib>

#include "attend/lab/exercise.h"
#include "attend/lab/experiments.h"

namespace attend::lab {

namespace {

constexpr std::int32_t kPathSymbols = 16;
constexpr std::int64_t kBatch = 32;

TransformerConfig two_layers() {
  TransformerConfig config;
  config.d_model = 64;
  config.n_heads = 4;
  config.d_ff = 128;
  config.n_encoder_layers = 2;
  config.dropout = 0;
  return config;
}

// The width at which a GRU has about as many parameters.
std::int64_t equal_width(std::int64_t parameters) {
  std::int64_t best = 1, distance = parameters;
  for (std::int64_t width = 8; width <= 512; width += 4) {
    // Input and state weights, biases, embedding, output.
    const std::int64_t size =
        6 * width * width + 6 * width + 2 * kPathSymbols * width + kPathSymbols;
    if (std::abs(size - parameters) < distance)
      best = width, distance = std::abs(size - parameters);
  }
  return best;
}

}  // namespace

LabResult run_path_length(const Lab& lab) {
  const auto distances =
      lab.full_or_quick<std::vector<std::int64_t>>({4, 8, 16, 32, 64, 128, 256}, {4, 16});
  const double seconds = lab.full_or_quick(10.0, 0.5);
  const std::int64_t parameters = make_transformer(two_layers(), {}, 1)->parameters().size();
  const std::int64_t width = equal_width(parameters);

  LabResult result;
  result.measured = fmt::format(
      "The task: read n + 1 symbols (of {}) and recall the first. A Transformer of two layers "
      "(d_model 64) with {} parameters and a GRU (width {}) with {} are trained for {} seconds of "
      "CPU time each at every distance n. The table shows their accuracy on 1024 new sequences. "
      "Guessing gives {:.3f}. The times, and so the results, depend on the machine.",
      kPathSymbols, parameters, width, make_gru(width, 1, {}, 1)->parameters().size(), seconds,
      1.0 / kPathSymbols);
  result.table.columns = {"n", "Transformer", "its steps", "GRU", "its steps"};
  Plot plot{"path-length",
            fmt::format("Recall after {} seconds of training (CPU time)", seconds),
            {"distance n", AxisScale::log2},
            {"accuracy"},
            {{"Transformer", {}}, {"GRU", {}}}};
  for (const std::int64_t n : distances) {
    std::vector<std::string> row{fmt::format("{}", n)};
    for (const bool recurrent : {false, true}) {
      lab.progress(fmt::format("n = {}, {}", n, recurrent ? "GRU" : "Transformer"));
      const auto model = recurrent ? make_gru(width, 1, {}, lab.options.seed)
                                   : make_transformer(two_layers(), {}, lab.options.seed);
      const auto make = [n](Random& random) {
        return recall_first(random, kBatch, n, kPathSymbols);
      };
      const PracticeCurve curve = practise(*model, make, {0, seconds, 2e-3f, 50, lab.options.seed});
      Random random({lab.options.seed, stream_of("lab.path_length.test")});
      const double right = accuracy(*model, recall_first(random, 1024, n, kPathSymbols));
      plot.series[recurrent].points.emplace_back(static_cast<double>(n), right);
      row.push_back(fmt::format("{:.3f}", right));
      row.push_back(fmt::format("{}", curve.losses.size()));
    }
    result.table.rows.push_back(row);
  }

  // The longest distance up to which a model is correct nine times out of ten.
  const auto reach = [&](std::size_t series) {
    double longest = 0;
    for (const auto& [n, right] : plot.series[series].points) {
      if (right < 0.9) break;
      longest = n;
    }
    return longest;
  };
  result.verdict = reach(0) > reach(1)    ? Verdict::confirmed
                   : reach(0) == reach(1) ? Verdict::unclear
                                          : Verdict::refuted;
  result.finding = fmt::format(
      "An accuracy of 0.9 is reached up to a distance of {} (Transformer) and {} (GRU).", reach(0),
      reach(1));
  result.plots.push_back(plot);
  return result;
}

}  // namespace attend::lab
