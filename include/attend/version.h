// The version of the library.
#pragma once

#include <string>

#pragma GCC visibility push(default)
namespace attend {

// "0.2.0": major.minor.patch. Until 1.0 a minor version may change these headers; CHANGELOG.md
// lists the changes.
std::string version();

// Build information, one "name: value" per line: the compiler, the instruction sets in the binary,
// the one in use on this CPU, the default number of threads, and the linked libraries.
std::string build_information();

}  // namespace attend
#pragma GCC visibility pop
