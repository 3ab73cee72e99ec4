// How a function that works for long tells whoever waits how far it has come.
#pragma once

#include <cstdint>
#include <functional>

namespace attend {

// Called with how much more has been done, in the unit that the function names. Empty: nobody
// waits.
using Advance = std::function<void(std::int64_t count)>;

}  // namespace attend
