#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "attend/cli/program.h"

namespace {

bool says_how_to_wait(const char* variable) {
  return std::strncmp(variable, "GOMP_SPINCOUNT=", 15) == 0 || std::strncmp(variable, "OMP_WAIT_POLICY=", 16) == 0;
}

// Threads that wait for one another should spin for some 20 microseconds, then sleep. GNU's OpenMP spins for milliseconds unless told not
// to, and a machine shared with anything else then spends its time on that: translating the demo's test set beside a busy process took 30 s
// instead of 1 s. The runtime reads its settings as soon as it is loaded, so the program adds one and starts itself again.
void wait_sparingly(int, char** argv, char** environment) {
  constexpr std::size_t kMost = 1000;
  static char setting[] = "GOMP_SPINCOUNT=1000";
  static char* with_setting[kMost + 2];
  std::size_t count = 0;
  for (; environment[count] != nullptr && count < kMost; ++count) {
    if (says_how_to_wait(environment[count])) return;
    with_setting[count] = environment[count];
  }
  if (environment[count] != nullptr) return;
  with_setting[count] = setting;
  // By its own name, which is what `ps` and `top` show; by the link when the file is no longer there. Where neither is possible, it goes on
  // as it is.
  constexpr const char* kLink = "/proc/self/exe";
  static char name[4096];
  const long length = syscall(SYS_readlink, kLink, name, sizeof name - 1);
  if (length > 0) syscall(SYS_execve, name, argv, with_setting);
  syscall(SYS_execve, kLink, argv, with_setting);
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
int main(int argc, char** argv) {
  wait_sparingly(argc, argv, environ);  // the sanitizer must begin first
  return attend::run_program(argc, argv);
}
#else
// Called before any library begins: starting twice then costs 3 ms less.
[[gnu::section(".preinit_array"), gnu::used]] static void (*const before_everything)(int, char**, char**) = wait_sparingly;

int main(int argc, char** argv) { return attend::run_program(argc, argv); }
#endif
