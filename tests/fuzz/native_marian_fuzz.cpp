// Directories of Marian with one file replaced: a model, or an error. The first byte of an input
// tells which file the rest is.
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "fuzz/fuzz_target.h"

namespace attend::native_marian_fuzz {
namespace {

constexpr std::array kFiles{"model.npz.decoder.yml", "vocab.yml", "model.npz"};

std::filesystem::path original() {
  return std::filesystem::path(ATTEND_SOURCE_DIR) / "tests/interchange/data/models/native_joint";
}

std::string content_of(const char* name) {
  std::ifstream file(original() / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A copy of the directory that goes with the process.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("attend_native_marian_fuzz" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::copy(original(), path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const char* name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
  }

 private:
  std::filesystem::path path_;
};

void use(std::string_view input) {
  static const Folder folder;
  if (input.empty()) return;
  const char* const name = kFiles[static_cast<unsigned char>(input.front()) % kFiles.size()];
  folder.write(name, input.substr(1));
  try {
    import_model(ModelDirectory(folder.path()));
  } catch (const Error&) {
  }
  folder.write(name, content_of(name));
}

std::vector<std::string> corpus() {
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < kFiles.size(); ++i)
    inputs.push_back(static_cast<char>(i) + content_of(kFiles[i]));
  return inputs;
}

std::vector<std::string> dictionary() {
  return {"- model.npz",
          "- vocab.yml",
          "relative-paths: true",
          "beam-size: ",
          "normalize: ",
          "allow-unk: ",
          "../",
          "</s>: ",
          "<unk>: ",
          "PK\x03\x04",
          "dim-emb: ",
          "tied-embeddings-all: ",
          "special:model.yml",
          ": -1\n",
          ": 99999999\n"};
}

const RegisteredFuzzTarget registered{{"native_marian", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::native_marian_fuzz
