#include "attend/core/random/keyed_hash.h"

#include <gtest/gtest.h>

#include <string>

namespace attend {
namespace {

// The test vectors of the paper's reference implementation: the bytes 0, 1, 2, ... under the key
// 0, 1, ..., 15.
TEST(KeyedHash, IsSipHash) {
  const HashKey key{0x0706050403020100U, 0x0f0e0d0c0b0a0908U};
  std::string bytes;
  for (char byte = 0; byte < 15; ++byte) bytes += byte;
  EXPECT_EQ(keyed_hash("", key), 0x726fdb47dd0e0e31U);
  EXPECT_EQ(keyed_hash(bytes.substr(0, 1), key), 0x74f839c593dc67fdU);
  EXPECT_EQ(keyed_hash(bytes, key), 0xa129ca6149be45e5U);
}

TEST(KeyedHash, DependsOnTheKey) {
  EXPECT_NE(keyed_hash("text", {1, 2}), keyed_hash("text", {1, 3}));
  EXPECT_NE(keyed_hash("text", {1, 2}), keyed_hash("text", {2, 2}));
}

}  // namespace
}  // namespace attend
