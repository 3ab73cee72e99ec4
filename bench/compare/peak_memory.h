// How much memory this process has used at most.
#pragma once

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>

namespace attend {

// The peak of the resident set since the program started. Not that of getrusage(), which counts
// what the parent had before: a process begins as its copy.
inline std::int64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word != "VmHWM:") continue;
    std::int64_t kibibytes = 0;
    status >> kibibytes;
    return kibibytes * 1024;
  }
  throw std::runtime_error("/proc/self/status has no VmHWM");
}

}  // namespace attend
