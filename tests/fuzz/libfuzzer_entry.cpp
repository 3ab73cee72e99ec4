// The targets as a program of libFuzzer:
//
//   fuzz_targets NAME [libFuzzer's options]
//   fuzz_targets NAME --seeds FOLDER         writes where it starts from into FOLDER, and its words
//                                            into FOLDER.dict; then ends
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include "fuzz/fuzz_target.h"

namespace {

const attend::FuzzTarget* g_target = nullptr;

// As libFuzzer's dictionaries are written.
std::string quoted(const std::string& word) {
  std::string text = "\"";
  for (const char c : word) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\x%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(c)));
    text += escaped;
  }
  return text + "\"";
}

void write_seeds(const std::string& folder) {
  int number = 0;
  for (const std::string& seed : g_target->corpus())
    std::ofstream(folder + "/seed-" + std::to_string(number++), std::ios::binary) << seed;
  std::ofstream words(folder + ".dict");
  for (const std::string& word : g_target->dictionary())
    if (!word.empty()) words << quoted(word) << "\n";  // libFuzzer refuses an empty one
}

}  // namespace

// Called before anything else; takes the name away.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  char** const arguments = *argv;
  g_target = &attend::named_fuzz_target(*argc, arguments);
  if (*argc == 4 && std::string_view(arguments[2]) == "--seeds") {
    write_seeds(arguments[3]);
    std::exit(0);
  }
  for (int i = 1; i + 1 < *argc; ++i) arguments[i] = arguments[i + 1];
  --*argc;
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

// libFuzzer's own mutation, three in four of them repaired where the target has a way to.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned int seed) {
  size = LLVMFuzzerMutate(data, size, most);
  if (g_target->repair == nullptr || seed % 4 == 0) return size;
  std::string input(reinterpret_cast<const char*>(data), size);
  g_target->repair(input);
  if (input.size() > most) return size;
  std::memcpy(data, input.data(), input.size());
  return input.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  g_target->use({reinterpret_cast<const char*>(data), size});
  return 0;
}
