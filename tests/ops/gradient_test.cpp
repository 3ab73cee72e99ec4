// The gradient of every op is its Jacobian, measured by differences, on both backends.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "attend/backend/backend.h"
#include "attend/ops/elementwise.h"
#include "backend/scoped_backend.h"
#include "ops/op_case.h"
#include "ops/operands.h"

namespace attend {
namespace {

// Draws the operands of a case. Strided: matrices are the columns of wider ones.
std::vector<Tensor> draw(const OpCase& one, bool strided) {
  Random random({7, stream_of(one.name)});
  std::vector<Tensor> tensors;
  for (const Operand& operand : one.operands) {
    const bool matrix = operand.shape.rank() == 2;
    const Tensor x = matrix && strided ? strided_matrix(operand.shape[0], operand.shape[1])
                                       : Tensor::empty(operand.shape);
    fill_normal(x, random, operand.deviation);
    for (std::int64_t r = 0; r < x.rows(); ++r) {
      for (std::int64_t c = 0; c < x.cols(); ++c)
        x.row(r)[c] += std::copysign(operand.apart, x.row(r)[c]);
    }
    tensors.push_back(x);
  }
  return tensors;
}

std::vector<Variable> leaves(const std::vector<Tensor>& tensors) {
  std::vector<Variable> variables;
  for (const Tensor& tensor : tensors) variables.emplace_back(tensor, true);
  return variables;
}

// The gradients of the inputs for the gradient `dy` of the output.
std::vector<Tensor> gradients(const Function& run, const std::vector<Tensor>& inputs,
                              const Tensor& dy) {
  const std::vector<Variable> variables = leaves(inputs);
  poison_free_memory();
  const Variable y = run(variables);
  poison_free_memory();
  backward(y, dy);
  std::vector<Tensor> found;
  for (const Variable& variable : variables) found.push_back(variable.gradient());
  return found;
}

std::vector<float> value(const Function& run, const std::vector<Tensor>& inputs) {
  const NoGradient guard;
  poison_free_memory();
  return run(leaves(inputs)).value().to_vector();
}

// d output / d element by the five-point difference
//   (8 (f(x+h) - f(x-h)) - (f(x+2h) - f(x-2h))) / 12h,   h = 1/64:
// truncation 2e-9, rounding of f32 outputs 6e-8 / h = 4e-6. The tolerance is ten times that.
std::vector<double> column(const Function& run, const std::vector<Tensor>& inputs, float& element) {
  constexpr float kStep = 0x1p-6f;
  const float before = element;
  const auto at = [&](float steps) {
    element = before + steps * kStep;
    return value(run, inputs);
  };
  const std::vector<float> up = at(1), down = at(-1), far_up = at(2), far_down = at(-2);
  element = before;
  std::vector<double> slope(up.size());
  for (std::size_t i = 0; i < slope.size(); ++i)
    slope[i] = (8.0 * (double{up[i]} - down[i]) - (double{far_up[i]} - far_down[i])) /
               (12.0 * double{kStep});
  return slope;
}

void expect_close(double found, double expected) {
  EXPECT_NEAR(found, expected, 5e-5 + 5e-4 * std::abs(expected));
}

// jacobian[input][element][output]
using Jacobian = std::vector<std::vector<std::vector<double>>>;

Jacobian measure(const Function& run, const std::vector<Tensor>& inputs) {
  Jacobian jacobian;
  for (const Tensor& x : inputs) {
    auto& columns = jacobian.emplace_back();
    for (std::int64_t r = 0; r < x.rows(); ++r) {
      for (std::int64_t c = 0; c < x.cols(); ++c)
        columns.push_back(column(run, inputs, x.row(r)[c]));
    }
  }
  return jacobian;
}

// gradient = J^T dy, input by input.
void expect_gradients(const std::vector<Tensor>& found, const Jacobian& jacobian,
                      const Tensor& dy) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    SCOPED_TRACE("input " + std::to_string(i));
    ASSERT_TRUE(found[i].defined());
    const std::vector<float> gradient = found[i].to_vector();
    ASSERT_EQ(gradient.size(), jacobian[i].size());
    for (std::size_t e = 0; e < gradient.size(); ++e) {
      double expected = 0.0;
      for (std::int64_t o = 0; o < dy.size(); ++o)
        expected += jacobian[i][e][static_cast<std::size_t>(o)] * dy.data()[o];
      SCOPED_TRACE("element " + std::to_string(e));
      expect_close(gradient[e], expected);
    }
  }
}

struct Run {
  OpCase one;
  Backend& (*backend)();
};

class OpGradient : public testing::TestWithParam<Run> {
 protected:
  const OpCase& one() const { return GetParam().one; }
  Tensor random_like(const Tensor& y) {
    Random random({8, 9});
    return normal_tensor(y.shape(), random);
  }

 private:
  ScopedBackend backend_{GetParam().backend()};
};

