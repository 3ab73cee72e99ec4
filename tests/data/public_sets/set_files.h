// Small downloads with the layout of the published ones, and the folder that is made of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "attend/data/public_sets/public_sets.h"
#include "attend/error.h"
#include "core/files.h"
#include "core/gzip.h"
#include "core/written_tar.h"
#include "core/written_zip.h"
#include "tensor/expect_error.h"

namespace attend {

class PublicSetTest : public WithFiles {
 protected:
  PreparedSet prepare(const std::string& set, const std::vector<std::string>& from,
                      PublicSetOptions options = {.any_version = true}) {
    return prepare_public_set(public_set(set), from, folder_ / "out", options);
  }
  // The files of the set, in order.
  static std::vector<std::string> names(const PreparedSet& prepared) {
    std::vector<std::string> found;
    for (const WrittenFile& file : prepared.files) found.push_back(file.name);
    std::sort(found.begin(), found.end());
    return found;
  }
  std::string made(const std::string& name) const {
    std::ifstream stream(folder_ / "out" / name, std::ios::binary);
    EXPECT_TRUE(stream.good()) << name;
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::vector<std::string> made_lines(const std::string& name) const {
    return lines_of(made(name));
  }
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return lines;
  }
  bool has_out() const { return std::filesystem::exists(folder_ / "out"); }
};

}  // namespace attend
