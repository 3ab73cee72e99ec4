// The program `attend`: its commands, and what becomes of their errors.
#pragma once

namespace attend {

// Runs the command that the arguments name and returns the exit status: 0, or 1 after one line on standard error that says what was wrong.
int run_program(int argc, const char* const* argv);

}  // namespace attend
