// The callback with which a long-running function reports progress.
#pragma once

#include <cstdint>
#include <functional>

namespace attend {

// Called with the amount of new work done, in a unit that the function names. May be empty.
using Advance = std::function<void(std::int64_t count)>;

}  // namespace attend
