// What libFuzzer starts from: the target's own corpus and dictionary, written into folders that it
// is given.
//
// libFuzzer calls LLVMFuzzerInitialize before anything else. With ATTEND_FUZZ_SEEDS=FOLDER in the
// environment the seeds are written there, and its words beside it, into FOLDER.dict.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "fuzz/fuzz_target.h"

namespace {

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

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* const folder = std::getenv("ATTEND_FUZZ_SEEDS");
  if (folder == nullptr) return 0;
  int number = 0;
  for (const std::string& seed : attend::fuzz_corpus())
    std::ofstream(std::string(folder) + "/seed-" + std::to_string(number++), std::ios::binary)
        << seed;
  std::ofstream words(std::string(folder) + ".dict");
  for (const std::string& word : attend::fuzz_dictionary()) words << quoted(word) << "\n";
  return 0;
}
