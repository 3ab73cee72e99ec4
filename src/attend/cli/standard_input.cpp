#include "attend/cli/standard_input.h"

#include <unistd.h>

#include <iostream>

#include "attend/core/files/whole_text.h"

namespace attend {

namespace {

const std::string kName = "standard input";
std::streambuf* const own_buffer = std::cin.rdbuf();

bool is_own() { return std::cin.rdbuf() == own_buffer; }

}  // namespace

LineReader standard_input() {
  return is_own() ? LineReader(STDIN_FILENO, kName) : LineReader(std::cin, kName);
}

std::string whole_standard_input() {
  return is_own() ? whole_text(STDIN_FILENO, kName) : whole_text(std::cin, kName);
}

}  // namespace attend
