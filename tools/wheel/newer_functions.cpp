// What the static C++ library of Debian 12 calls of a C library that is newer than that of the
// oldest systems of the wheel. Only tools/wheel/sysroot.sh compiles this.
#include <sys/random.h>

#include <cstdlib>

extern "C" {
// glibc 2.32. Zero: counters of shared pointers are atomic also before the first thread.
char __libc_single_threaded = 0;

// glibc 2.36, for std::random_device.
unsigned arc4random() {
  unsigned number;
  if (getrandom(&number, sizeof number, 0) != sizeof number) std::abort();
  return number;
}
}
