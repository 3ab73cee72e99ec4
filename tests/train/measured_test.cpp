#include "attend/train/measured.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace attend {
namespace {

TEST(Measured, IsReadAtTheFirstLookAndNotAgain) {
  int reads = 0;
  const Measured number([&reads] { return 1.0 + reads++; });
  EXPECT_EQ(reads, 0);
  EXPECT_EQ(number, 1.0);
  EXPECT_EQ(number, 1.0);
  EXPECT_EQ(reads, 1);
}

TEST(Measured, IsReadOnceForEachCopyMadeBeforeTheLook) {
  int reads = 0;
  const Measured number([&reads] { return 1.0 + reads++; });
  const Measured copy = number;
  EXPECT_EQ(number + copy, 3.0);
}

TEST(Measured, ThatCannotBeReadCanBeAskedAgain) {
  bool broken = true;
  const Measured number([&broken] { return broken ? throw std::runtime_error("not yet") : 4.0; });
  EXPECT_THROW(static_cast<void>(static_cast<double>(number)), std::runtime_error);
  broken = false;
  EXPECT_EQ(number, 4.0);
}

TEST(Measured, MayBeANumberThatIsKnown) {
  EXPECT_EQ(Measured(), 0.0);
  EXPECT_EQ(Measured(2.5), 2.5);
}

}  // namespace
}  // namespace attend
