// Model directories with a few bytes of one file changed: they are refused, or are models.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "attend/core/random/random.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "interchange/fixtures.h"

namespace attend {
namespace {

constexpr int kMutations = 150;  // of each file

std::string mutated(std::string bytes, Random& random) {
  const std::uint64_t changes = 1 + random.below(4);
  for (std::uint64_t i = 0; i < changes && !bytes.empty(); ++i) {
    const auto at = static_cast<std::size_t>(random.below(bytes.size()));
    switch (random.below(4)) {
      case 0:
        bytes[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
        break;
      case 2:
        bytes.erase(at, 1 + random.below(8));
        break;
      default:
        bytes.insert(at, bytes.substr(random.below(bytes.size()), 1 + random.below(8)));
    }
  }
  return bytes;
}

TEST(ImportOfMutatedDirectories, IsRefusedOrGivesAModel) {
  const auto folder = scratch("mutated");
  int models = 0, refused = 0;
  for (const char* name : {"config.json", "generation_config.json", "vocab.json", "source.spm",
                           "target.spm", "model.safetensors"}) {
    std::filesystem::remove_all(folder);
    std::filesystem::copy(fixture("models") / "marian", folder);
    const std::string good = fixture_bytes(std::string("models/marian/") + name);
    Random random({1, stream_of(name)});
    for (int i = 0; i < kMutations; ++i) {
      std::ofstream(folder / name, std::ios::binary) << mutated(good, random);
      try {
        import_model(ModelDirectory(folder));
        ++models;
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  std::filesystem::remove_all(folder);
  EXPECT_EQ(models + refused, 6 * kMutations);
  EXPECT_GT(models, 20);
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace attend
