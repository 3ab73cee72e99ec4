// Every kernel: the fast backend against the reference, contiguous and strided, and the fast one
// against itself on other numbers of threads.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "attend/backend/bytes.h"
#include "backend/instruction_set.h"
#include "backend/kernel_case.h"
#include "core/scoped_threads.h"

namespace attend {

void PrintTo(const KernelCase& kernel, std::ostream* stream) { *stream << kernel.name; }

namespace {

std::vector<KernelCase> all_cases() {
  std::vector<KernelCase> cases;
  for (auto family :
       {matmul_cases, bf16_cases, elementwise_cases, reduction_cases, normalization_cases,
        lookup_cases, columns_cases, pooling_cases, softmax_cases, attention_cases,
        attention_pair_cases, recurrence_cases, token_cases}) {
    for (KernelCase& kernel : family()) cases.push_back(std::move(kernel));
  }
  return cases;
}

bool close(float found, float expected, Tolerance tolerance) {
  if (std::isnan(expected)) return std::isnan(found);
  if (std::isinf(expected)) return found == expected;
  return std::abs(double{found} - expected) <=
         tolerance.absolute + tolerance.relative * std::abs(double{expected});
}

// Reports the element that is furthest off.
void expect_close(const Tensor& found, const Tensor& expected, Tolerance tolerance) {
  ASSERT_EQ(found.shape(), expected.shape());
  std::int64_t wrong = 0;
  double worst = -1.0;
  std::string where;
  for (std::int64_t r = 0; r < found.rows(); ++r) {
    for (std::int64_t c = 0; c < found.cols(); ++c) {
      const float a = found.row(r)[c];
      const float b = expected.row(r)[c];
      if (close(a, b, tolerance)) continue;
      ++wrong;
      const double off = std::isfinite(a) && std::isfinite(b) ? std::abs(double{a} - b) : INFINITY;
      if (off <= worst) continue;
      worst = off;
      where = fmt::format("({}, {}): found {}, expected {}", r, c, a, b);
    }
  }
  EXPECT_EQ(wrong, 0) << "of " << found.size() << " elements are wrong, worst by " << worst
                      << " at " << where;
}

class Kernel : public ::testing::TestWithParam<KernelCase> {
 protected:
  static void compare(Rows rows) {
    const KernelCase& kernel = GetParam();
    for (const Shape& shape : kernel.shapes) {
      SCOPED_TRACE(fmt::format("{} {}", kernel.name, to_string(shape)));
      Operands expected_operands(rows);
      Operands found_operands(rows);
      const std::vector<Tensor> expected =
          kernel.run(reference_backend(), expected_operands, shape);
      const std::vector<Tensor> found = kernel.run(fast_backend(), found_operands, shape);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        SCOPED_TRACE(fmt::format("result {}", i));
        expect_close(found[i], expected[i], kernel.tolerance);
      }
      EXPECT_TRUE(expected_operands.guards_intact()) << "the reference wrote between rows";
      EXPECT_TRUE(found_operands.guards_intact()) << "the fast backend wrote between rows";
    }
  }
};

TEST_P(Kernel, AgreesWithTheReference) { compare(Rows::contiguous); }

TEST_P(Kernel, AgreesWithTheReferenceOnStridedRows) { compare(Rows::strided); }

// The tests above use the best instruction set of this machine; here are the others.
TEST_P(Kernel, AgreesWithTheReferenceOnLesserInstructionSets) {
  const std::vector<std::string> sets = usable_instruction_sets();
  if (sets.size() < 2)
    GTEST_SKIP()
        << "this machine has one of the instruction sets that the kernels are compiled for";
  const KernelCase& kernel = GetParam();
  for (const Shape& shape : kernel.shapes) {
    Operands expected_operands(Rows::contiguous);
    const std::vector<Tensor> expected = kernel.run(reference_backend(), expected_operands, shape);
    for (std::size_t set = 1; set < sets.size(); ++set) {
      SCOPED_TRACE(fmt::format("{} {} with {}", kernel.name, to_string(shape), sets[set]));
      const ScopedInstructionSet scope(sets[set]);
      Operands operands(Rows::contiguous);
      const std::vector<Tensor> found = kernel.run(fast_backend(), operands, shape);
      for (std::size_t i = 0; i < found.size(); ++i)
        expect_close(found[i], expected[i], kernel.tolerance);
    }
  }
}

TEST_P(Kernel, DoesNotDependOnTheNumberOfThreads) {
  const KernelCase& kernel = GetParam();
  for (const Shape& shape : kernel.shapes) {
    SCOPED_TRACE(fmt::format("{} {}", kernel.name, to_string(shape)));
    const auto run = [&](int count) {
      const ScopedThreads scope(count);
      Operands operands(Rows::contiguous);
      return kernel.run(fast_backend(), operands, shape);
    };
    const std::vector<Tensor> alone = run(1);
    for (const int count : {2, 3}) {
      const std::vector<Tensor> together = run(count);
      for (std::size_t i = 0; i < alone.size(); ++i)
        EXPECT_TRUE(same_bits(alone[i], together[i]))
            << "result " << i << ", " << count << " threads";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fast, Kernel, ::testing::ValuesIn(all_cases()),
                         [](const auto& suite) { return suite.param.name; });

bool has_polynomial(const KernelCase& kernel) {
  return kernel.name.find("gelu") != std::string::npos ||
         kernel.name.find("tanh") != std::string::npos;  // it may be evaluated in another order
}

// A model gives the same numbers on every machine that has fused multiply-add, as far as matrix
// products go.
TEST(MatrixProduct, HasEqualBitsOnEveryInstructionSetWithFma) {
  std::vector<std::string> sets = usable_instruction_sets();
  std::erase_if(sets, [](const std::string& set) { return !has_fma(set); });
  for (const KernelCase& kernel : matmul_cases()) {
    if (has_polynomial(kernel)) continue;
    for (const Shape& shape : kernel.shapes) {
      SCOPED_TRACE(fmt::format("{} {}", kernel.name, to_string(shape)));
      const auto run = [&](const std::string& set) {
        const ScopedInstructionSet scope(set);
        Operands operands(Rows::contiguous);
        return kernel.run(fast_backend(), operands, shape);
      };
      std::vector<Tensor> best;
      for (const std::string& set : sets) {
        const std::vector<Tensor> found = run(set);
        if (best.empty()) best = found;
        for (std::size_t i = 0; i < found.size(); ++i)
          EXPECT_TRUE(same_bits(found[i], best[i])) << set;
      }
    }
  }
}

// These bits are those of AVX-512 and AVX2; the same test runs on ARM.
TEST(MatrixProduct, HasEqualBitsOnEveryProcessorWithFma) {
  if (!has_fma(instruction_sets().used)) GTEST_SKIP() << "no FMA: " << instruction_sets().used;
  std::vector<std::byte> all;
  for (const KernelCase& kernel : matmul_cases()) {
    if (has_polynomial(kernel)) continue;
    for (const Shape& shape : kernel.shapes) {
      Operands operands(Rows::contiguous);
      for (const Tensor& result : kernel.run(fast_backend(), operands, shape)) {
        const std::byte* const bytes = result.bytes();
        all.insert(all.end(), bytes,
                   bytes + static_cast<std::size_t>(result.size()) * sizeof(float));
      }
    }
  }
  EXPECT_EQ(crc32_of(all), 0x7f29ea74u);
}

}  // namespace
}  // namespace attend
