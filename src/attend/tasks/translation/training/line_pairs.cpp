#include "attend/tasks/translation/training/line_pairs.h"

#include <fmt/format.h>

#include "attend/error.h"

namespace attend {
namespace {

std::string ends_early(const LineReader& shorter, const LineReader& longer) {
  return fmt::format("{} ends at line {}, before {}; expected as many lines in both",
                     shorter.name(), shorter.line_number(), longer.name());
}

// Reads the next line of `first`. If it is invalid, also skips the corresponding line of `second`.
bool next_of_first(LineReader& first, LineReader& second, std::string& line) {
  try {
    return first.next(line);
  } catch (const LineError&) {
    std::string ignored;
    try {
      if (!second.next(ignored)) throw DataError(ends_early(second, first));
    } catch (const LineError&) {  // one error per pair is enough
    }
    throw;
  }
}

}  // namespace

std::optional<std::pair<std::string, std::string>> next_of_both(LineReader& first,
                                                                LineReader& second) {
  std::pair<std::string, std::string> lines;
  const bool more = next_of_first(first, second, lines.first),
             more_second = second.next(lines.second);
  if (more != more_second)
    throw DataError(more ? ends_early(second, first) : ends_early(first, second));
  if (!more) return std::nullopt;
  return lines;
}

}  // namespace attend
