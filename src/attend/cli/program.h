// The program `attend`: its commands and the handling of their errors.
#pragma once

namespace attend {

// Runs the command that the arguments name and returns the exit status (exit_status.h): after a
// failure or wrong usage, one line on standard error says what was wrong; 128 + the signal when one
// ended a training in good order.
int run_program(int argc, const char* const* argv);

}  // namespace attend
