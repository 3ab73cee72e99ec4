#include "attend/metrics/segments.h"

#include <fmt/format.h>

#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend {
namespace {

constexpr std::string_view kPieceMark = "\u2581", kContinuationMark = "@@";

// The subword marker found in `line`, empty if none.
std::string_view subword_mark(std::string_view line) {
  if (line.find(kPieceMark) != std::string_view::npos) return "U+2581";
  for (auto at = line.find(kContinuationMark); at != std::string_view::npos;
       at = line.find(kContinuationMark, at + 1)) {
    const auto after = at + kContinuationMark.size();
    const bool ends_word = after == line.size() || line[after] == ' ';
    const bool continues_word = at > 0 && line[at - 1] != ' ';
    if (ends_word && continues_word) return kContinuationMark;
  }
  return {};
}

void check_lines(std::span<const std::string> lines, const std::string& what, bool allow_subwords) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const auto at = find_invalid_utf8(lines[i]); at != std::string_view::npos) {
      throw DataError(fmt::format(
          "{}, line {}: expected UTF-8, found an invalid sequence at byte {}", what, i + 1, at));
    }
    if (allow_subwords) continue;
    if (const auto mark = subword_mark(lines[i]); !mark.empty()) {
      throw DataError(
          fmt::format("{}, line {}: expected words, found the subword marker {}; undo the subword "
                      "segmentation before scoring, or allow subwords to score them",
                      what, i + 1, mark));
    }
  }
}

}  // namespace

void check_segments(std::span<const std::string> hypotheses, const References& references,
                    bool allow_subwords) {
  if (hypotheses.empty()) throw ConfigError("nothing to score: the hypotheses have no lines");
  if (references.empty())
    throw ConfigError("nothing to score against: expected at least one reference, got none");
  const auto name = [&](std::size_t r) {
    return references.size() == 1 ? std::string("reference") : fmt::format("reference {}", r + 1);
  };
  for (std::size_t r = 0; r < references.size(); ++r) {
    if (references[r].size() != hypotheses.size()) {
      throw DataError(
          fmt::format("hypotheses and {} must have the same number of lines, got {} and {}",
                      name(r), hypotheses.size(), references[r].size()));
    }
  }
  check_lines(hypotheses, "hypotheses", allow_subwords);
  for (std::size_t r = 0; r < references.size(); ++r)
    check_lines(references[r], name(r), allow_subwords);
}

std::span<const std::int64_t> SegmentCounts::row(std::int64_t segment) const {
  return std::span(values).subspan(static_cast<std::size_t>(segment * width),
                                   static_cast<std::size_t>(width));
}

std::vector<std::int64_t> SegmentCounts::sum() const {
  std::vector<std::int64_t> total(static_cast<std::size_t>(width), 0);
  for (std::size_t i = 0; i < values.size(); ++i) total[i % total.size()] += values[i];
  return total;
}

}  // namespace attend
