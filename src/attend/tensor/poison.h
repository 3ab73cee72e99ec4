// Tells AddressSanitizer which memory of the allocator is free. Private to tensor/.
#pragma once

#include "attend/tensor/free_ranges.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace attend::detail {

#if defined(__SANITIZE_ADDRESS__)
inline void poison(Range range) { __asan_poison_memory_region(range.begin, range.size); }
inline void unpoison(Range range) { __asan_unpoison_memory_region(range.begin, range.size); }
#else
inline void poison(Range) {}
inline void unpoison(Range) {}
#endif

}  // namespace attend::detail
