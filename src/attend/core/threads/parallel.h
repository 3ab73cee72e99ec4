// Parallel loops on the current runtime (core/threads/runtime.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "attend/core/threads/runtime.h"

namespace attend {

// The number of threads a loop would use: those of the current runtime, or 1 inside a loop, because
// nested loops are serial.
inline int threads() { return ThreadPool::inside_loop() ? 1 : Runtime::current().threads(); }

// Runs body(begin, end) over disjoint ranges that cover [0, count), each at least `grain` long
// except the last. The ranges depend on the number of threads, so results must not depend on where
// a range ends. If bodies throw, the exception of the first range is rethrown at the end.
template <class Body>
void parallel_for(std::int64_t count, std::int64_t grain, const Body& body) {
  if (count <= 0) return;
  grain = std::max<std::int64_t>(grain, 1);
  const std::int64_t parts = std::min<std::int64_t>((count - 1) / grain + 1, threads());
  if (parts <= 1) {
    body(std::int64_t{0}, count);
    return;
  }
  const auto part_of = [&](std::int64_t part) {
    body(count * part / parts, count * (part + 1) / parts);
  };
  Runtime::current().run(parts, IndexBody(part_of));
}

// Runs body(i) for every i in [0, count), scheduled one by one: for few items of unequal cost. If
// bodies throw, the exception of the lowest i is rethrown at the end.
template <class Body>
void parallel_each(std::int64_t count, const Body& body) {
  Runtime::current().run(count, IndexBody(body));
}

}  // namespace attend
