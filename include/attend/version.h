// Which attend this is.
#pragma once

#include <string>

#pragma GCC visibility push(default)
namespace attend {

// "0.2.0": major.minor.patch. Until 1.0 a new minor version may change what these headers promise;
// CHANGELOG.md says how.
std::string version();

// What the library is made of and what it uses here, one "name: value" on a line: the compiler, the
// instruction sets that it was built for, the one that this processor runs, the libraries it is
// linked with.
std::string build_information();

}  // namespace attend
#pragma GCC visibility pop
