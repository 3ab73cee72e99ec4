// How many lines there are to read, for telling how far the reading has come.
#pragma once

#include <cstdint>
#include <string>

namespace attend {

// Lines of a plain file, from where it is read next; 0 where that cannot be known before: a pipe, a
// terminal, gzip, a file of more than a gibibyte, one that cannot be read. Moves nothing.
std::int64_t count_lines(int descriptor);
// "-" is standard input.
std::int64_t count_lines(const std::string& path);

}  // namespace attend
