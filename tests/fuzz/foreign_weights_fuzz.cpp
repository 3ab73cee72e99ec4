// The readers of foreign weights (safetensors, both containers of PyTorch, NumPy, Marian) against
// hostile bytes: tensors that can be read, or a DataError.
#include <stdexcept>

#include "attend/error.h"
#include "attend/interchange/weights/foreign_weights.h"
#include "fuzz/fuzz_file.h"
#include "fuzz/fuzz_target.h"
#include "interchange/fixture_files.h"
#include "interchange/written_formats.h"

namespace attend::foreign_weights_fuzz {
namespace {

// What archives may unpack to (core/files/packed/zip_archive.h), and what is read of it here.
constexpr std::uint64_t kMostUnpacked = std::uint64_t{64} << 20, kMostRead = std::uint64_t{1} << 20;

void read(std::string_view bytes, const FuzzFile& file) {
  file.write(bytes);
  try {
    const TensorTable table = open_foreign_weights(std::make_shared<const InputFile>(file.path()));
    for (const ForeignTensor& tensor : table.tensors()) {
      if (tensor.bytes() > kMostUnpacked + 100 * bytes.size())
        throw std::logic_error("a tensor that is larger than what can be in the file");
      if (tensor.bytes() > kMostRead) continue;
      std::vector<std::byte> elements(static_cast<std::size_t>(tensor.bytes()));
      tensor.read(elements);
    }
  } catch (const DataError&) {
  }
}

std::vector<std::string> corpus() {
  std::vector<std::string> corpus;
  for (const char* const name : {"torch_zip.bin", "torch_legacy.bin", "arrays_deflated.npz",
                                 "marian.bin", "all_types.safetensors"})
    corpus.push_back(fixture_bytes(name));
  const std::string floats(24, '\1');
  corpus.push_back(written_torch_zip(pickled_state({}), floats));
  corpus.push_back(written_torch_legacy(pickled_state({}), floats, 6));
  corpus.push_back(written_zip(
      {{.name = "w.npy",
        .bytes = written_npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", floats),
        .deflate = true}}));
  corpus.push_back(written_marian({{"w", 0x404, {2, 3}, floats}, {"t", 0x101, {2}, "a"}}));
  return corpus;
}

std::vector<std::string> dictionary() {
  return {"PK\1\2",
          "PK\3\4",
          "PK\5\6",
          "PK\6\6",
          "PK\6\7",
          std::string("\1\0\x10\0", 4),
          "\xff\xff",
          "\xff\xff\xff\xff",
          "\xff\xff\xff\xff\xff\xff\xff\x7f",
          std::string(4, '\0'),
          std::string(8, '\0'),
          "\x93NUMPY",
          "'shape': (",
          "True",
          "'<f8'",
          "999999999",
          ".npy",
          "/data.pkl",
          "\x04\x04",
          "\"shape\":[",
          "\"data_offsets\":["};
}

void use(std::string_view input) {
  static const FuzzFile file;
  read(input, file);
}

const RegisteredFuzzTarget registered{{"foreign_weights", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::foreign_weights_fuzz
