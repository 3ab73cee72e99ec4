// std::condition_variable::wait() of Debian 12 has a version (GLIBCXX_3.4.30) that the oldest
// systems of the wheel lack. The linker puts this in its place (--wrap in python/CMakeLists.txt).
#include <pthread.h>

#include <condition_variable>
#include <mutex>

extern "C" void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(
    std::condition_variable& variable, std::unique_lock<std::mutex>& lock) {
  pthread_cond_wait(variable.native_handle(), lock.mutex()->native_handle());
}
