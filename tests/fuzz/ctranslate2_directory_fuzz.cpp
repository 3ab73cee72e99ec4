// A directory of CTranslate2 with one hostile file: a model, or an error that is one short line.
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/writing/ctranslate2_export.h"
#include "fuzz/fuzz_target.h"

namespace attend::ctranslate2_directory_fuzz {
namespace {

constexpr std::array kFiles{"model.bin", "config.json", "shared_vocabulary.json",
                            "tokenizer_config.json", "generation_config.json"};

std::string bytes_in(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The fixture "marian", as an export writes it.
const TextFiles& original() {
  static const TextFiles files = [] {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("ct2_fuzz_" + std::to_string(::getpid()));
    write_ctranslate2_directory(
        import_model(ModelDirectory(ATTEND_SOURCE_DIR "/tests/interchange/data/models/marian"))
            .checkpoint,
        folder);
    TextFiles read;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      read[entry.path().filename().string()] = bytes_in(entry.path());
    std::filesystem::remove_all(folder);
    return read;
  }();
  return files;
}

// The first byte tells which file it is.
void use(std::string_view input) {
  if (input.empty()) return;
  TextFiles files = original();
  files[kFiles[static_cast<unsigned char>(input.front()) % kFiles.size()]] = input.substr(1);
  try {
    import_model(ModelDirectory("fuzz", std::move(files)));
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.size() > 2000 || message.find('\n') != message.npos || !is_utf8(message))
      throw std::logic_error("an error that is not one short line");
  }
}

std::vector<std::string> corpus() {
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < kFiles.size(); ++i)
    inputs.push_back(std::string(1, static_cast<char>(i)) + original().at(kFiles[i]));
  return inputs;
}

std::vector<std::string> dictionary() {
  return {"weight", "encoder/", "decoder/", "null",   "true",        "[]",
          "<pad>",  "</s>",     "\"",       "layer_", "linear_0",    std::string(4, '\0'),
          "\xff",   "_scale",   "1e999",    "-1",     "\"<unk>\": ", std::string("\2\0x\0", 4)};
}

const RegisteredFuzzTarget registered{{"ctranslate2_directory", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::ctranslate2_directory_fuzz
