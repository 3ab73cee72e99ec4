#include "attend/collective/launch.h"

#include <gtest/gtest.h>

#include <map>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

std::optional<Launch> launch_in(const std::map<std::string, std::string>& variables) {
  return find_launch([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Launch, IsFoundInTheVariablesOfEveryLauncher) {
  const auto expect = [](const std::optional<Launch>& launch, const std::string& variable, int size,
                         int rank) {
    ASSERT_TRUE(launch);
    EXPECT_EQ(launch->variable, variable);
    EXPECT_EQ(launch->size, size);
    EXPECT_EQ(launch->rank, rank);
  };
  expect(launch_in({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}}),
         "OMPI_COMM_WORLD_SIZE", 4, 3);
  expect(launch_in({{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}}), "PMI_SIZE", 2, 1);
  expect(launch_in({{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "8"}}), "SLURM_STEP_NUM_TASKS", 8,
         0);
}

// A batch script of Slurm has the number of tasks, but is one process.
TEST(Launch, IsNotSeenInAProcessOnItsOwn) {
  EXPECT_FALSE(launch_in({}));
  EXPECT_FALSE(launch_in({{"OMPI_COMM_WORLD_SIZE", "4"}}));
  for (const char* size : {"1", "several", "4 or 5", ""})
    EXPECT_FALSE(launch_in({{"OMPI_COMM_WORLD_SIZE", size}, {"OMPI_COMM_WORLD_RANK", "0"}}))
        << size;
  EXPECT_FALSE(launch_in({{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_NTASKS", "8"}}));
  EXPECT_FALSE(launch_in({{"PMIX_RANK", "0"}}));
}

TEST(Launch, OfAProcessOnItsOwnNeedsNoPlugin) { EXPECT_EQ(join(find_launch())->size(), 1); }

TEST(Launch, WithoutThePluginSaysWhatToInstall) {
  expect_error<ConfigError>(
      [] {
        open_collective("/nowhere/attend_mpi.so", {"PMI_SIZE", 2});
      },
      {"PMI_SIZE says 2 processes", "/nowhere/attend_mpi.so", "libopenmpi-dev", "without mpirun"});
}

TEST(Launch, RefusesAFileThatIsNotThePlugin) {
  expect_error<ConfigError>(
      [] {
        open_collective("libz.so.1", {"PMI_SIZE", 2});
      },
      {"libz.so.1", "plugin of this version"});
}

}  // namespace
}  // namespace attend
