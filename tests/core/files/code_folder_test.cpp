#include "attend/core/files/code_folder.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

TEST(CodeFolder, HoldsThisProgram) {
  EXPECT_EQ(code_folder(), std::filesystem::canonical("/proc/self/exe").parent_path());
}

}  // namespace
}  // namespace attend
