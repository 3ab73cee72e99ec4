// The descriptors 0, 1 and 2 of the process.
#pragma once

namespace attend {

// Fills those that are closed, so that no file which is opened later becomes standard input, output
// or error by getting their number. Reading the one, or writing the others, fails as if they were
// closed still. Throws IoError where that is not possible.
void fill_standard_descriptors();

}  // namespace attend
