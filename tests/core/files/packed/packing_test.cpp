#include "attend/core/files/packed/packing.h"

#include <gtest/gtest.h>

#include "core/gzip.h"

namespace attend {
namespace {

TEST(Packing, IsUndoneByUnpacking) {
  std::string bytes;
  for (int i = 0; i < 300000; ++i) bytes += static_cast<char>(i * i % 251);
  const std::string packed = packed_gzip(bytes);
  EXPECT_LT(packed.size(), bytes.size() / 2);
  EXPECT_EQ(gunzipped(packed), bytes);
  EXPECT_EQ(packed_gzip(bytes), packed);
  EXPECT_EQ(gunzipped(packed_gzip(std::string("\0a", 2))), std::string("\0a", 2));
  EXPECT_EQ(gunzipped(packed_gzip("")), "");
  EXPECT_TRUE(packed_gzip("").starts_with("\x1f\x8b"));
}

}  // namespace
}  // namespace attend
