// The program `attend`: its commands and the handling of their errors.
#pragma once

namespace attend {

// Runs the command that the arguments name and returns the exit status (exit_status.h). After a
// failure or wrong usage, one line on standard error says what was wrong. The status is 128 + N if
// signal N ended a training after its checkpoint.
int run_program(int argc, const char* const* argv);

}  // namespace attend
