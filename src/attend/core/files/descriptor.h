// Reading and writing file descriptors. Interrupted calls are retried; non-blocking descriptors are
// waited for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attend {

// Reads between 1 and `capacity` available bytes into `to` and returns how many; 0 at the end.
// Waits for the first byte. Throws IoError "cannot read <name>: ..." for errors, which never count
// as the end.
std::size_t read_some(int descriptor, char* to, std::size_t capacity, const std::string& name);

// Whether read_some() would return at once.
bool can_be_read(int descriptor);

// Writes all of `text`. Returns 0, or the errno of the failed write.
int write_all(int descriptor, std::string_view text);

}  // namespace attend
