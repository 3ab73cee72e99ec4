// Values of options exactly as they are written. CLI11 takes --name= for an option without a value,
// which the next argument then is, and [a,b] for a list.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class Option;
}

namespace attend {

// Arguments for CLI11, whose values it does not interpret; all options have to be those of
// read_literally(). The last argument comes first, as CLI::App::parse() expects them.
std::vector<std::string> literal_arguments(int argc, const char* const* argv);
// The argument as it was written.
std::string written_argument(std::string argument);

// Gives the option, or positional argument, its values as they were written.
void read_literally(CLI::Option& option);

}  // namespace attend
