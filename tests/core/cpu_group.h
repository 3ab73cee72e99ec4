// A control group with a CPU quota, where the machine lets tests make one.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace attend {

class CpuGroup {
 public:
  static constexpr const char* kMissing = "no control group with a CPU quota can be made here";

  // Of version 1 or 2, under `parent` or at the top. nullptr if it cannot be made.
  static std::unique_ptr<CpuGroup> make(double cpus, const CpuGroup* parent = nullptr) {
    using std::filesystem::path;
    for (const path& top :
         {path("/sys/fs/cgroup/cpu"), path("/sys/fs/cgroup/cpu,cpuacct"), path("/sys/fs/cgroup")}) {
      const path above = parent != nullptr ? parent->folder() : top;
      if (auto group = make_in(above, cpus)) return group;
      if (parent != nullptr) break;
    }
    return nullptr;
  }
  ~CpuGroup() {
    std::error_code ignored;
    std::filesystem::remove(folder_, ignored);
  }
  CpuGroup(const CpuGroup&) = delete;
  CpuGroup& operator=(const CpuGroup&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  // Moves the calling process into it. Whether that is permitted.
  bool enter() const { return write("cgroup.procs", std::to_string(::getpid())); }

 private:
  explicit CpuGroup(std::filesystem::path folder) : folder_(std::move(folder)) {}

  static std::unique_ptr<CpuGroup> make_in(const std::filesystem::path& above, double cpus) {
    static std::atomic<int> counter{0};
    std::error_code error;
    if (!std::filesystem::exists(above / "cgroup.procs", error)) return nullptr;
    const auto folder = above / fmt::format("attend-test-{}-{}", ::getpid(), counter++);
    if (!std::filesystem::create_directory(folder, error)) return nullptr;
    std::unique_ptr<CpuGroup> group(new CpuGroup(folder));
    const int quota = static_cast<int>(cpus * 100'000);
    const bool limited = group->write("cpu.max", fmt::format("{} 100000", quota)) ||
                         group->write("cpu.cfs_quota_us", std::to_string(quota));
    return limited ? std::move(group) : nullptr;
  }

  bool write(const char* name, const std::string& text) const {
    std::error_code error;
    if (!std::filesystem::exists(folder_ / name, error)) return false;
    std::ofstream file(folder_ / name);
    file << text << std::flush;
    return file.good();
  }

  std::filesystem::path folder_;
};

}  // namespace attend
