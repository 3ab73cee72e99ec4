#include <unistd.h>

#include <cstdlib>

#include "attend/cli/program.h"

namespace {

// Threads that wait for one another should spin for some 20 microseconds, then sleep. GNU's OpenMP spins for milliseconds unless told not
// to, and a machine shared with anything else then spends its time on that: translating the demo's test set beside a busy process took 30 s
// instead of 1 s. The runtime reads its settings before main, so the program sets them and starts itself again.
void wait_sparingly(char** argv) {
  if (std::getenv("GOMP_SPINCOUNT") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  if (setenv("GOMP_SPINCOUNT", "1000", /*overwrite=*/0) != 0) return;
  execv("/proc/self/exe", argv);  // where that is not possible, it goes on as it is
}

}  // namespace

int main(int argc, char** argv) {
  wait_sparingly(argv);
  return attend::run_program(argc, argv);
}
