// What the launcher of several processes (mpirun, srun) says about this one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "attend/collective/collective.h"

namespace attend {

struct Launch {
  std::string variable;  // of the environment, which says so
  int size = 1;          // number of processes; > 1
  int rank = 0;          // the number of this one
};

// A variable of the environment; null: it is not set.
using Environment = std::function<const char*(const char* name)>;

// The launch that this process is part of; none if it was started alone. Known are Open MPI's
// mpirun (OMPI_COMM_WORLD_SIZE), those of MPICH and Intel MPI and Slurm's pmi2 (PMI_SIZE), and
// Slurm's pmix (PMIX_RANK and SLURM_STEP_NUM_TASKS).
std::optional<Launch> find_launch(const Environment& environment);
// In the environment of this process.
std::optional<Launch> find_launch();

// SingleProcess without a launch, or its processes through the plugin attend_mpi.so, which is
// opened only then. Throws ConfigError if the plugin cannot be opened, or if MPI knows of another
// number of processes than the launcher.
std::shared_ptr<Collective> join(const std::optional<Launch>& launch);

// The same by a plugin file.
std::shared_ptr<Collective> open_collective(const std::string& plugin, const Launch& launch);

}  // namespace attend
