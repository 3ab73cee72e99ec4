#include "attend/cli/standard_input.h"

#include <unistd.h>

#include <iostream>

namespace attend {

namespace {

std::streambuf* const own_buffer = std::cin.rdbuf();

}  // namespace

LineReader standard_input() {
  const std::string name = "standard input";
  return std::cin.rdbuf() == own_buffer ? LineReader(STDIN_FILENO, name)
                                        : LineReader(std::cin, name);
}

}  // namespace attend
