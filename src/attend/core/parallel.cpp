#include "attend/core/parallel.h"

#include <fmt/format.h>
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "attend/core/error.h"

namespace attend {

namespace {

int g_threads = 0;

// Counts distinct cores among the processors of this process's affinity mask; hyper-threads of one core share a sibling list.
int count_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return std::max(1, omp_get_num_procs());
  std::set<std::string> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &set)) continue;
    std::string siblings;
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
    if (!std::getline(file, siblings)) siblings = fmt::format("cpu{}", cpu);
    cores.insert(siblings);
  }
  return std::max<int>(1, static_cast<int>(cores.size()));
}

}  // namespace

int physical_cores() {
  static const int cores = count_cores();
  return cores;
}

void set_threads(int count) {
  if (count < 1) throw ConfigError(fmt::format("threads: expected at least 1, got {}", count));
  g_threads = count;
  omp_set_num_threads(count);
}

int threads() {
  if (g_threads == 0) set_threads(physical_cores());
  return omp_in_parallel() != 0 ? 1 : g_threads;
}

}  // namespace attend
