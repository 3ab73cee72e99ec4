// The physical cores that this process may use, by kind: processors of laptops and phones have fast
// cores and others that save energy.
#pragma once

#include <filesystem>
#include <span>

namespace attend {

struct CpuCores {
  int fast = 1;       // at least 1: where all are alike, they are fast
  int efficient = 0;  // below half the speed of the fastest, or called so by Intel's driver
};

// The cores of the CPUs with these numbers; hyper-threads of one core count once. `root`: where
// sys/ is. Never throws: what cannot be read is a fast core of its own.
CpuCores cpu_cores(std::span<const int> cpus, const std::filesystem::path& root = "/");

// The cores of this process, by its affinity mask, as found at the first call.
const CpuCores& cpu_cores();

}  // namespace attend
