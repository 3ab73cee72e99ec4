// The files that tools/make_interchange_fixtures.py has written.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace attend {

// A path of this process alone: tests run side by side.
inline std::filesystem::path scratch(std::string_view name) {
  return std::filesystem::temp_directory_path() /
         ("attend_interchange_" + std::string(name) + std::to_string(getpid()));
}

inline std::filesystem::path fixture(std::string_view name) {
  return std::filesystem::path(ATTEND_SOURCE_DIR) / "tests/interchange/data" / name;
}

inline std::string fixture_bytes(std::string_view name) {
  std::ifstream stream(fixture(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace attend
