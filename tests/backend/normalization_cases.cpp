#include "backend/kernel_case.h"

namespace attend {

namespace {

using Results = std::vector<Tensor>;

// Averages over up to 5000 numbers of size 1 with sqrt and division: tens of units in the last
// place of results up to 10.
constexpr Tolerance kNormalized{1e-6, 1e-6};
constexpr float kEpsilon = 1e-5f;

struct Parameters {
  Parameters(Operands& operands, std::int64_t width)
      : gamma(operands.normal_vector(width, 0.3f, 1.0f)),
        beta(operands.normal_vector(width, 0.3f)) {}
  Tensor gamma, beta;
};

KernelCase layer_norm_case(const char* name, float deviation, float center, Tolerance tolerance) {
  return {name, kMatrixShapes, tolerance,
          [=](Backend& b, Operands& o, const Shape& shape) -> Results {
            const Tensor x = o.normal(shape[0], shape[1], deviation, center);
            const Parameters p(o, shape[1]);
            const Tensor y = o.output(shape[0], shape[1]);
            const Tensor mean = o.output_vector(shape[0]);
            const Tensor rstd = o.output_vector(shape[0]);
            b.layer_norm(x, p.gamma, p.beta, kEpsilon, y, mean, rstd);
            return {y, mean, rstd};
          }};
}

Results run_backward(Backend& b, Operands& o, const Shape& shape) {
  const Tensor x = o.normal(shape[0], shape[1]);
  const Parameters p(o, shape[1]);
  const Tensor dy = o.normal(shape[0], shape[1]);
  const Tensor y = o.output(shape[0], shape[1]);
  const Tensor dx = o.output(shape[0], shape[1]);
  const Tensor mean = o.output_vector(shape[0]);
  const Tensor rstd = o.output_vector(shape[0]);
  const Tensor dgamma = o.normal_vector(shape[1]);  // added to
  const Tensor dbeta = o.normal_vector(shape[1]);
  reference_backend().layer_norm(x, p.gamma, p.beta, kEpsilon, y, mean, rstd);
  b.layer_norm_backward(x, p.gamma, mean, rstd, dy, dx, dgamma, dbeta);
  return {dx, dgamma, dbeta};
}

Results run_rms(Backend& b, Operands& o, const Shape& shape) {
  const Tensor x = o.normal(shape[0], shape[1], 1.0f, 0.5f), branch = o.normal(shape[0], shape[1]);
  const Tensor gamma = o.normal_vector(shape[1], 0.3f, 1.0f);
  const Tensor y = o.output(shape[0], shape[1]), rstd = o.output_vector(shape[0]);
  b.layer_norm(x, gamma, {}, kEpsilon, y, {}, rstd);
  const Tensor sum = o.output(shape[0], shape[1]), z = o.output(shape[0], shape[1]);
  b.residual_layer_norm(x, branch, {0.3f, {3, 4}}, gamma, {}, kEpsilon, sum, z, {}, {});
  return {y, rstd, sum, z};
}

Results run_rms_backward(Backend& b, Operands& o, const Shape& shape) {
  const Tensor x = o.normal(shape[0], shape[1], 1.0f, 0.5f), dy = o.normal(shape[0], shape[1]);
  const Tensor gamma = o.normal_vector(shape[1], 0.3f, 1.0f);
  const Tensor y = o.output(shape[0], shape[1]), dx = o.output(shape[0], shape[1]);
  const Tensor rstd = o.output_vector(shape[0]), dgamma = o.normal_vector(shape[1]);
  reference_backend().layer_norm(x, gamma, {}, kEpsilon, y, {}, rstd);
  b.layer_norm_backward(x, gamma, {}, rstd, dy, dx, dgamma, {});
  return {dx, dgamma};
}

KernelCase residual_case(const char* name, float p) {
  return {name, kMatrixShapes, kNormalized,
          [=](Backend& b, Operands& o, const Shape& shape) -> Results {
            const Tensor x = o.normal(shape[0], shape[1]);
            const Tensor branch = o.normal(shape[0], shape[1]);
            const Parameters parameters(o, shape[1]);
            const Tensor sum = o.output(shape[0], shape[1]);
            const Tensor y = o.output(shape[0], shape[1]);
            const Tensor mean = o.output_vector(shape[0]);
            const Tensor rstd = o.output_vector(shape[0]);
            b.residual_layer_norm(x, branch, {p, {3, 4}}, parameters.gamma, parameters.beta,
                                  kEpsilon, sum, y, mean, rstd);
            return {sum, y, mean, rstd};
          }};
}

}  // namespace

std::vector<KernelCase> normalization_cases() {
  std::vector<KernelCase> cases;
  cases.push_back(layer_norm_case("layer_norm", 1.0f, 0.0f, kNormalized));
  // Away from zero the subtraction x - mean cancels. The mean, near 300, comes from a sum of up to
  // 5000 numbers in as few as four partial sums of 1250 additions, each off by up to 2^-24 of what
  // has been summed: at random about sqrt(1250 / 3) * 6e-8 / 2 * 300 = 2e-4. A kernel that computed
  // the variance as E[x^2] - E[x]^2 in f32 would be off by 300^2 * 6e-8 = 0.5 % at the least.
  cases.push_back(layer_norm_case("layer_norm_off_center", 1.0f, 300.0f, {5e-4, 1e-5}));
  cases.push_back(layer_norm_case("layer_norm_of_constant_rows", 0.0f, 0.75f,
                                  {1e-4, 1e-4}));  // 0/0 but for epsilon
  cases.push_back({"layer_norm_without_statistics", kMatrixShapes, kNormalized,
                   [](Backend& b, Operands& o, const Shape& shape) -> Results {
                     const Tensor x = o.normal(shape[0], shape[1]);
                     const Parameters p(o, shape[1]);
                     const Tensor y = o.output(shape[0], shape[1]);
                     b.layer_norm(x, p.gamma, p.beta, kEpsilon, y, {}, {});
                     return {y};
                   }});
  std::vector<Shape> wider = kMatrixShapes;
  wider.erase(wider.begin() +
              1);  // one column: rstd is 1/sqrt(epsilon), dx 0 times that; nothing to compare
  // dgamma and dbeta are sums over up to 1030 rows (see sum_rows).
  cases.push_back({"layer_norm_backward", wider, {5e-5, 3e-6}, run_backward});
  cases.push_back({"rms_norm", kMatrixShapes, kNormalized, run_rms});
  cases.push_back({"rms_norm_backward", wider, {5e-5, 3e-6}, run_rms_backward});
  cases.push_back(residual_case("residual_layer_norm", 0.0f));
  cases.push_back(residual_case("residual_layer_norm_dropout", 0.3f));
  return cases;
}

}  // namespace attend
