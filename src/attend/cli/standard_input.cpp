#include "attend/cli/standard_input.h"

#include <sys/stat.h>
#include <unistd.h>

#include <iostream>

#include "attend/core/error.h"

namespace attend {

LineReader standard_input() {
  struct stat status {};
  if (fstat(STDIN_FILENO, &status) == 0 && S_ISDIR(status.st_mode)) throw IoError("standard input: is a directory, expected text");
  return LineReader(std::cin, "standard input");
}

bool standard_input_is_terminal() { return isatty(STDIN_FILENO) != 0; }

}  // namespace attend
