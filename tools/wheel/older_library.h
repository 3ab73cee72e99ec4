// Included first wherever the wheel is compiled.
#pragma once
#include <bits/c++config.h>

// What Debian 12's C++ library knows of its C library, and glibc 2.28 does not have.
#undef _GLIBCXX_USE_PTHREAD_COND_CLOCKWAIT
#undef _GLIBCXX_USE_PTHREAD_MUTEX_CLOCKLOCK
#undef _GLIBCXX_USE_PTHREAD_RWLOCK_CLOCKLOCK

// What newer kernels answer to, and the headers of Debian 11 do not name.
#define MADV_POPULATE_READ 22
#define HWCAP2_I8MM (1 << 13)
