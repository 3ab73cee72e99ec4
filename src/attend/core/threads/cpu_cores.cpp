#include "attend/core/threads/cpu_cores.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "attend/core/strings/ascii.h"

namespace attend {

namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// The numbers of a list such as "0-3,8".
std::set<std::int64_t> listed(std::string_view list) {
  std::set<std::int64_t> numbers;
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), part.size() + 1));
    const std::size_t dash = part.find('-');
    const auto first = whole_number(part.substr(0, dash));
    const auto last = dash == part.npos ? first : whole_number(part.substr(dash + 1));
    if (!first || !last || *last - *first > CPU_SETSIZE) continue;
    for (std::int64_t cpu = *first; cpu <= *last; ++cpu) numbers.insert(cpu);
  }
  return numbers;
}

// The speed of a CPU beside the others of the machine, as the scheduler knows it.
std::int64_t capacity_of(const fs::path& cpu) {
  return whole_number(first_line(cpu / "cpu_capacity")).value_or(0);
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    cpus.resize(std::max(1u, std::thread::hardware_concurrency()));
    std::iota(cpus.begin(), cpus.end(), 0);
    return cpus;
  }
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

}  // namespace

CpuCores cpu_cores(std::span<const int> cpus, const fs::path& root) {
  struct Core {
    std::int64_t capacity = 0;
    bool is_atom = false;
  };
  const std::set<std::int64_t> atoms = listed(first_line(root / "sys/devices/cpu_atom/cpus"));
  std::map<std::string, Core> cores;  // by their hyper-threads
  std::int64_t fastest = 0;
  for (const int cpu : cpus) {
    const fs::path folder = root / fmt::format("sys/devices/system/cpu/cpu{}", cpu);
    std::string siblings = first_line(folder / "topology/thread_siblings_list");
    if (siblings.empty()) siblings = fmt::format("cpu{}", cpu);
    const Core core{capacity_of(folder), atoms.contains(cpu)};
    fastest = std::max(fastest, core.capacity);
    cores[siblings] = core;
  }
  const auto is_efficient = [&](const auto& entry) {
    return entry.second.is_atom || 2 * entry.second.capacity < fastest;
  };
  const auto all = static_cast<int>(cores.size());
  const auto efficient = static_cast<int>(std::ranges::count_if(cores, is_efficient));
  if (efficient == all) return {.fast = std::max(1, all), .efficient = 0};
  return {.fast = all - efficient, .efficient = efficient};
}

const CpuCores& cpu_cores() {
  static const CpuCores found = cpu_cores(allowed_cpus());
  return found;
}

}  // namespace attend
