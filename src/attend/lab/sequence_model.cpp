#include <fmt/format.h>

#include <cmath>

#include "attend/lab/exercise.h"
#include "attend/models/stack/transformer_stack.h"
#include "attend/nn/gru.h"
#include "attend/nn/positional_encoding.h"
#include "attend/ops/embedding.h"

namespace attend::lab {

namespace {

Parameter add_embedding(ParameterSet& parameters, std::int64_t symbols, std::int64_t width) {
  return parameters.add("embedding.weight", {symbols, width},
                        {Init::Kind::normal, 1.0f / std::sqrt(static_cast<float>(width))});
}

float embedding_scale(std::int64_t width) { return std::sqrt(static_cast<float>(width)); }

class TransformerSequence final : public SequenceModel {
 public:
  TransformerSequence(const TransformerConfig& config, const SequenceShape& shape,
                      std::uint64_t seed)
      : causal_(shape.causal),
        width_(config.d_model),
        embedding_(add_embedding(parameters_, shape.symbols, width_)),
        positions_(parameters_, "positions", {config.positions, width_, config.max_positions}),
        stack_(parameters_, "stack", config, {.layers = config.n_encoder_layers}),
        output_(parameters_, "output_proj", width_, shape.classes) {
    parameters_.allocate(seed);
  }

  Variable hidden(const Ragged& text, Pass& pass) const override {
    const Variable x =
        embedding(*embedding_, text.ids, embedding_scale(width_), positions_.of(text));
    SequenceContext context(text, causal_);
    return stack_.forward(x, context, pass);
  }
  Variable logits(const Exercise& exercise, Pass& pass) const override {
    return output_.forward(gather_rows(hidden(exercise.text, pass), exercise.rows), pass);
  }

 private:
  bool causal_;
  std::int64_t width_;
  Parameter embedding_;
  PositionalEncoding positions_;
  TransformerStack stack_;
  Linear output_;
};

class GruSequence final : public SequenceModel {
 public:
  GruSequence(std::int64_t width, int layers, const SequenceShape& shape, std::uint64_t seed)
      : width_(width), embedding_(add_embedding(parameters_, shape.symbols, width)) {
    for (int i = 0; i < layers; ++i)
      layers_.emplace_back(parameters_, fmt::format("layers.{}", i), width, width);
    output_.emplace_back(parameters_, "output_proj", width, shape.classes);
    parameters_.allocate(seed);
  }

  Variable hidden(const Ragged& text, Pass& pass) const override {
    const TimeSteps steps(*text.offsets, TimeDirection::forward);
    Variable x = embedding(*embedding_, text.ids, embedding_scale(width_));
    for (const Gru& layer : layers_) x = layer.forward(x, steps, pass);
    return x;
  }
  Variable logits(const Exercise& exercise, Pass& pass) const override {
    return output_.front().forward(gather_rows(hidden(exercise.text, pass), exercise.rows), pass);
  }

 private:
  std::int64_t width_;
  Parameter embedding_;
  std::vector<Gru> layers_;
  std::vector<Linear> output_;
};

}  // namespace

std::unique_ptr<SequenceModel> make_transformer(const TransformerConfig& config,
                                                const SequenceShape& shape, std::uint64_t seed) {
  return std::make_unique<TransformerSequence>(config, shape, seed);
}

std::unique_ptr<SequenceModel> make_gru(std::int64_t width, int layers, const SequenceShape& shape,
                                        std::uint64_t seed) {
  return std::make_unique<GruSequence>(width, layers, shape, seed);
}

}  // namespace attend::lab
