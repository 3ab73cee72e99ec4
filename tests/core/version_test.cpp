#include "attend/core/version.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace attend {
namespace {

TEST(Version, IsTheOneOfTheBuild) {
  std::ifstream file(ATTEND_SOURCE_DIR "/CMakeLists.txt");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find("project(attend VERSION " + std::string(kVersion) + " "),
            std::string::npos);
}

}  // namespace
}  // namespace attend
