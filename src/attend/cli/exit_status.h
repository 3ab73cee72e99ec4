// The exit statuses of the program.
#pragma once

namespace attend {

inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;     // files, data or models that cannot be used
inline constexpr int kUsageError = 2;  // commands and options: unknown, missing, out of range

inline constexpr const char* kExitStatusHelp =
    "Exit status: 0 success; 1 failure; 2 wrong usage (an unknown command, an option that is "
    "missing or out of range); 128 + N if signal N stopped a training.";

}  // namespace attend
