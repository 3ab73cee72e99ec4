#include "attend/core/threads/cpu_quota.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "core/cpu_group.h"

namespace attend {
namespace {

// A machine in a folder.
class CpuQuotaTest : public testing::Test {
 protected:
  CpuQuotaTest() {
    std::string name = testing::TempDir() + "cpu_quota_XXXXXX";
    root_ = ::mkdtemp(name.data());
  }
  ~CpuQuotaTest() override { std::filesystem::remove_all(root_); }

  void write(const std::filesystem::path& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void put_version_2(const std::string& group, const std::string& top = "/") const {
    write("proc/self/cgroup", "0::" + group + "\n");
    write("proc/self/mountinfo",
          "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
          "31 21 0:26 " +
              top + " /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  void put_version_1(const std::string& group, const std::string& top = "/") const {
    write("proc/self/cgroup",
          "5:memory:/elsewhere\n4:cpu,cpuacct:" + group + "\n3:cpuset:/elsewhere\n0::/elsewhere\n");
    write("proc/self/mountinfo",
          "32 31 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
          "33 31 0:30 " +
              top +
              " /sys/fs/cgroup/cpu,cpuacct rw shared:15 master:4 - cgroup cgroup rw,cpu,cpuacct\n"
              "34 31 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  }
  void limit_version_1(const std::string& group, const std::string& quota,
                       const std::string& period = "100000") const {
    const std::string folder = "sys/fs/cgroup/cpu,cpuacct" + group;
    write(folder + "/cpu.cfs_quota_us", quota + "\n");
    write(folder + "/cpu.cfs_period_us", period + "\n");
  }

  std::filesystem::path root_;
};

TEST_F(CpuQuotaTest, IsThatOfTheGroup) {
  put_version_2("/user.slice/job");
  write("sys/fs/cgroup/user.slice/job/cpu.max", "250000 100000\n");
  EXPECT_EQ(cpu_quota(root_), 2.5);
  write("sys/fs/cgroup/user.slice/job/cpu.max", "30000 20000\n");
  EXPECT_EQ(cpu_quota(root_), 1.5);
  write("sys/fs/cgroup/user.slice/job/cpu.max", "50000\n");
  EXPECT_EQ(cpu_quota(root_), 0.5) << "of 100 ms";
}

TEST_F(CpuQuotaTest, IsTheSmallestOfTheGroupsAbove) {
  put_version_2("/pod/job");
  write("sys/fs/cgroup/pod/job/cpu.max", "400000 100000\n");
  write("sys/fs/cgroup/pod/cpu.max", "200000 100000\n");
  EXPECT_EQ(cpu_quota(root_), 2.0);
  write("sys/fs/cgroup/pod/job/cpu.max", "max 100000\n");
  EXPECT_EQ(cpu_quota(root_), 2.0);
  write("sys/fs/cgroup/cpu.max", "100000 100000\n");
  EXPECT_EQ(cpu_quota(root_), 1.0);
}

TEST_F(CpuQuotaTest, IsThereInAContainerThatSeesOnlyItself) {
  put_version_2("/");
  write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(cpu_quota(root_), 2.0);
  put_version_2("/../../other");  // a group outside of what the container sees
  EXPECT_EQ(cpu_quota(root_), 2.0);
}

TEST_F(CpuQuotaTest, OfVersion1IsThatOfItsGroups) {
  put_version_1("/docker/1f");
  limit_version_1("/docker/1f", "300000");
  EXPECT_EQ(cpu_quota(root_), 3.0);
  limit_version_1("/docker", "100000", "50000");
  EXPECT_EQ(cpu_quota(root_), 2.0);
  limit_version_1("/docker/1f", "-1");
  limit_version_1("/docker", "-1");
  EXPECT_EQ(cpu_quota(root_), std::nullopt);
}

// Docker mounts the container's group and leaves its name in /proc.
TEST_F(CpuQuotaTest, OfVersion1IsThereWhereOnlyTheGroupIsMounted) {
  put_version_1("/docker/1f", "/docker/1f");
  limit_version_1("", "150000");
  EXPECT_EQ(cpu_quota(root_), 1.5);
  put_version_1("/docker/1f/job", "/docker/1f");
  limit_version_1("/job", "50000");
  EXPECT_EQ(cpu_quota(root_), 0.5);
  put_version_1("/docker/1fff", "/docker/1f");
  EXPECT_EQ(cpu_quota(root_), 1.5) << "another group whose name begins the same";
}

TEST_F(CpuQuotaTest, IsTheSmallerOfBothVersions) {
  put_version_1("/job");
  std::ofstream(root_ / "proc/self/mountinfo", std::ios::app)
      << "35 31 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
  limit_version_1("/job", "300000");
  EXPECT_EQ(cpu_quota(root_), 3.0);
  write("sys/fs/cgroup/unified/elsewhere/cpu.max", "200000 100000\n");
  EXPECT_EQ(cpu_quota(root_), 2.0);
}

TEST_F(CpuQuotaTest, IsFoundAtMountPointsWithSpaces) {
  write("proc/self/cgroup", "0::/my job\n");
  write("proc/self/mountinfo", "31 21 0:26 / /mnt/control\\040groups rw - cgroup2 none rw\n");
  write("mnt/control groups/my job/cpu.max", "200000 100000\n");
  EXPECT_EQ(cpu_quota(root_), 2.0);
}

TEST_F(CpuQuotaTest, IsNoneWhereNothingSaysOne) {
  EXPECT_EQ(cpu_quota(root_), std::nullopt) << "no /proc";
  put_version_2("/job");
  EXPECT_EQ(cpu_quota(root_), std::nullopt) << "no file";
  for (const char* text :
       {"", "\n", "max 100000\n", "max\n", "0 100000\n", "-1 100000\n", "100000 0\n",
        "much 100000\n", "100000 x\n", "99999999999999999999 100000\n"}) {
    write("sys/fs/cgroup/job/cpu.max", text);
    EXPECT_EQ(cpu_quota(root_), std::nullopt) << text;
  }
  for (const char* text : {"", "\n", "::", "0:", "0::/job", " - ", "1 2 3 4 5 6 - cgroup2",
                           "1 2 - cgroup2 a b", "31 21 0:26 / \\04 rw - cgroup2 none rw"}) {
    write("proc/self/cgroup", text);
    write("proc/self/mountinfo", text);
    EXPECT_EQ(cpu_quota(root_), std::nullopt) << text;
  }
}

TEST(CpuQuota, OfARealGroupCountsWithThoseAbove) {
  const auto outer = CpuGroup::make(1.5),
             inner = outer ? CpuGroup::make(1.25, outer.get()) : nullptr;
  if (!inner) GTEST_SKIP() << CpuGroup::kMissing;
  const auto quota_in = [](const CpuGroup& group) {
    const pid_t child = fork();
    if (child == 0) _exit(group.enter() ? static_cast<int>(100 * cpu_quota().value_or(0)) : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(quota_in(*inner), 125);
  EXPECT_EQ(quota_in(*outer), 150);
}

TEST(DefaultThreads, AreOneForEachCoreAtMostTheQuotaRoundedUp) {
  EXPECT_EQ((DefaultThreads{{64}, std::nullopt}).count(), 64);
  EXPECT_EQ((DefaultThreads{{64}, 2.0}).count(), 2);
  EXPECT_EQ((DefaultThreads{{64}, 2.5}).count(), 3);
  EXPECT_EQ((DefaultThreads{{2}, 2.5}).count(), 2);
  EXPECT_EQ((DefaultThreads{{2}, 1e300}).count(), 2);
  EXPECT_EQ((DefaultThreads{{64}, 0.01}).count(), 1);
}

TEST(DefaultThreads, SayWhereTheirNumberComesFrom) {
  EXPECT_EQ((DefaultThreads{{64}, 1.5}).description(), "2 (64 physical cores, CPU quota 1.5)");
  EXPECT_EQ((DefaultThreads{{1}, std::nullopt}).description(), "1 (1 physical core, no CPU quota)");
  EXPECT_EQ((DefaultThreads{{8, 16}, std::nullopt}).description(),
            "8 (8 fast and 16 efficient cores, no CPU quota)");
}

}  // namespace
}  // namespace attend
