// Every differentiable op as data: operands and how to call it. gradient_test.cpp runs each on both
// backends.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "attend/autograd/variable.h"

namespace attend {

using Function = std::function<Variable(const std::vector<Variable>&)>;

// One input: normal numbers of this deviation. `apart`: none nearer to 0 than this, so that steps
// do not cross the kink of relu.
struct Operand {
  Shape shape;
  float deviation = 1.0f;
  float apart = 0.0f;
};

struct OpCase {
  std::string name;  // "op", or "op_and_what_is_special"
  std::vector<Operand> operands;
  Function run;
};

std::vector<OpCase> elementwise_op_cases();
std::vector<OpCase> product_op_cases();
std::vector<OpCase> normalization_op_cases();
std::vector<OpCase> lookup_op_cases();
std::vector<OpCase> loss_op_cases();
std::vector<OpCase> attention_op_cases();
std::vector<OpCase> attention_part_op_cases();
std::vector<OpCase> recurrence_op_cases();

inline std::vector<OpCase> all_op_cases() {
  std::vector<OpCase> all;
  for (const auto family :
       {elementwise_op_cases, product_op_cases, normalization_op_cases, lookup_op_cases,
        loss_op_cases, attention_op_cases, attention_part_op_cases, recurrence_op_cases}) {
    for (OpCase& one : family()) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace attend
