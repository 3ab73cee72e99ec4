#include "attend/core/options/name_pattern.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

TEST(NamePattern, StandsForNamesAsInAShell) {
  const std::string name = "encoder.layers.3.norm1.bias";
  for (const char* pattern : {"*", "encoder.*", "*.bias", "encoder.layers.[0-3].*", "*norm?.bias",
                              "encoder.layers.3.norm1.bias"})
    EXPECT_TRUE(fits_pattern(name, pattern)) << pattern;
  for (const char* pattern : {"", "encoder", "layers.*", "encoder.layers.[0-2].*", "*.weight"})
    EXPECT_FALSE(fits_pattern(name, pattern)) << pattern;
}

}  // namespace
}  // namespace attend
