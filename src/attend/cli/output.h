// Output of commands. Answers, the requested results, must arrive: failing to write them is an
// error. Remarks, reports about work whose result is elsewhere, may get lost without stopping it.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "attend/core/json/json_text.h"
#include "attend/error.h"

namespace attend {

namespace detail {
void write_answer(std::string_view text);
void write_remark(std::string_view text);
void write_to_standard_error(std::string_view text);
}  // namespace detail

// Prints part of an answer to standard output: at once on a terminal, otherwise buffered until
// flushed. Throws IoError if output cannot be written: a full disk, a closed descriptor, a closed
// pipe.
template <class... Values>
void answer(fmt::format_string<Values...> format, Values&&... values) {
  detail::write_answer(fmt::format(format, std::forward<Values>(values)...));
}

// Writes buffered answers. Throws like answer().
void flush_answers();

// Prints to standard output, unbuffered. Errors stop nothing; check_remarks() reports them.
template <class... Values>
void remark(fmt::format_string<Values...> format, Values&&... values) {
  detail::write_remark(fmt::format(format, std::forward<Values>(values)...));
}

// Throws IoError if a remark since the last call, or other output through C's stdout, could not be
// written. A standard output that was closed from the start is not an error.
void check_remarks();

// Prints to standard error and ignores errors.
template <class... Values>
void tell(fmt::format_string<Values...> format, Values&&... values) {
  detail::write_to_standard_error(fmt::format(format, std::forward<Values>(values)...));
}

// A path for the middle of a line: complete, without control characters.
std::string shown_path(const std::filesystem::path& path);

// {"error":"in.txt:17: ..."}: replaces a missing answer.
std::string json_text(const Error& error);

}  // namespace attend
