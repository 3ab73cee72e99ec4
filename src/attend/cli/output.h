// What commands print. Answers, what a command was asked for, must arrive: whatever keeps them from
// it is an error. Remarks, what is told about a work whose result lies elsewhere, may get lost on
// the way without stopping it.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "attend/error.h"

namespace attend {

namespace detail {
void write_answer(std::string_view text);
void write_remark(std::string_view text);
void write_to_standard_error(std::string_view text);
}  // namespace detail

// Prints a piece of an answer to standard output: at once at a terminal, elsewhere when there is
// enough of it or when it is flushed. Throws IoError when what has been printed cannot be written:
// a full disk, a closed descriptor, a reader that has gone.
template <class... Values>
void answer(fmt::format_string<Values...> format, Values&&... values) {
  detail::write_answer(fmt::format(format, std::forward<Values>(values)...));
}

// Writes what answer() still holds back. Throws as it does.
void flush_answers();

// Prints to standard output, at once. A failure stops nothing; check_remarks() tells of it.
template <class... Values>
void remark(fmt::format_string<Values...> format, Values&&... values) {
  detail::write_remark(fmt::format(format, std::forward<Values>(values)...));
}

// Throws IoError when a remark since the last call, or something else that was printed through C's
// stdout, could not be written. A standard output that the program was started without is not
// missed.
void check_remarks();

// Prints to standard error. A failure is nobody's business.
template <class... Values>
void tell(fmt::format_string<Values...> format, Values&&... values) {
  detail::write_to_standard_error(fmt::format(format, std::forward<Values>(values)...));
}

// A path for the middle of a line: whole, but for bytes that a terminal would obey.
std::string shown_path(const std::filesystem::path& path);

// JSON as text, valid whatever bytes its texts hold: those that are not UTF-8 become U+FFFD.
// `indent` as nlohmann's dump() takes it.
std::string json_text(const nlohmann::json& json, int indent = -1);
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);
// {"error":"in.txt:17: ..."}: what stands for an answer that there is none of.
std::string json_text(const Error& error);

}  // namespace attend
