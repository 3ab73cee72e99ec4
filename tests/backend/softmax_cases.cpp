#include <cmath>

#include "backend/kernel_case.h"

namespace attend {

namespace {

using Results = std::vector<Tensor>;

// A score of size s is rounded by s * 6e-8, which exp turns into that relative error; exp itself
// and the sum of up to 5000 terms add a few units in the last place.
constexpr Tolerance kProbability{5e-8, 2e-6};

// Normal scores of which a few are far out, and a tenth are forbidden, never a whole row.
Tensor scores(Operands& operands, const Shape& shape, bool forbid) {
  const Tensor x = operands.normal(shape[0], shape[1], 3.0f);
  for (std::int64_t r = 0; r < x.rows(); ++r) {
    for (std::int64_t c = 0; c < x.cols(); ++c) {
      if (forbid && operands.random().below(10) == 0) x.row(r)[c] = -INFINITY;
      if ((r + c) % 97 == 13) x.row(r)[c] = r % 2 == 0 ? 60.0f : -200.0f;
    }
    if (x.row(r)[0] == -INFINITY) x.row(r)[0] = 0.5f;
  }
  return x;
}

KernelCase softmax_case(const char* name, float scale, bool forbid) {
  return {name, kMatrixShapes, kProbability,
          [=](Backend& b, Operands& o, const Shape& shape) -> Results {
            const Tensor x = scores(o, shape, forbid);
            const Tensor y = o.output(shape[0], shape[1]);
            b.softmax(x, scale, y);
            b.softmax(x, scale, x);
            return {x, y};
          }};
}

// The first member receives a result, too. A result of size s is rounded by s * 6e-8; exp and log
// add some units in the last place of log(count).
KernelCase log_mean_exp_case(const char* name, std::size_t count) {
  return {name,
          kMatrixShapes,
          {1e-6, 1.5e-7},
          [=](Backend& b, Operands& o, const Shape& shape) -> Results {
            std::vector<Tensor> members;
            for (std::size_t m = 0; m < count; ++m) members.push_back(scores(o, shape, true));
            const Tensor y = o.output(shape[0], shape[1]);
            b.log_mean_exp(members, y);
            b.log_mean_exp(members, members.front());
            return {y, members.front()};
          }};
}

KernelCase cross_entropy_case(const char* name, float label_smoothing, float gradient_scale) {
  // Losses reach 20 (a score of 60 beside the target: 60); the gradient is a difference of
  // probabilities.
  return {name,
          kMatrixShapes,
          {2e-6, 3e-6},
          [=](Backend& b, Operands& o, const Shape& shape) -> Results {
            const Tensor logits = scores(o, shape, false);
            const std::vector<std::int32_t> targets = o.ids(shape[0], shape[1]);
            const Tensor losses = o.output_vector(shape[0]);
            const Tensor nll = o.output_vector(shape[0]);
            b.cross_entropy(logits, targets, label_smoothing, gradient_scale, losses, nll);
            return {losses, nll, logits};
          }};
}

KernelCase paired_cross_entropy_case(const char* name, const PairedLoss& options) {
  // Differences of scores reach 60, and so do divergences.
  return {name,
          kMatrixShapes,
          {1e-5, 3e-6},
          [=](Backend& b, Operands& o, const Shape& shape) -> Results {
            const Tensor one = scores(o, shape, false), other = scores(o, shape, false);
            const std::vector<std::int32_t> targets = o.ids(shape[0], shape[1]);
            const Tensor losses = o.output_vector(shape[0]);
            const Tensor nll = o.output_vector(shape[0]);
            b.paired_cross_entropy(one, other, targets, options, losses, nll);
            return {losses, nll, one, other};
          }};
}

}  // namespace

std::vector<KernelCase> softmax_cases() {
  std::vector<KernelCase> cases;
  cases.push_back(softmax_case("softmax", 1.0f, false));
  cases.push_back(softmax_case("softmax_scaled", 0.3f, false));
  cases.push_back(softmax_case("softmax_forbidden", 1.0f, true));
  cases.push_back({"log_softmax", kMatrixShapes, kLogProbability,
                   [](Backend& b, Operands& o, const Shape& shape) -> Results {
                     const Tensor x = scores(o, shape, true);
                     const Tensor y = o.output(shape[0], shape[1]);
                     b.log_softmax(x, y);
                     b.log_softmax(x, x);
                     return {x, y};
                   }});
  cases.push_back(log_mean_exp_case("log_mean_exp", 2));
  cases.push_back(log_mean_exp_case("log_mean_exp_of_one", 1));
  cases.push_back(log_mean_exp_case("log_mean_exp_of_five", 5));
  // A difference between dy and its average under y, of size 1, times y.
  cases.push_back({"softmax_backward",
                   kMatrixShapes,
                   {1e-6, 3e-6},
                   [](Backend& b, Operands& o, const Shape& shape) -> Results {
                     const Tensor x = scores(o, shape, true);
                     const Tensor y = o.output(shape[0], shape[1]);
                     const Tensor dy = o.normal(shape[0], shape[1]);
                     const Tensor dx = o.output(shape[0], shape[1]);
                     reference_backend().softmax(x, 0.7f, y);
                     b.softmax_backward(y, dy, 0.7f, dx);
                     b.softmax_backward(y, dy, 0.7f, dy);
                     return {dx, dy};
                   }});
  // A sum of up to 5000 gradients of size 1 times a probability.
  cases.push_back({"log_softmax_backward",
                   kMatrixShapes,
                   {1e-5, 3e-6},
                   [](Backend& b, Operands& o, const Shape& shape) -> Results {
                     const Tensor x = scores(o, shape, true), dy = o.normal(shape[0], shape[1]),
                                  dx = o.output(shape[0], shape[1]);
                     b.log_softmax_backward(x, dy, dx);
                     return {dx};
                   }});
  cases.push_back(cross_entropy_case("cross_entropy", 0.0f, 1.0f));
  cases.push_back(cross_entropy_case("cross_entropy_smoothed", 0.1f, 0.25f));
  cases.push_back(cross_entropy_case("cross_entropy_without_gradient", 0.1f, 0.0f));
  cases.push_back(paired_cross_entropy_case("paired_cross_entropy", {0.1f, 5.0f, 0.25f}));
  cases.push_back(paired_cross_entropy_case("paired_cross_entropy_unsmoothed", {0.0f, 1.0f, 1.0f}));
  cases.push_back(
      paired_cross_entropy_case("paired_cross_entropy_without_gradient", {0.1f, 5.0f, 0.0f}));
  return cases;
}

}  // namespace attend
