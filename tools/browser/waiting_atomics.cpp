// std::atomic::wait() for several threads in a page. The C++ library of Debian 12's Emscripten looks every now and then whether the value is
// another, up to 8 ms too late; here a thread sleeps until it is told. These functions are those of the library, which the linker then leaves out.
#include <emscripten/threading.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <limits>

_LIBCPP_BEGIN_NAMESPACE_STD
namespace {

// Atomics of any size share these words: one counts the calls of notify for all atomics whose addresses end alike.
struct alignas(64) Notified {
  atomic<uint32_t> calls{0};
  atomic<uint32_t> waiting{0};
};

Notified& notified(const volatile void* atomic) {
  constexpr size_t kWords = 64;
  static Notified all[kWords];
  return all[reinterpret_cast<uintptr_t>(atomic) / 64 % kWords];
}

void wake(const volatile void* atomic) {
  Notified& here = notified(atomic);
  here.calls.fetch_add(1);
  if (here.waiting.load() != 0) emscripten_futex_wake(&here.calls, INT_MAX);
}

}  // namespace

void __cxx_atomic_notify_one(void const volatile* at) { wake(at); }
void __cxx_atomic_notify_all(void const volatile* at) { wake(at); }
__cxx_contention_t __libcpp_atomic_monitor(void const volatile* at) { return notified(at).calls.load(); }

void __libcpp_atomic_wait(void const volatile* at, __cxx_contention_t seen) {
  Notified& here = notified(at);
  here.waiting.fetch_add(1);
  emscripten_futex_wait(&here.calls, static_cast<uint32_t>(seen), numeric_limits<double>::infinity());
  here.waiting.fetch_sub(1);
}

// The same for atomics of the size that the library waits for by itself.
namespace {
const volatile void* address_of(const volatile __cxx_atomic_contention_t* at) { return at; }
}  // namespace

void __cxx_atomic_notify_one(__cxx_atomic_contention_t const volatile* at) { wake(address_of(at)); }
void __cxx_atomic_notify_all(__cxx_atomic_contention_t const volatile* at) { wake(address_of(at)); }
__cxx_contention_t __libcpp_atomic_monitor(__cxx_atomic_contention_t const volatile* at) { return __libcpp_atomic_monitor(address_of(at)); }
void __libcpp_atomic_wait(__cxx_atomic_contention_t const volatile* at, __cxx_contention_t seen) { __libcpp_atomic_wait(address_of(at), seen); }

_LIBCPP_END_NAMESPACE_STD
