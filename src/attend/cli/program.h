// The program `attend`: its commands and the handling of their errors.
#pragma once

namespace attend {

// Runs the command in the arguments and returns the exit status: 0; 1 after one line of error
// message on standard error; 128 + signal after a signal that stopped training.
int run_program(int argc, const char* const* argv);

}  // namespace attend
