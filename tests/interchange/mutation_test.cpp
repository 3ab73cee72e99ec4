// Thousands of damaged files: each is read, or refused with a DataError; tensors of what is read
// are as large as they say. The fuzz targets (tests/fuzz) go on for as long as one likes.
#include <gtest/gtest.h>

#include <random>

#include "attend/error.h"
#include "attend/interchange/formats/pickle.h"
#include "attend/interchange/formats/torch_state.h"
#include "attend/interchange/formats/yaml.h"
#include "attend/interchange/weights/foreign_weights.h"
#include "core/memory_file.h"
#include "interchange/fixtures.h"
#include "interchange/written_formats.h"

namespace attend {
namespace {

class Mutations {
 public:
  explicit Mutations(std::string original) : original_(std::move(original)) {}

  std::string next() {
    std::string bytes = original_;
    for (std::size_t i = 0, count = 1 + below(4); i < count && !bytes.empty(); ++i) mutate(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

  void mutate(std::string& bytes) {
    constexpr std::uint64_t kNumbers[] = {0,
                                          1,
                                          0x7f,
                                          0xff,
                                          0xffff,
                                          0x7fffffff,
                                          0xffffffff,
                                          ~std::uint64_t{0} >> 1,
                                          ~std::uint64_t{0}};
    const std::size_t at = below(bytes.size());
    switch (below(5)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(below(256));
        break;
      case 2: {
        const std::string number = bytes_of(kNumbers[below(std::size(kNumbers))]);
        bytes.replace(at, 1 + below(8), number.substr(0, 1 + below(8)));
        break;
      }
      case 3:
        bytes.erase(at, 1 + below(16));
        break;
      default:
        bytes.insert(below(bytes.size()), bytes.substr(at, 1 + below(64)));
    }
  }

  std::string original_;
  std::mt19937_64 random_{1};
};

// Reads every tensor; counts the files that could be read as a whole.
int read_mutations(const std::string& original, int count) {
  Mutations mutations(original);
  int read = 0;
  for (int i = 0; i < count; ++i) {
    const std::string bytes = mutations.next();
    try {
      TensorTable table = open_foreign_weights(memory_file(bytes));
      for (const ForeignTensor& tensor : table.tensors()) {
        EXPECT_LE(tensor.bytes(), (std::uint64_t{64} << 20) + 100 * bytes.size()) << i;
        std::vector<std::byte> elements(static_cast<std::size_t>(tensor.bytes()));
        tensor.read(elements);
      }
      ++read;
    } catch (const DataError&) {
    }
  }
  return read;
}

class MutatedFile : public testing::TestWithParam<const char*> {};

TEST_P(MutatedFile, IsReadOrRefused) {
  const std::string original = fixture_bytes(GetParam());
  ASSERT_FALSE(original.empty());
  EXPECT_LT(read_mutations(original, 1500), 1500);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, MutatedFile,
                         testing::Values("torch_zip.bin", "torch_legacy.bin", "arrays.npz",
                                         "arrays_deflated.npz", "marian.bin",
                                         "all_types.safetensors"));

TEST(MutatedPickle, IsReadOrRefused) {
  Mutations mutations(pickled_state({}));
  int read = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::string bytes = mutations.next();
    try {
      const Pickle pickle(std::as_bytes(std::span(bytes)), torch_functions(), "pickle");
      for (const TorchTensor& tensor : torch_tensors(pickle, pickle.root()))
        EXPECT_LE(tensor.offset + *tensor.layout.extent(), tensor.storage.elements);
      ++read;
    } catch (const DataError&) {
    }
  }
  EXPECT_GT(read, 0) << "what is read is tested, too";
  EXPECT_LT(read, 5000);
}

TEST(MutatedText, IsReadOrRefused) {
  const std::string yaml =
      "---\n# x\na: [1, 'b''', \"\\x84\"]\nb:\n  - 1\n  - c d\n? \"e\"\n: 5\nf: 1.5\n";
  const std::string json = R"({"metadata": {"total_size": 1}, "weight_map": {"a": "b", "c": "d"}})";
  Mutations yaml_mutations(yaml), json_mutations(json);
  int read = 0;
  for (int i = 0; i < 5000; ++i) {
    try {
      EXPECT_TRUE(parse_yaml(yaml_mutations.next(), "yaml").is_object());
      ++read;
    } catch (const DataError&) {
    }
    try {
      parse_weight_map(json_mutations.next(), "json");
      ++read;
    } catch (const DataError&) {
    }
  }
  EXPECT_GT(read, 0);
  EXPECT_LT(read, 10000);
}

}  // namespace
}  // namespace attend