TEST_P(OpGradient, IsTheJacobian) {
  for (const bool strided : {false, true}) {
    SCOPED_TRACE(strided ? "strided" : "contiguous");
    const std::vector<Tensor> inputs = draw(one(), strided);
    const Jacobian jacobian = measure(one().run, inputs);
    const Tensor y = one().run(leaves(inputs)).value();
    for (std::int64_t output = 0; output < y.size(); ++output) {
      SCOPED_TRACE("output " + std::to_string(output));
      const Tensor dy = Tensor::zeros(y.shape());
      dy.data()[output] = 1.0f;
      expect_gradients(gradients(one().run, inputs, dy), jacobian, dy);
    }
    const Tensor dy = random_like(y);
    expect_gradients(gradients(one().run, inputs, dy), jacobian, dy);
  }
}

TEST_P(OpGradient, DoesNotDependOnWhoElseWantsOne) {
  const std::vector<Tensor> inputs = draw(one(), false);
  const Tensor dy = random_like(one().run(leaves(inputs)).value());
  const std::vector<Tensor> all = gradients(one().run, inputs, dy);
  for (std::size_t wanted = 0; wanted < inputs.size(); ++wanted) {
    std::vector<Variable> variables;
    for (std::size_t i = 0; i < inputs.size(); ++i) variables.emplace_back(inputs[i], i == wanted);
    backward(one().run(variables), dy);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      EXPECT_EQ(variables[i].gradient().defined(), i == wanted);
    }
    EXPECT_TRUE(same_bits(variables[wanted].gradient(), all[wanted])) << "input " << wanted;
  }
}

// A parameter used at two places, with a gradient there already: everything is added up, in the
// buffer it was given.
TEST_P(OpGradient, IsAddedToWhatIsThere) {
  const std::vector<Tensor> inputs = draw(one(), false);
  const Tensor dy = random_like(one().run(leaves(inputs)).value());
  const std::vector<Tensor> once = gradients(one().run, inputs, dy);
  std::vector<Variable> variables;
  std::vector<Tensor> buffers;
  for (const Tensor& input : inputs) {
    buffers.push_back(Tensor::full(input.shape(), 10.0f));
    variables.emplace_back(input, buffers.back());
  }
  const Variable y = add(one().run(variables), one().run(variables));
  backward(y, dy);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::vector<float> found = buffers[i].to_vector(), expected = once[i].to_vector();
    for (std::size_t e = 0; e < found.size(); ++e)
      EXPECT_NEAR(found[e] - 10.0f, 2.0f * expected[e], 1e-5) << "input " << i << ", " << e;
  }
}

TEST_P(OpGradient, IsNotRecordedWhenNobodyWantsOne) {
  const std::vector<Tensor> inputs = draw(one(), false);
  const Tensor recorded = one().run(leaves(inputs)).value();
  const NoGradient guard;
  const Variable plain = one().run(leaves(inputs));
  const bool identity =
      one().name == "activate_none" || one().name == "dropout_never";  // they give back their input
  EXPECT_EQ(plain.requires_gradient(), identity);
  EXPECT_TRUE(same_bits(plain.value(), recorded))
      << "the value does not depend on who wants gradients";
}

std::vector<Run> runs() {
  std::vector<Run> all;
  for (const OpCase& one : all_op_cases()) {
    for (const auto backend : {&reference_backend, &fast_backend}) all.push_back({one, backend});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Of, OpGradient, testing::ValuesIn(runs()), [](const auto& suite) {
  return suite.param.one.name +
         (suite.param.backend == &reference_backend ? "_Reference" : "_Fast");
});

// The names of the functions in the headers of ops/ that give a Variable, or a loss.
std::set<std::string> differentiable_ops() {
  std::set<std::string> names;
  const std::regex declaration(R"(^(?:Variable|CrossEntropy) (\w+)\()");
  for (const auto& file :
       std::filesystem::directory_iterator(ATTEND_SOURCE_DIR "/src/attend/ops")) {
    if (file.path().extension() != ".h") continue;
    std::ifstream in(file.path());
    std::smatch match;
    for (std::string line; std::getline(in, line);) {
      if (std::regex_search(line, match, declaration)) names.insert(match[1]);
    }
  }
  return names;
}

TEST(OpCases, CoverEveryDifferentiableOp) {
  const std::set<std::string> ops = differentiable_ops();
  EXPECT_GE(ops.size(), 17u);
  const std::vector<OpCase> cases = all_op_cases();
  for (const std::string& op : ops) {
    const bool covered = std::any_of(cases.begin(), cases.end(), [&](const OpCase& one) {
      return one.name == op || one.name.starts_with(op + "_");
    });
    EXPECT_TRUE(covered) << "no case for " << op << ": add one to tests/ops/op_cases.cpp";
  }
}

}  // namespace
}  // namespace attend
