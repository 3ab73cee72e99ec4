#include <fmt/format.h>

#include <cmath>

#include "attend/backend/cpu/quantized_weights.h"
#include "backend/kernel_case.h"

namespace attend {

namespace {

using Results = std::vector<Tensor>;

constexpr Tolerance kExact{0.0, 0.0};
// Two roundings, or one when the compiler fuses multiply and add; where the two terms cancel the
// product's rounding is what remains.
constexpr Tolerance kTwoRoundings{1e-6, 3e-7};
// erf and exp in f32 by polynomials: a few units in the last place of numbers up to 1, times x up
// to 8.
constexpr Tolerance kGelu{1e-6, 2e-6};
// One exponential and a division, off by 2e-7; backward twice that, times gradients of size 4.
constexpr Tolerance kTanh{2e-6, 1e-6};
// The same, times x up to 8.
constexpr Tolerance kSigmoidGate{2e-6, 2e-6};

// Values that include zeros of both signs and the far ends of an activation's range.
Tensor wide_range(Operands& operands, const Shape& shape) {
  const Tensor x = operands.normal(shape[0], shape[1], 2.0f);
  constexpr float kSpecial[] = {0.0f, -0.0f, 30.0f, -30.0f, 5.5f, -5.5f, 1e-20f, -1e-6f};
  for (std::int64_t r = 0; r < x.rows(); ++r) {
    for (std::int64_t c = r % 3; c < x.cols(); c += 11) x.row(r)[c] = kSpecial[(r + c) % 8];
  }
  return x;
}

// What is rounded to bf16 and made f32 again, of numbers that lie between two of them, too.
KernelCase convert_case() {
  return {
      "convert", kMatrixShapes, kExact, [](Backend& b, Operands& o, const Shape& shape) -> Results {
        const Tensor x = wide_range(o, shape);
        constexpr float kBetween[] = {
            1.00390625f, 1.01171875f,
            -3.4e38f};  // ties to the even one below and above; nearer to infinity
        for (std::int64_t r = 0; r < x.rows(); ++r) {
          for (std::int64_t c = r % 5; c < x.cols(); c += 7) x.row(r)[c] = kBetween[(r + c) % 3];
        }
        const Tensor narrow = Tensor::empty(shape, DType::bf16), y = o.output(shape[0], shape[1]);
        b.convert(x, narrow);
        b.convert(narrow, y);
        return {y};
      }};
}

// Groups of x in 8 bits, as the numbers they stand for.
KernelCase quantize_case(std::int64_t groups) {
  return {fmt::format("quantize_{}_groups", groups), kMatrixShapes, kExact,
          [groups](Backend& b, Operands& o, const Shape& shape) -> Results {
            const Tensor x = o.normal(shape[0], groups * shape[1], 2.0f);
            const Tensor y =
                Tensor::empty({shape[0], groups * (shape[1] + kQuantizedScaleBytes)}, DType::i8);
            b.quantize_groups(x, shape[1], y);
            return {dequantize_weights(
                y.reshape({shape[0] * groups, shape[1] + kQuantizedScaleBytes}))};
          }};
}

KernelCase over_matrices(const char* name, Tolerance tolerance,
                         std::function<Results(Backend&, Operands&, const Shape&)> run) {
  return {name, kMatrixShapes, tolerance, std::move(run)};
}

void add_activations(std::vector<KernelCase>& cases, const char* name, Activation activation,
                     Tolerance tolerance) {
  const std::string prefix(name);
  cases.push_back(over_matrices((prefix + "_forward").c_str(), tolerance,
                                [=](Backend& b, Operands& o, const Shape& shape) -> Results {
                                  const Tensor x = wide_range(o, shape);
                                  const Tensor y = o.output(shape[0], shape[1]);
                                  b.activate(activation, x, y);
                                  return {y};
                                }));
  cases.push_back(over_matrices((prefix + "_in_place").c_str(), tolerance,
                                [=](Backend& b, Operands& o, const Shape& shape) -> Results {
                                  const Tensor x = wide_range(o, shape);
                                  b.activate(activation, x, x);
                                  return {x};
                                }));
  cases.push_back(over_matrices((prefix + "_backward").c_str(), tolerance,
                                [=](Backend& b, Operands& o, const Shape& shape) -> Results {
                                  const Tensor x = wide_range(o, shape);
                                  const Tensor dy = o.normal(shape[0], shape[1]);
                                  const Tensor dx = o.output(shape[0], shape[1]);
                                  b.activate_backward(activation, x, dy, dx);
                                  return {dx};
                                }));
  cases.push_back(over_matrices((prefix + "_backward_in_place").c_str(), tolerance,
                                [=](Backend& b, Operands& o, const Shape& shape) -> Results {
                                  const Tensor x = wide_range(o, shape);
                                  const Tensor dy = o.normal(shape[0], shape[1]);
                                  b.activate_backward(activation, x, dy, dy);
                                  return {dy};
                                }));
}

void add_arithmetic(std::vector<KernelCase>& cases) {
  cases.push_back(
      over_matrices("add", kExact, [](Backend& b, Operands& o, const Shape& shape) -> Results {
        const Tensor x = o.normal(shape[0], shape[1]);
        const Tensor z = o.normal(shape[0], shape[1]);
        const Tensor y = o.output(shape[0], shape[1]);
        b.add(x, z, y);
        b.add(y, z, z);  // in place of either
        b.add(x, z, x);
        return {x, y, z};
      }));
  cases.push_back(
      over_matrices("multiply", kExact, [](Backend& b, Operands& o, const Shape& shape) -> Results {
        const Tensor x = o.normal(shape[0], shape[1]);
        const Tensor z = o.normal(shape[0], shape[1]);
        const Tensor y = o.output(shape[0], shape[1]);
        b.multiply(x, z, y);
        b.multiply(y, z, z);
        b.multiply(x, z, x);
        return {x, y, z};
      }));
  cases.push_back(over_matrices("axpby", kTwoRoundings,
                                [](Backend& b, Operands& o, const Shape& shape) -> Results {
                                  const Tensor x = o.normal(shape[0], shape[1]);
                                  const Tensor y = o.output(shape[0], shape[1]);
                                  b.axpby(0.3f, x, 0.0f, y);  // what y held, NaN, is ignored
                                  const Tensor z = o.normal(shape[0], shape[1]);
                                  b.axpby(-1.7f, x, 0.9f, z);
                                  const Tensor w = o.normal(shape[0], shape[1]);
                                  b.axpby(1.0f, x, 1.0f, w);
                                  return {y, z, w};
                                }));
}

void add_dropout(std::vector<KernelCase>& cases) {
  cases.push_back(
      over_matrices("dropout", kExact, [](Backend& b, Operands& o, const Shape& shape) -> Results {
        const Tensor x = o.normal(shape[0], shape[1]);
        const Tensor y = o.output(shape[0], shape[1]);
        b.dropout({.p = 0.3f, .key = {5, 6}}, x, y);
        b.dropout({.p = 0.1f, .key = {7, 0x123456789abcu}}, x, x);
        return {x, y};
      }));
  cases.push_back(over_matrices("dropout_of_nothing", kExact,
                                [](Backend& b, Operands& o, const Shape& shape) -> Results {
                                  const Tensor x = o.normal(shape[0], shape[1]);
                                  const Tensor y = o.output(shape[0], shape[1]);
                                  b.dropout({}, x, y);
                                  return {y};
                                }));
}

KernelCase adam_case(const char* name, AdamStep step, float gradient_scale = 1.0f) {
  KernelCase kernel;
  kernel.name = name;
  kernel.shapes = {{1}, {7}, {16}, {4099}, {70001}};
  // About ten roundings, no cancellation but that of the final subtraction, whose terms are of
  // size 1.
  kernel.tolerance = {2e-7, 2e-6};
  kernel.run = [=](Backend& b, Operands& o, const Shape& shape) -> Results {
    const Tensor gradient = o.normal_vector(shape[0]);
    const Tensor parameter = o.normal_vector(shape[0]);
    const Tensor mean = step.step == 1 ? Tensor::zeros(shape) : o.normal_vector(shape[0], 0.1f);
    const Tensor variance = step.step == 1 ? Tensor::zeros(shape) : o.normal_vector(shape[0], 0.1f);
    for (float& v : variance.span()) v = v * v;
    gradient.data()[0] = 0.0f;  // an unused parameter
    b.adam(step, gradient_scale, gradient, parameter, mean, variance);
    return {parameter, mean, variance};
  };
  return kernel;
}

}  // namespace

std::vector<KernelCase> elementwise_cases() {
  std::vector<KernelCase> cases;
  add_arithmetic(cases);
  cases.push_back(convert_case());
  for (const std::int64_t groups : {1, 3}) cases.push_back(quantize_case(groups));
  add_activations(cases, "identity", Activation::none, kExact);
  add_activations(cases, "relu", Activation::relu, kExact);
  add_activations(cases, "gelu", Activation::gelu, kGelu);
  add_activations(cases, "tanh", Activation::tanh, kTanh);
  add_activations(cases, "swish", Activation::swish, kSigmoidGate);
  add_activations(cases, "gelu_tanh", Activation::gelu_tanh, kSigmoidGate);
  add_activations(cases, "quick_gelu", Activation::quick_gelu, kSigmoidGate);
  cases.push_back(over_matrices("relu_backward_from_output", kExact,
                                [](Backend& b, Operands& o, const Shape& shape) -> Results {
                                  const Tensor x = wide_range(o, shape);
                                  const Tensor dy = o.normal(shape[0], shape[1]);
                                  const Tensor dx = o.output(shape[0], shape[1]);
                                  b.activate(Activation::relu, x, x);
                                  b.activate_backward(Activation::relu, x, dy, dx);
                                  return {dx};
                                }));
  add_dropout(cases);
  cases.push_back(adam_case("adam_first_step", {.learning_rate = 0.01f}));
  cases.push_back(
      adam_case("adam_later_step", {.learning_rate = 0.01f, .beta2 = 0.999f, .step = 5000}, 0.25f));
  cases.push_back(
      adam_case("adam_weight_decay",
                {.learning_rate = 0.1f, .epsilon = 1e-6f, .weight_decay = 0.1f, .step = 3}));
  return cases;
}

std::vector<KernelCase> reduction_cases() {
  std::vector<KernelCase> cases;
  // Up to 1030 terms of size 1 in f32, whose partial sums are of size 30 to 100: sqrt(1030) * 100 *
  // 6e-8 = 2e-4 at the very worst.
  cases.push_back(over_matrices("sum_rows", {5e-5, 1e-6},
                                [](Backend& b, Operands& o, const Shape& shape) -> Results {
                                  const Tensor x = o.normal(shape[0], shape[1]);
                                  const Tensor y = o.output_vector(shape[1]);
                                  const Tensor z = o.normal_vector(shape[1]);
                                  b.sum_rows(x, 0.0f, y);
                                  b.sum_rows(x, 1.0f, z);
                                  return {y, z};
                                }));
  cases.push_back(over_matrices(
      "sum", {1e-2, 1e-5}, [](Backend& b, Operands& o, const Shape& shape) -> Results {
        return {Tensor::full({1}, static_cast<float>(b.sum(o.normal(shape[0], shape[1]))))};
      }));
  cases.push_back(over_matrices(
      "sum_of_squares", {0.0, 1e-5}, [](Backend& b, Operands& o, const Shape& shape) -> Results {
        return {
            Tensor::full({1}, static_cast<float>(b.sum_of_squares(o.normal(shape[0], shape[1]))))};
      }));
  return cases;
}

}  // namespace attend
