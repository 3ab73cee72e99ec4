#include "attend/models/encoder_head.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "models/small_transformer.h"
#include "ops/operands.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

Variable vectors_of_head() {
  Random random({1, 5});
  return Variable(normal_tensor({3, 8}, random));
}

TEST(EncoderHead, PassesVectorsOnWithoutALayer) {
  ParameterSet parameters;
  const EncoderHead head(parameters, 8, {}, {});
  EXPECT_TRUE(parameters.entries().empty());
  Pass pass = Pass::inference();
  const Variable x = vectors_of_head();
  EXPECT_TRUE(same_bits(head.forward(x, pass).value(), x.value()));
}

TEST(EncoderHead, NormalizesBehindTheActivation) {
  ParameterSet parameters;
  const EncoderHead head(parameters, 8,
                         {.activation = Activation::gelu, .bias = false, .norm = true}, {});
  parameters.allocate(1);
  Pass pass = Pass::inference();
  const NoGradient guard;
  const Variable x = vectors_of_head();
  const Variable y = head.linear()->forward(x, pass, Activation::gelu);
  EXPECT_FALSE(head.linear()->map().bias.defined());
  EXPECT_TRUE(same_bits(head.forward(x, pass).value(), head.norm()->forward(y).value()));
}

TEST(EncoderHead, NormalizesNothingWithoutALayer) {
  ParameterSet parameters;
  expect_error<ConfigError>([&] { EncoderHead(parameters, 8, {.norm = true}, {}); },
                            {"head_norm: needs a layer, which head makes"});
}

}  // namespace
}  // namespace attend
