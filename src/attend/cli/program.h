// The program `attend`: its commands, and what becomes of their errors.
#pragma once

namespace attend {

// Runs the command that the arguments name and returns the exit status: 0; 1 after one line on
// standard error that says what was wrong; 128 + the signal when one ended a training in good
// order.
int run_program(int argc, const char* const* argv);

}  // namespace attend
