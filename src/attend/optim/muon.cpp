#include "attend/optim/muon.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "attend/backend/backend.h"
#include "attend/collective/gather_parts.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/threads/parallel.h"

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
Tensor newton_schulz(const Tensor& matrix, Precision products) {
  constexpr int kSteps = 5;
  constexpr float kA = 3.4445f, kB = -3.350157f, kScale = 1.193862f;
  const bool tall = matrix.dim(0) > matrix.dim(1);
  const std::int64_t narrow = std::min(matrix.dim(0), matrix.dim(1));
  Tensor x = Tensor::empty(matrix.shape()), next = Tensor::empty(matrix.shape());
  // No singular value exceeds the norm.
  backend()->scaled_add(backend()->scale_to_norm(backend()->sum_of_squares(matrix), kScale), 1.0f,
                        matrix, 0.0f, x);
  const Tensor square = Tensor::empty({narrow, narrow}),
               polynomial = Tensor::empty({narrow, narrow});
  for (int i = 0; i < kSteps; ++i) {
    backend()->matmul(x, x, {.transpose_a = tall, .transpose_b = !tall, .precision = products},
                      square);
    polynomial.copy_from(square);
    backend()->matmul(square, square, {.beta = kB, .precision = products}, polynomial);
    next.copy_from(x);
    backend()->matmul(tall ? x : polynomial, tall ? polynomial : x,
                      {.beta = kA, .precision = products}, next);
    std::swap(x, next);
  }
  backend()->axpby(1.0f / kScale, x, 0.0f, next);
  return next;
}

Muon::Muon(ParameterSet& parameters, const MuonOptions& options, const AdamOptions& rest,
           const MuonSetting& setting)
    : parameters_(parameters),
      options_(options),
      adam_options_(rest),
      products_(setting.products),
      rest_(parameters, rest,
            shard_of(parameter_groups(parameters, setting.layer_decay, is_other), setting.shard,
                     kAdamUnit)) {
  check_options(options);
  const std::vector<float> factors = layer_factors(parameters, setting.layer_decay);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const ParameterSet::Entry& entry = parameters.entries()[i];
    if (is_inner_matrix(entry) && !entry.frozen)
      matrices_.push_back({entry.offset, 0, entry.shape, factors[i]});
  }
  const std::vector<std::size_t> cuts = cut_by_cost(setting.shard.count);
  const auto index = static_cast<std::size_t>(setting.shard.index);
  matrices_ = {matrices_.begin() + static_cast<std::ptrdiff_t>(cuts[index]),
               matrices_.begin() + static_cast<std::ptrdiff_t>(cuts[index + 1])};
  std::int64_t size = 0;
  for (Matrix& matrix : matrices_) {
    matrix.momentum = size;
    size += matrix.shape.size();
  }
  momentum_ = Tensor::zeros({size});
}

std::vector<ParameterRange> Muon::updated() const {
  std::vector<ParameterRange> ranges = rest_.updated();
  for (const Matrix& matrix : matrices_)
    ranges.push_back({matrix.offset, matrix.offset + matrix.shape.size()});
  return ranges;
}

std::vector<std::pair<std::string_view, Tensor>> Muon::state() const {
  auto state = rest_.state();
  state.emplace_back("muon.momentum", momentum_);
  return state;
}

DeviceScalar Muon::step(float learning_rate) {
  const DeviceScalar squares = backend()->sum_of_squares(parameters_.gradients());
  const DeviceScalar scale = clipping(adam_options_, squares);
  if (sharing_) {
    step_shared(learning_rate, scale);
  } else {
    parallel_each(std::ssize(matrices_), [&](std::int64_t i) {
      const Matrix& matrix = matrices_[static_cast<std::size_t>(i)];
      advance_momentum(matrix, scale);
      move(matrix, learning_rate, direction(matrix, scale));
    });
  }
  rest_.update(learning_rate, scale);
  return squares;
}

