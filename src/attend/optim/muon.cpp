#include "attend/optim/muon.h"

#include <algorithm>
#include <cmath>

#include "attend/backend/backend.h"
#include "attend/core/option_fields.h"
#include "attend/core/parallel.h"

namespace attend {

namespace {

// The root mean square of an update at learning rate 1, about that of Adam.
constexpr float kUpdateSize = 0.2f;

bool is_inner_matrix(const ParameterSet::Entry& entry) {
  return entry.use == ParameterSet::Entry::Use::product;
}

bool is_other(const ParameterSet::Entry& entry) { return !is_inner_matrix(entry); }

}  // namespace

// Newton-Schulz: with A = X X^T, X <- a X + b A X + c A^2 X brings singular values close to 1 in
// five steps, for a = 3.4445, b = -4.7750, c = 2.0315 (Jordan et al. 2024). Here applied to c^(1/4)
// X, which turns c into 1 and b into b / sqrt(c).
Tensor nearly_orthogonal(const Tensor& matrix, Precision products) {
  constexpr int kSteps = 5;
  constexpr float kA = 3.4445f, kB = -3.350157f, kScale = 1.193862f;
  const bool tall = matrix.dim(0) > matrix.dim(1);
  const std::int64_t narrow = std::min(matrix.dim(0), matrix.dim(1));
  Tensor x = Tensor::empty(matrix.shape()), next = Tensor::empty(matrix.shape());
  // No singular value exceeds the norm.
  backend().scaled_add(backend().scale_to_norm(backend().sum_of_squares(matrix), kScale), 1.0f,
                       matrix, 0.0f, x);
  const Tensor square = Tensor::empty({narrow, narrow}),
               polynomial = Tensor::empty({narrow, narrow});
  for (int i = 0; i < kSteps; ++i) {
    backend().matmul(x, x, {.transpose_a = tall, .transpose_b = !tall, .precision = products},
                     square);
    polynomial.copy_from(square);
    backend().matmul(square, square, {.beta = kB, .precision = products}, polynomial);
    next.copy_from(x);
    backend().matmul(tall ? x : polynomial, tall ? polynomial : x,
                     {.beta = kA, .precision = products}, next);
    std::swap(x, next);
  }
  backend().axpby(1.0f / kScale, x, 0.0f, next);
  return next;
}

Muon::Muon(ParameterSet& parameters, const MuonOptions& options, const AdamOptions& rest,
           Precision products, float layer_decay)
    : parameters_(parameters),
      options_(options),
      adam_options_(rest),
      products_(products),
      rest_(parameters, rest, parameter_groups(parameters, layer_decay, is_other)) {
  check_options(options);
  std::int64_t size = 0;
  const std::vector<float> factors = layer_factors(parameters, layer_decay);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const ParameterSet::Entry& entry = parameters.entries()[i];
    if (!is_inner_matrix(entry) || entry.frozen) continue;
    matrices_.push_back({entry.offset, size, entry.shape, factors[i]});
    size += entry.shape.size();
  }
  momentum_ = Tensor::zeros({size});
}

std::vector<std::pair<std::string_view, Tensor>> Muon::state() const {
  auto state = rest_.state();
  state.emplace_back("muon.momentum", momentum_);
  return state;
}

DeviceScalar Muon::step(float learning_rate) {
  const DeviceScalar squares = backend().sum_of_squares(parameters_.gradients());
  const DeviceScalar scale = clipping(adam_options_, squares);
  parallel_each(std::ssize(matrices_), [&](std::int64_t i) {
    update(matrices_[static_cast<std::size_t>(i)], learning_rate, scale);
  });
  rest_.update(learning_rate, scale);
  return squares;
}

// m <- momentum m + (1 - momentum) g,   W <- (1 - rate decay) W - rate size orthogonal(momentum m +
// (1 - momentum) g)
void Muon::update(const Matrix& matrix, float base_rate, const DeviceScalar& gradient_scale) const {
  const std::int64_t size = matrix.shape.size();
  const float learning_rate = base_rate * matrix.learning_rate;
  const Tensor gradient = parameters_.gradients({matrix.offset, matrix.offset + size});
  const Tensor values = parameters_.values().slice_rows(matrix.offset, matrix.offset + size);
  const Tensor momentum = momentum_.slice_rows(matrix.momentum, matrix.momentum + size);
  const float fresh = 1.0f - options_.momentum;
  backend().scaled_add(gradient_scale, fresh, gradient, options_.momentum, momentum);
  const Tensor ahead = momentum.clone();
  backend().scaled_add(gradient_scale, fresh, gradient, options_.momentum, ahead);
  const Tensor direction = nearly_orthogonal(ahead.reshape(matrix.shape), products_);
  const auto longer = static_cast<float>(std::max(matrix.shape[0], matrix.shape[1]));
  backend().axpby(-learning_rate * kUpdateSize * std::sqrt(longer), direction.reshape({size}),
                  1.0f - learning_rate * adam_options_.weight_decay, values);
}

}  // namespace attend
