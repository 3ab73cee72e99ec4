// A folder of its own for each test, removed afterwards, and helpers to read, write and damage
// files in it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "attend/error.h"

namespace attend {

class FolderTest : public testing::Test {
 protected:
  FolderTest() {
    std::string name = testing::TempDir() + "attend_test_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~FolderTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path(std::string_view name) const { return folder_ / name; }

  static std::string read(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  static void write(const std::filesystem::path& file, std::string_view content) {
    std::ofstream(file, std::ios::binary) << content;
  }

  std::filesystem::path folder_;
};

// The bytes of a safetensors file with the given header text.
inline std::string with_header(std::string_view header, std::string_view data = "") {
  std::string file;
  for (int i = 0; i < 8; ++i)
    file += static_cast<char>(static_cast<std::uint64_t>(header.size()) >> (8 * i));
  return file.append(header).append(data);
}

inline std::span<const std::byte> as_bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// The message of the DataError that `action` throws; another exception fails the test by passing
// through.
inline std::string data_error(const std::function<void()>& action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  }
  return "no DataError";
}

}  // namespace attend

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
