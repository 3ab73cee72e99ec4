#include "attend/interchange/name_map.h"

#include <gtest/gtest.h>

#include <array>

#include "attend/error.h"

namespace attend {
namespace {

constexpr std::array kRules{NameRule{"encoder.layers.*.norm1.*", "h.*.ln_1.*"},
                            NameRule{"embedding.weight", "wte", ForeignLayout::transposed},
                            NameRule{"encoder.*", "rest.*"}};

TEST(NameMap, CarriesTheLayerAndTheRestOver) {
  const NameMap map(kRules);
  EXPECT_EQ(map.theirs("encoder.layers.11.norm1.weight").name, "h.11.ln_1.weight");
  EXPECT_EQ(map.theirs("embedding.weight").name, "wte");
  EXPECT_EQ(map.theirs("embedding.weight").layout, ForeignLayout::transposed);
}

TEST(NameMap, TakesTheFirstRuleThatFits) {
  const NameMap map(kRules);
  EXPECT_EQ(map.theirs("encoder.layers.x.norm1.weight").name, "rest.layers.x.norm1.weight");
  EXPECT_EQ(map.theirs("encoder.norm.bias").name, "rest.norm.bias");
}

TEST(NameMap, RefusesWhatNoRuleNames) {
  const NameMap map(kRules);
  EXPECT_THROW(map.theirs("embedding.weights"), Error);
  EXPECT_THROW(map.theirs("decoder.norm.bias"), Error);
}

}  // namespace
}  // namespace attend