// Cuts the row of matrices into parts: each gets those whose middles, in units of cost, are in it.
// Returns the first matrix of each part and, at last, the number of matrices.
std::vector<std::size_t> Muon::cut_by_cost(int parts) const {
  std::vector<double> ends;  // the cost of the matrices up to each
  for (const Matrix& matrix : matrices_) {
    const auto narrow = static_cast<double>(std::min(matrix.shape[0], matrix.shape[1]));
    const auto numbers = static_cast<double>(matrix.shape.size());
    ends.push_back((ends.empty() ? 0.0 : ends.back()) + narrow * (2 * numbers + narrow * narrow));
  }
  std::vector<std::size_t> cuts{0};
  std::size_t at = 0;
  for (int part = 1; part < parts; ++part) {
    const double limit = ends.empty() ? 0.0 : ends.back() * part / parts;
    while (at < ends.size() && (at == 0 ? 0.0 : ends[at - 1]) + ends[at] < 2 * limit) ++at;
    cuts.push_back(at);
  }
  cuts.push_back(matrices_.size());
  return cuts;
}

void Muon::share_steps(Collective& processes) {
  Sharing sharing{processes, Tensor::empty(momentum_.shape()), {}};
  for (const std::size_t cut : cut_by_cost(processes.size()))
    sharing.begins.push_back(cut < matrices_.size() ? matrices_[cut].momentum : momentum_.size());
  sharing_.emplace(std::move(sharing));
}

// All processes advance all momenta, which is little work and keeps their states equal.
void Muon::step_shared(float base_rate, const DeviceScalar& gradient_scale) const {
  const auto rank = static_cast<std::size_t>(sharing_->processes.rank());
  const std::int64_t begin = sharing_->begins[rank], end = sharing_->begins[rank + 1];
  const auto direction_of = [&](const Matrix& matrix) {
    return sharing_->directions.slice_rows(matrix.momentum, matrix.momentum + matrix.shape.size())
        .reshape(matrix.shape);
  };
  parallel_each(std::ssize(matrices_), [&](std::int64_t i) {
    const Matrix& matrix = matrices_[static_cast<std::size_t>(i)];
    advance_momentum(matrix, gradient_scale);
    if (matrix.momentum >= begin && matrix.momentum < end)
      direction_of(matrix).copy_from(direction(matrix, gradient_scale));
  });
  gather_parts(sharing_->processes, sharing_->directions, sharing_->begins);
  for (const Matrix& matrix : matrices_) move(matrix, base_rate, direction_of(matrix));
}

// m <- momentum m + (1 - momentum) g
void Muon::advance_momentum(const Matrix& matrix, const DeviceScalar& gradient_scale) const {
  const std::int64_t size = matrix.shape.size();
  const Tensor gradient = parameters_.gradients({matrix.offset, matrix.offset + size});
  const Tensor momentum = momentum_.slice_rows(matrix.momentum, matrix.momentum + size);
  backend()->scaled_add(gradient_scale, 1.0f - options_.momentum, gradient, options_.momentum,
                        momentum);
}

// orthogonal(momentum m + (1 - momentum) g), after the momentum has advanced.
Tensor Muon::direction(const Matrix& matrix, const DeviceScalar& gradient_scale) const {
  const std::int64_t size = matrix.shape.size();
  const Tensor gradient = parameters_.gradients({matrix.offset, matrix.offset + size});
  const Tensor ahead = momentum_.slice_rows(matrix.momentum, matrix.momentum + size).clone();
  backend()->scaled_add(gradient_scale, 1.0f - options_.momentum, gradient, options_.momentum,
                        ahead);
  return newton_schulz(ahead.reshape(matrix.shape), products_);
}

// W <- (1 - rate decay) W - rate size direction
void Muon::move(const Matrix& matrix, float base_rate, const Tensor& direction) const {
  const std::int64_t size = matrix.shape.size();
  const float learning_rate = base_rate * matrix.learning_rate;
  const Tensor values = parameters_.values().slice_rows(matrix.offset, matrix.offset + size);
  const auto longer = static_cast<float>(std::max(matrix.shape[0], matrix.shape[1]));
  backend()->axpby(-learning_rate * kUpdateSize * std::sqrt(longer), direction.reshape({size}),
                   1.0f - learning_rate * adam_options_.weight_decay, values);
}

}  // namespace attend
