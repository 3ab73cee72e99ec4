// Reading and writing through open descriptors of the operating system. Interruptions are passed
// over, and a descriptor that does not block is waited for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attend {

// Writes what has arrived, between 1 and `capacity` bytes of it, to `to` and returns how many; 0 at
// the end. Waits until there is something. Throws IoError "cannot read <name>: ..." when the
// operating system refuses; an error is never taken for the end.
std::size_t read_some(int descriptor, char* to, std::size_t capacity, const std::string& name);

// Whether read_some() would return at once.
bool can_be_read(int descriptor);

// Writes all of `text`. Returns 0, or the error number (as errno) of the write that failed.
int write_all(int descriptor, std::string_view text);

}  // namespace attend
