#include <fmt/format.h>

#include <cmath>

#include "attend/lab/exercise.h"
#include "attend/lab/experiments.h"
#include "attend/nn/attention/multi_head_attention.h"
#include "attend/nn/layers.h"
#include "attend/nn/positional_encoding.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/losses/cross_entropy.h"

namespace attend::lab {

namespace {

constexpr std::int64_t kDepthWidth = 32;
constexpr std::int32_t kDepthSymbols = 16;
constexpr std::int64_t kDepthLength = 16;

struct Connection {
  const char* label;
  bool residual;
  bool norm;
};
constexpr Connection kConnections[] = {{"residual and norm", true, true},
                                       {"residual only", true, false},
                                       {"norm only", false, true},
                                       {"neither", false, false}};

// The sublayers of a Transformer with or without residual connections and normalization: a stack
// that no configuration offers.
class Stack final : public SequenceModel {
 public:
  Stack(const Connection& connection, int depth, std::uint64_t seed)
      : connection_(connection),
        embedding_(parameters_.add("embedding.weight", {kDepthSymbols, kDepthWidth},
                                   {Init::Kind::normal, 1.0f})),
        positions_(parameters_, "positions", {PositionKind::sinusoidal, kDepthWidth, kDepthLength}),
        output_(parameters_, "output_proj", kDepthWidth, kDepthSymbols) {
    MultiHeadAttentionOptions attention;
    attention.d_model = kDepthWidth;
    attention.n_heads = 2;
    FeedForwardOptions feed_forward;
    feed_forward.d_model = kDepthWidth;
    feed_forward.d_ff = 2 * kDepthWidth;
    for (int i = 0; i < depth; ++i) {
      const std::string path = fmt::format("layers.{}", i);
      layers_.push_back({MultiHeadAttention(parameters_, path + ".self_attn", attention),
                         FeedForward(parameters_, path + ".feed_forward", feed_forward),
                         Norm(parameters_, path + ".norm1", kDepthWidth, NormOptions{}),
                         Norm(parameters_, path + ".norm2", kDepthWidth, NormOptions{})});
    }
    parameters_.allocate(seed);
  }

  Variable hidden(const Ragged& text, Pass& pass) const override {
    const AttentionLayout layout = text.self_layout(true);
    const Ids positions = text.positions();
    Variable x = embedding(*embedding_, text.ids, 1.0f, positions_.of(text));
    for (const Layer& layer : layers_) {
      x = connect(x, layer.attention.self(x, layout, positions, pass), layer.norm1);
      x = connect(x, layer.feed_forward.forward(x, pass), layer.norm2);
    }
    return x;
  }
  Variable logits(const Exercise& exercise, Pass& pass) const override {
    return output_.forward(gather_rows(hidden(exercise.text, pass), exercise.rows), pass);
  }

  // The gradient norm of each layer's parameters for one batch.
  std::vector<double> gradient_norms(const Exercise& exercise) {
    parameters_.gradients().zero();
    Pass pass = Pass::inference();
    backward(cross_entropy(logits(exercise, pass), exercise.targets).loss);
    std::vector<double> squares(layers_.size());
    const Tensor gradients = parameters_.gradients().to_host();
    for (const ParameterSet::Entry& entry : parameters_.entries()) {
      for (std::size_t i = 0; i < layers_.size(); ++i) {
        if (!entry.name.starts_with(fmt::format("layers.{}.", i))) continue;
        for (std::int64_t p = entry.offset; p < entry.offset + entry.shape.size(); ++p) {
          const double value = gradients.data()[p];
          squares[i] += value * value;
        }
      }
    }
    for (double& square : squares) square = std::sqrt(square);
    return squares;
  }

 private:
  struct Layer {
    MultiHeadAttention attention;
    FeedForward feed_forward;
    Norm norm1, norm2;
  };

  Variable connect(const Variable& x, const Variable& branch, const Norm& norm) const {
    const Variable sum = connection_.residual ? add(x, branch) : branch;
    return connection_.norm ? norm.forward(sum) : sum;
  }

  Connection connection_;
  Parameter embedding_;
  PositionalEncoding positions_;
  Linear output_;
  std::vector<Layer> layers_;
};

Exercise depth_task(Random& random) {
  return recall_back(random, 16, kDepthLength, 1, kDepthSymbols);
}

Plot gradient_plot(const Lab& lab, int depth) {
  Plot plot{"depth-gradients",
            fmt::format("Gradient of each of {} layers before training", depth),
            {"layer"},
            {"norm of the gradient", AxisScale::log10},
            {}};
  for (const Connection& connection : kConnections) {
    Stack model(connection, depth, lab.options.seed);
    Random random({lab.options.seed, stream_of("lab.depth.gradients")});
    Series series{connection.label, {}};
    for (const double norm : model.gradient_norms(depth_task(random)))
      series.points.emplace_back(static_cast<double>(series.points.size() + 1), norm);
    plot.series.push_back(series);
  }
  return plot;
}

}  // namespace

LabResult run_depth(const Lab& lab) {
  const auto depths = lab.full_or_quick<std::vector<int>>({1, 2, 4, 8, 16, 32}, {1, 4});
  const std::int64_t steps = lab.full_or_quick<std::int64_t>(500, 10);
  LabResult result;
  result.measured = fmt::format(
      "The task: name the symbol (of {}) one position earlier. Causal post-norm layers of width "
      "{}, with and without residual connections and layer normalization, {} steps of Adam at a "
      "learning rate of 1e-3 after 50 steps of warm-up. The table shows the loss after training; "
      "guessing gives {:.2f}.",
      kDepthSymbols, kDepthWidth, steps, std::log(double{kDepthSymbols}));
  result.table.columns = {"connection"};
  for (const int depth : depths)
    result.table.columns.push_back(fmt::format("{} layer{}", depth, depth == 1 ? "" : "s"));
  Plot plot{"depth-loss",
            "Loss after training, against depth",
            {"layers", AxisScale::log2},
            {"loss", AxisScale::log10},
            {}};
  for (const Connection& connection : kConnections) {
    std::vector<std::string> row{connection.label};
    plot.series.push_back({connection.label, {}});
    for (const int depth : depths) {
      lab.progress(fmt::format("{}, {} layers", connection.label, depth));
      Stack model(connection, depth, lab.options.seed);
      const double loss =
          practise(model, depth_task, {steps, 0, 1e-3f, 50, lab.options.seed}).recent();
      row.push_back(std::isfinite(loss) ? fmt::format("{:.3f}", loss) : "diverged");
      plot.series.back().points.emplace_back(static_cast<double>(depth), loss);
    }
    result.table.rows.push_back(row);
  }
  const double chance = std::log(double{kDepthSymbols});
  // The deepest stack that learned.
  const auto reach = [&](std::size_t series) {
    double deepest = 0;
    for (const auto& [depth, loss] : plot.series[series].points) {
      if (loss < 0.1 * chance) deepest = depth;
    }
    return deepest;
  };
  result.verdict = reach(0) > std::max({reach(1), reach(2), reach(3)})   ? Verdict::confirmed
                   : reach(0) < std::max({reach(1), reach(2), reach(3)}) ? Verdict::refuted
                                                                         : Verdict::unclear;
  result.finding = fmt::format(
      "The deepest stack that learned (a loss below a tenth of guessing) has {} layers with both, "
      "{} with residual connections only, {} "
      "with normalization only, {} with neither.",
      reach(0), reach(1), reach(2), reach(3));
  result.plots = {plot, gradient_plot(lab, lab.full_or_quick(16, 4))};
  return result;
}

}  // namespace attend::lab
