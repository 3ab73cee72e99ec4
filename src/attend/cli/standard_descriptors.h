// The descriptors 0, 1 and 2 of the process.
#pragma once

namespace attend {

// Opens those that are closed, so that no file opened later becomes standard input, output or error
// by accident. Reading or writing them still fails as if closed. Throws IoError if that is
// impossible.
void fill_standard_descriptors();

// Everything that the process prints to standard output from now on is dropped. Throws IoError.
void silence_standard_output();

}  // namespace attend
