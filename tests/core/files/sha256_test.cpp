#include "attend/core/files/sha256.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "core/files.h"

namespace attend {
namespace {

std::string sum_of(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.hex();
}

// The examples of FIPS 180.
TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(sum_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sum_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sum_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sum_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Padding begins a new block when less than nine bytes are left.
TEST(Sha256, IsTheSameInPieces) {
  for (std::size_t size = 0; size < 200; ++size) {
    const std::string bytes(size, 'x');
    Sha256 sum;
    for (std::size_t at = 0; at < size; at += 7) sum.add(std::string_view(bytes).substr(at, 7));
    EXPECT_EQ(sum.hex(), sum_of(bytes)) << size;
    EXPECT_EQ(sum.hex(), sum_of(bytes)) << "asked again";
  }
}

class Sha256OfFile : public WithFiles {};

TEST_F(Sha256OfFile, ReadsAllOfIt) {
  const std::string bytes(3'000'001, 'q');
  EXPECT_EQ(sha256_of_file(write("file", bytes)), sum_of(bytes));
  EXPECT_EQ(sha256_of_file(write("empty", "")), sum_of(""));
  EXPECT_THROW(sha256_of_file(path("missing")), IoError);
}

}  // namespace
}  // namespace attend
