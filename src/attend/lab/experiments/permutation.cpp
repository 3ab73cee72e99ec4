#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attend/lab/exercise.h"
#include "attend/lab/experiments.h"

namespace attend::lab {

namespace {

constexpr std::int32_t kPermutedSymbols = 64;
constexpr double kRounding = 1e-4;  // rounding of sums in another order
constexpr double kVisible = 1e-2;

struct Case {
  const char* label;
  PositionKind positions;
  bool causal;
  bool equivariant;  // according to the claim
};

constexpr Case kCases[] = {{"none", PositionKind::none, false, true},
                           {"sinusoidal", PositionKind::sinusoidal, false, false},
                           {"learned", PositionKind::learned, false, false},
                           {"none, causal mask", PositionKind::none, true, false}};

TransformerConfig permuted_layers(PositionKind positions) {
  TransformerConfig config;
  config.d_model = 64;
  config.n_heads = 4;
  config.d_ff = 128;
  config.n_encoder_layers = 2;
  config.positions = positions;
  return config;
}

Tensor outputs(const SequenceModel& model, const std::vector<std::int32_t>& ids) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  return model.hidden(Ragged::one(ids), pass).value().to_host();
}

// The largest difference between the outputs for a permuted text and the permuted outputs.
double difference(const SequenceModel& model, const std::vector<std::int32_t>& ids,
                  const std::vector<std::size_t>& order) {
  std::vector<std::int32_t> permuted;
  for (const std::size_t from : order) permuted.push_back(ids[from]);
  const Tensor of_original = outputs(model, ids), of_permuted = outputs(model, permuted);
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const float* a = of_original.row(static_cast<std::int64_t>(order[i]));
    const float* b = of_permuted.row(static_cast<std::int64_t>(i));
    for (std::int64_t d = 0; d < of_original.cols(); ++d)
      largest = std::max(largest, std::fabs(double{a[d]} - double{b[d]}));
  }
  return largest;
}

}  // namespace

LabResult run_permutation(const Lab& lab) {
  const auto lengths =
      lab.full_or_quick<std::vector<std::int64_t>>({4, 8, 16, 32, 64, 128, 256, 512}, {4, 16});
  LabResult result;
  result.measured =
      "Two Transformer layers (d_model 64, 4 heads, random weights) read random tokens, and the "
      "same tokens in a random order. The table shows the largest absolute difference between the "
      "outputs for the permuted tokens and the permuted outputs; outputs are about 1 in size.";
  result.table.columns = {"positions"};
  for (const std::int64_t n : lengths) result.table.columns.push_back(fmt::format("n={}", n));

  Plot plot{"permutation",
            "Permuted inputs against permuted outputs",
            {"tokens", AxisScale::log2},
            {"largest difference", AxisScale::log10},
            {}};
  double equivariant = 0, others = INFINITY;
  for (const Case& one : kCases) {
    lab.progress(fmt::format("positions: {}", one.label));
    const auto model = make_transformer(permuted_layers(one.positions),
                                        {kPermutedSymbols, 1, one.causal}, lab.options.seed);
    Random random({lab.options.seed, stream_of("lab.permutation")});
    std::vector<std::string> row{one.label};
    plot.series.push_back({one.label, {}});
    for (const std::int64_t n : lengths) {
      const auto ids = random_symbols(random, n, kPermutedSymbols);
      std::vector<std::size_t> order(ids.size());
      std::iota(order.begin(), order.end(), 0);
      shuffle(order, random);
      const double largest = difference(*model, ids, order);
      row.push_back(fmt::format("{:.1e}", largest));
      plot.series.back().points.emplace_back(static_cast<double>(n), largest);
      if (one.equivariant) equivariant = std::max(equivariant, largest);
      if (!one.equivariant) others = std::min(others, largest);
    }
    result.table.rows.push_back(row);
  }
  result.plots.push_back(plot);
  result.verdict =
      equivariant < kRounding && others > kVisible ? Verdict::confirmed : Verdict::refuted;
  result.finding = fmt::format(
      "Without positions the outputs move with their tokens, up to rounding (at most {:.0e}). "
      "Sinusoids, a learned table and a causal mask each break that (at least {:.2f}): a mask "
      "carries order, too.",
      equivariant, others);
  return result;
}

}  // namespace attend::lab
