// The shuffle of core/random/random.h for what is larger than the caches.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "attend/core/random/random.h"

namespace attend {

// The same order as shuffle(range, random). Where an element goes depends on no other one, so its
// place is drawn some steps before, and is in the cache when its turn comes.
template <class T>
void shuffle_large(std::span<T> range, Random& random) {
  constexpr std::uint64_t kAhead = 32;
  std::array<std::uint64_t, kAhead> places{};  // of the next steps, by i % kAhead
  std::uint64_t next = range.size();           // to draw
  for (std::uint64_t i = range.size(); i > 1; --i) {
    for (; next > 1 && next + kAhead > i; --next) {
      const std::uint64_t place = places[next % kAhead] = random.below(next);
      __builtin_prefetch(&range[place], 1);
    }
    std::swap(range[i - 1], range[places[i % kAhead]]);
  }
}

}  // namespace attend
