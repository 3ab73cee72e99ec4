// The CPU time that a container grants this process, as `docker --cpus` or Kubernetes' limits set
// it, and the number of threads that follows from it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "attend/core/threads/cpu_cores.h"

namespace attend {

// In CPUs (2.5: 250 ms in 100 ms): the smallest quota of the control group of this process and the
// groups above it, in versions 1 and 2. nullopt if there is none. `root`: where proc/ is, and what
// the mount points in it are relative to. Never throws: what cannot be read sets no limit.
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

// How many threads a runtime has by default.
struct DefaultThreads {
  CpuCores cores;               // cpu_cores()
  std::optional<double> quota;  // cpu_quota()

  // One for each fast core, at most the quota rounded up, at least 1. A loop ends with its slowest
  // thread, so that those of efficient cores would keep the others waiting.
  int count() const;
  // "2 (64 physical cores, CPU quota 1.5)", "8 (8 fast and 16 efficient cores, no CPU quota)"
  std::string description() const;
};

// As found at the first call.
const DefaultThreads& default_threads();

}  // namespace attend
