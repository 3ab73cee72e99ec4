// Counts the lines that remain to be read, for progress.
#pragma once

#include <cstdint>
#include <string>

namespace attend {

// The lines of a plain file from the read position on, which does not move. 0 if unknown: a pipe, a
// terminal, packed text, a file of more than 1 GiB, an unreadable file.
std::int64_t count_lines(int descriptor);
// "-" is standard input.
std::int64_t count_lines(const std::string& path);

}  // namespace attend
