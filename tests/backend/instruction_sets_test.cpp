#include "attend/backend/instruction_sets.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "attend/backend/backend.h"
#include "attend/error.h"
#include "backend/instruction_set.h"
#include "backend/operands.h"

namespace attend {
namespace {

std::string message_for(std::string_view wanted) {
  try {
    use_instruction_sets(wanted);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(InstructionSets, AreUsedAsNamed) {
  const std::string before = instruction_sets().used;
  for (const std::string& set : usable_instruction_sets()) {
    const ScopedInstructionSet scope(set);
    EXPECT_EQ(instruction_sets().used, set);
  }
  EXPECT_EQ(instruction_sets().used, before);
}

TEST(InstructionSets, HaveKernelsOfTheirOwn) {
  const std::vector<std::string> sets = usable_instruction_sets();
  if (has_fma(sets.front()) == has_fma(sets.back())) GTEST_SKIP() << "none can be told by its bits";
  const auto product = [&](const std::string& set) {
    const ScopedInstructionSet scope(set);
    Operands operands(Rows::contiguous);
    const Tensor y = operands.output(8, 8);
    fast_backend().matmul(operands.normal(8, 64), operands.normal(64, 8), {}, y);
    return y;
  };
  EXPECT_FALSE(same_bits(product(sets.front()), product(sets.back())));
}

// Highway gains sets from version to version, and takes the best.
TEST(InstructionSets, AreThoseThatKernelsAreMadeFor) {
  const std::vector<std::string> known{
      "AVX3", "AVX2", "SSE4", "SSE2", "NEON", "NEON_WITHOUT_AES", "EMU128", "SCALAR"};
  for (const std::string& set : instruction_sets().built)
    EXPECT_NE(std::find(known.begin(), known.end(), set), known.end()) << set;
}

TEST(InstructionSets, MayBeNamedWithoutSpaces) {
  const std::string set = instruction_sets().usable.front();
  std::string dense = set;
  std::erase(dense, ' ');
  const ScopedInstructionSet scope(dense);
  EXPECT_EQ(instruction_sets().used, set);
}

TEST(InstructionSets, AreAmongThoseInTheBinary) {
  const InstructionSets sets = instruction_sets();
  for (const std::string& usable : sets.usable) {
    const std::string name = usable.substr(0, usable.find(' '));
    EXPECT_NE(std::find(sets.built.begin(), sets.built.end(), name), sets.built.end()) << name;
  }
}

TEST(InstructionSets, ThatAreMissingAreRefusedWithThoseThatAreNot) {
  const InstructionSets sets = instruction_sets();
  for (const std::string& wanted :
       {std::string(), std::string("AVX9"), sets.usable.back() + " + ABACUS", std::string(" + "),
        sets.usable.back() + " +"}) {
    const std::string message = message_for(wanted);
    EXPECT_NE(message.find('"' + wanted + '"'), std::string::npos) << message;
    EXPECT_NE(message.find(sets.usable.front()), std::string::npos) << message;
    EXPECT_EQ(instruction_sets().used, sets.used) << "after \"" << wanted << '"';
  }
}

}  // namespace
}  // namespace attend
