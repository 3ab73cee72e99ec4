#include "attend/ops/losses/soft_targets.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "attend/backend/backend.h"
#include "attend/error.h"

namespace attend {

SoftTargets::SoftTargets(std::vector<std::int32_t> classes, std::span<const float> shares,
                         std::int64_t k, float weight)
    : weight_(weight), k_(k), classes_(std::move(classes)) {
  if (k < 1 || classes_.size() != shares.size() || std::ssize(shares) % k != 0)
    throw ShapeError(
        fmt::format("[soft_targets] expected rows of {} classes and shares, got {} and {}", k,
                    classes_.size(), shares.size()));
  if (!(weight >= 0.0f && weight <= 1.0f))
    throw ConfigError(fmt::format("[soft_targets] expected a weight in [0, 1], got {}", weight));
  const std::int64_t rows = std::ssize(shares) / k;
  std::vector<float> factors, constants;
  factors.reserve(static_cast<std::size_t>(rows * (k + 1)));
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto of_row =
        shares.subspan(static_cast<std::size_t>(row * k), static_cast<std::size_t>(k));
    double all = 0.0, constant = 0.0;
    for (const float share : of_row) all += share;
    for (const float share : of_row) {
      const double q = all > 0.0 ? share / all : 0.0;
      if (q > 0.0) constant += q * std::log(q);
      factors.push_back(static_cast<float>(-weight * q));
    }
    factors.push_back(weight);
    constants.push_back(static_cast<float>(weight * constant));
  }
  factors_ = Tensor::from(factors, {rows, k + 1});
  constants_ = Tensor::from(constants, {rows});
}

void SoftTargets::check(std::string_view op, std::int64_t targets, std::int64_t classes) const {
  if (!used()) return;
  if (targets != size())
    throw ShapeError(
        fmt::format("[{}] expected soft targets for {} targets, got {}", op, targets, size()));
  for (const std::int32_t one : classes_)
    if (one < 0 || one >= classes)
      throw ShapeError(
          fmt::format("[{}] expected soft targets of classes 0..{}, got {}", op, classes - 1, one));
}

SoftTargets SoftTargets::beside(std::span<const std::int32_t> targets) const {
  if (!used()) return {};
  SoftTargets result = *this;
  std::vector<std::int32_t> columns;
  columns.reserve(classes_.size() + targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto of_row =
        std::span(classes_).subspan(i * static_cast<std::size_t>(k_), static_cast<std::size_t>(k_));
    columns.insert(columns.end(), of_row.begin(), of_row.end());
    columns.push_back(targets[i]);
  }
  result.columns_ = Ids(std::move(columns));
  return result;
}

Tensor SoftTargets::linear_part(const Tensor& logits, std::int64_t begin, std::int64_t end) const {
  const Tensor values = Tensor::empty({end - begin, k_ + 1}),
               part = Tensor::empty({end - begin, 1});
  backend()->gather_columns(logits, columns_.slice(begin * (k_ + 1), end * (k_ + 1)), 0.0f, values);
  backend()->dot_rows(values, factors_.slice_rows(begin, end), part);
  return part;
}

void SoftTargets::add_to_losses(const Tensor& linear_part, std::int64_t begin, std::int64_t end,
                                float share, const Tensor& losses) const {
  backend()->axpby(share, linear_part.reshape({end - begin}), 1.0f, losses);
  backend()->axpby(share, constants_.slice_rows(begin, end), 1.0f, losses);
}

void SoftTargets::add_to_gradient(const Tensor& dlogits, std::int64_t begin, std::int64_t end,
                                  float scale) const {
  const Tensor factors = Tensor::empty({end - begin, k_ + 1});
  backend()->axpby(scale, factors_.slice_rows(begin, end), 0.0f, factors);
  backend()->add_to_columns(dlogits, columns_.slice(begin * (k_ + 1), end * (k_ + 1)), factors);
}

}  // namespace attend
