#include "attend/cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "attend/core/files/descriptor.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {
namespace {

constexpr std::size_t kHeldBack = std::size_t{64} << 10;

std::string held_back;   // of the answers
int remark_failure = 0;  // errno of the first remark that failed

std::string reason(int failure) {
  return failure == EBADF ? "it is closed or not open for writing" : std::strerror(failure);
}

}  // namespace

void detail::write_answer(std::string_view text) {
  held_back += text;
  if (held_back.size() >= kHeldBack || isatty(STDOUT_FILENO) == 1) flush_answers();
}

void flush_answers() {
  const std::string text = std::exchange(held_back, {});  // output that failed once is not retried
  if (const int failure = write_all(STDOUT_FILENO, text); failure != 0)
    throw IoError(fmt::format("cannot write standard output: {}", reason(failure)));
}

void detail::write_remark(std::string_view text) {
  flush_answers();
  const int failure = write_all(STDOUT_FILENO, text);
  if (remark_failure == 0) remark_failure = failure;
}

void check_remarks() {
  if (std::ferror(stdout) != 0 && remark_failure == 0) remark_failure = EIO;
  std::clearerr(stdout);
  const int failure = std::exchange(remark_failure, 0);
  if (failure == 0 || failure == EBADF) return;
  throw IoError(
      fmt::format("the work is done, but its report could not be written to standard output: {}",
                  reason(failure)));
}

void detail::write_to_standard_error(std::string_view text) { write_all(STDERR_FILENO, text); }

std::string shown_path(const std::filesystem::path& path) {
  constexpr std::size_t kLongestPath = 4096;  // the system's limit
  return printable(path.native(), kLongestPath);
}

std::string json_text(const Error& error) {
  return json_text(nlohmann::ordered_json{{"error", message_of(error).on_command_line}});
}

}  // namespace attend
