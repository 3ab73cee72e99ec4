#include "attend/core/parallel.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <thread>

namespace attend {

namespace {

// Counts distinct cores among the processors of this process's affinity mask; hyper-threads of one core share a sibling list.
int count_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
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

// Never destroyed: at the end of the process other threads may still be in a loop.
ThreadPool& detail::process_pool() {
  static ThreadPool& pool = *new ThreadPool(physical_cores());
  return pool;
}

void set_threads(int count) { detail::process_pool().resize(count); }

int threads() { return ThreadPool::inside_loop() ? 1 : detail::process_pool().threads(); }

}  // namespace attend
