// Calls of programs in a shell script, and their options.
//
//   TEXT=iwslt14
//   CUDA_VISIBLE_DEVICES=0 fairseq-train data-bin/$TEXT --lr 5e-4   # a comment
//
// Quotes, backslashes, also those at the end of a line, comments, and variables that the script
// sets are read as a shell reads them. Loops, functions and other commands are passed over.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/interchange/migration/rules.h"

namespace attend {

struct ShellCall {
  std::string program;             // without its folder
  std::vector<std::string> words;  // its arguments
  std::int64_t line = 0;           // where it begins, from 1
};

// The calls of programs that `is_wanted` knows by the last part of their path. Throws DataError
// "<where>, line N: ..." for a quote that does not end, and for an argument of such a call that
// only a shell can tell: a variable that the script does not set, or a substitution.
std::vector<ShellCall> read_shell_calls(std::string_view script, std::string_view where,
                                        const std::function<bool(std::string_view)>& is_wanted);

struct CallSyntax {
  MigrationTables tables;  // say how many words an option takes; one without a rule takes all
  std::span<const std::pair<char, std::string_view>> letters = {};  // -s for source-lang
  std::string_view argument = {};  // what to call arguments that are no option
};

// Throws ConfigError for an option that is given twice with different values, and for an unknown
// letter.
std::vector<ForeignOption> read_call_options(const ShellCall& call, const CallSyntax& syntax,
                                             std::string_view where);

}  // namespace attend
