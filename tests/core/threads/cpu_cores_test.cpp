#include "attend/core/threads/cpu_cores.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace attend {
namespace {

// A machine in a folder.
class CpuCoresTest : public testing::Test {
 protected:
  CpuCoresTest() {
    std::string name = testing::TempDir() + "cpu_cores_XXXXXX";
    root_ = ::mkdtemp(name.data());
  }
  ~CpuCoresTest() override { std::filesystem::remove_all(root_); }

  void write(const std::filesystem::path& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void put_cpu(int cpu, const std::string& siblings, const std::string& capacity = "") const {
    const std::string folder = fmt::format("sys/devices/system/cpu/cpu{}/", cpu);
    write(folder + "topology/thread_siblings_list", siblings + "\n");
    if (!capacity.empty()) write(folder + "cpu_capacity", capacity + "\n");
  }
  std::pair<int, int> cores(const std::vector<int>& cpus) const {
    const CpuCores found = cpu_cores(cpus, root_);
    return {found.fast, found.efficient};
  }

  std::filesystem::path root_;
};

using FastAndEfficient = std::pair<int, int>;

TEST_F(CpuCoresTest, CountHyperThreadsOfACoreOnce) {
  for (const auto& [cpu, siblings] : {std::pair{0, "0,2"}, {1, "1,3"}, {2, "0,2"}, {3, "1,3"}})
    put_cpu(cpu, siblings);
  EXPECT_EQ(cores({0, 1, 2, 3}), (FastAndEfficient{2, 0}));
  EXPECT_EQ(cores({0, 2}), (FastAndEfficient{1, 0}));
}

TEST_F(CpuCoresTest, AreAllFastWhereNothingIsKnown) {
  EXPECT_EQ(cores({0, 1, 2}), (FastAndEfficient{3, 0}));
  EXPECT_EQ(cores({}), (FastAndEfficient{1, 0}));
}

TEST_F(CpuCoresTest, AreEfficientWhereIntelsDriverSaysSo) {
  for (int cpu = 0; cpu < 4; ++cpu) put_cpu(cpu, cpu < 2 ? "0-1" : "2-3");
  for (int cpu = 4; cpu < 10; ++cpu) put_cpu(cpu, std::to_string(cpu));
  write("sys/devices/cpu_atom/cpus", "4-7,9\n");
  EXPECT_EQ(cores({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), (FastAndEfficient{3, 5}));
  EXPECT_EQ(cores({4, 5}), (FastAndEfficient{2, 0})) << "only those are left";
}

TEST_F(CpuCoresTest, AreEfficientBelowHalfTheLargestCapacity) {
  const std::vector<std::string> capacities{"260", "260", "700", "700", "1024"};
  for (int cpu = 0; cpu < 5; ++cpu)
    put_cpu(cpu, std::to_string(cpu), capacities[static_cast<std::size_t>(cpu)]);
  EXPECT_EQ(cores({0, 1, 2, 3, 4}), (FastAndEfficient{3, 2}));
  EXPECT_EQ(cores({0, 1}), (FastAndEfficient{2, 0}));
}

TEST_F(CpuCoresTest, IgnoreWhatIsNoList) {
  put_cpu(0, "0");
  for (const char* list : {"", "x", "3-1", "0-x", "0-999999999999999999", "-"}) {
    write("sys/devices/cpu_atom/cpus", list);
    EXPECT_EQ(cores({0, 1}), (FastAndEfficient{2, 0})) << list;
  }
}

}  // namespace
}  // namespace attend
