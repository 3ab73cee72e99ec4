#include "attend/ops/losses/blockwise_loss.h"

#include <utility>
#include <vector>

namespace attend::detail {

float loss_scale(double normalizer, std::int64_t rows) {
  if (!(normalizer > 0.0)) normalizer = static_cast<double>(rows);
  return normalizer > 0.0 ? static_cast<float>(1.0 / normalizer) : 0.0f;
}

BlockwiseProjection::BlockwiseProjection(const AffineMap& map, Precision precision, bool recording)
    : weight_(map.weight.value()), bias_(map.bias.value()), precision_(precision) {
  if (recording && map.weight.requires_gradient()) dweight_ = Tensor::empty(weight_.shape());
  if (recording && map.bias.requires_gradient()) dbias_ = Tensor::empty(bias_.shape());
}

void BlockwiseProjection::forward(const Tensor& x, const Tensor& logits) const {
  backend()->linear(x, weight_, bias_, {.precision = precision_}, logits);
}

void BlockwiseProjection::backward(const Tensor& dlogits, const Tensor& x, const Tensor& dx) {
  if (dweight_.defined())
    backend()->matmul(dlogits, x, {.transpose_a = true, .beta = beta_, .precision = precision_},
                      dweight_);
  if (dbias_.defined()) backend()->sum_rows(dlogits, beta_, dbias_);
  backend()->matmul(dlogits, weight_, {.precision = precision_}, dx);
  beta_ = 1.0f;
}

LogitCap::LogitCap(float cap, std::int64_t rows, std::int64_t columns, bool recording)
    : cap_(cap), scaled_(cap > 0.0f && recording ? Tensor::empty({rows, columns}) : Tensor()) {}

void LogitCap::forward(const Tensor& logits) const {
  if (cap_ <= 0.0f) return;
  const Tensor scaled = scaled_.defined() ? scaled_.slice_rows(0, logits.rows()) : logits;
  backend()->axpby(1.0f / cap_, logits, 0.0f, scaled);
  backend()->activate(Activation::tanh, scaled, logits);
  backend()->axpby(cap_, logits, 0.0f, logits);
}

void LogitCap::backward(const Tensor& dlogits) const {
  if (cap_ <= 0.0f) return;
  backend()->activate_backward(Activation::tanh, scaled_.slice_rows(0, dlogits.rows()), dlogits,
                               dlogits);
}

namespace {

// A gradient for a loss gradient of 1, and where it goes.
struct KnownGradient {
  GradientSink sink;
  Tensor gradient;
  Ids rows;

  // Adds the gradient times the loss gradient, or adopts it.
  void send(const Tensor& dloss) const {
    if (!sink.needed()) return;
    if (rows) {
      send_rows(dloss);
    } else if (is_unit_gradient(dloss)) {
      sink.add(gradient);
    } else {
      const auto [buffer, beta] = sink.target();
      backend()->scaled_add(DeviceScalar(dloss), 1.0f, gradient, beta, buffer);
    }
  }

 private:
  void send_rows(const Tensor& dloss) const {
    if (!is_unit_gradient(dloss))
      backend()->scaled_add(DeviceScalar(dloss), 1.0f, gradient, 0.0f, gradient);
    const auto [buffer, beta] = sink.target();
    if (beta == 0.0f) buffer.zero();
    backend()->scatter_add(gradient, rows, 1.0f, buffer);
  }
};

}  // namespace

CrossEntropy RowLosses::recorded(std::initializer_list<InputGradient> gradients) const {
  const DeviceScalar total = backend()->sum(losses);
  const Tensor loss = Tensor::empty({1});
  backend()->store(total, scale, loss);

  std::vector<const Variable*> inputs;
  std::vector<KnownGradient> known;
  for (const auto& [input, gradient, rows] : gradients) {
    inputs.push_back(&input);
    known.push_back({input.sink(), gradient, rows});
  }
  Variable output = record(loss, std::span<const Variable* const>(inputs),
                           [known = std::move(known)](const Tensor& dloss) {
                             for (const KnownGradient& one : known) one.send(dloss);
                           });
  return {std::move(output), total, backend()->sum(nll)};
}

}  // namespace attend::detail
