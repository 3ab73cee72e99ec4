#include "attend/documents/subtitles/subtitle_cues.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/messages/edited_file.h"
#include "attend/error.h"

namespace attend {
namespace {

constexpr std::string_view kArrow = "-->";

bool is_digit_of_time(char c) { return c >= '0' && c <= '9'; }

// The number at the beginning, which is taken away.
std::optional<std::int64_t> take_number(std::string_view& text, std::size_t most_digits) {
  std::int64_t number = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && is_digit_of_time(text[digits]); ++digits) {
    if (digits == most_digits) return std::nullopt;
    number = 10 * number + (text[digits] - '0');
  }
  text.remove_prefix(digits);
  return digits == 0 ? std::nullopt : std::optional(number);
}

// "01:02:03,456" at the beginning, which is taken away; WebVTT may leave out the hours.
std::optional<std::int64_t> take_time(std::string_view& text) {
  std::int64_t seconds = 0;
  for (int part = 0;; ++part) {
    const auto number = take_number(text, 6);
    if (!number || part > 2) return std::nullopt;
    seconds = 60 * seconds + *number;
    if (!text.starts_with(':')) {
      if (part == 0) return std::nullopt;
      break;
    }
    text.remove_prefix(1);
  }
  if (!text.starts_with(',') && !text.starts_with('.')) return seconds * 1000;
  text.remove_prefix(1);
  const std::string_view before = text;
  auto fraction = take_number(text, 3);
  if (!fraction) return std::nullopt;
  for (std::size_t digits = before.size() - text.size(); digits < 3; ++digits) *fraction *= 10;
  return seconds * 1000 + *fraction;
}

void skip_blanks(std::string_view& text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
}

// The times of a line such as "00:01.000 --> 00:02.000 align:start".
std::optional<SubtitleCue> times_of(std::string_view line) {
  SubtitleCue cue;
  skip_blanks(line);
  const auto begin = take_time(line);
  skip_blanks(line);
  if (!begin || !line.starts_with(kArrow)) return std::nullopt;
  line.remove_prefix(kArrow.size());
  skip_blanks(line);
  const auto end = take_time(line);
  if (!end || !(line.empty() || line.starts_with(' ') || line.starts_with('\t')))
    return std::nullopt;
  cue.begin = *begin;
  cue.end = *end;
  return cue;
}

class CueFinder {
 public:
  CueFinder(std::string_view name, std::string_view content, SubtitleFormat format)
      : name_(name), content_(content), format_(format), lines_(lines_of(content)) {
    if (!lines_.empty() && content_.starts_with("\xEF\xBB\xBF")) lines_.front().begin = 3;
  }

  std::vector<SubtitleCue> find() {
    const bool is_vtt = format_ == SubtitleFormat::vtt;
    if (is_vtt && (lines_.empty() || !line(0).starts_with("WEBVTT")))
      throw DataError(fmt::format("{}:1: expected WEBVTT in the first line", quote(name_)));
    std::vector<SubtitleCue> cues;
    std::optional<SubtitleCue> times;
    for (std::size_t i = 0; i < lines_.size();) {
      if (const auto own = times_at(i)) {
        times = own;
        ++i;
      } else if (is_vtt || !times || is_blank(line(i)) || is_number_of_cue(i)) {
        ++i;
        continue;
      }
      const std::size_t end = end_of_text(i);
      if (end > i) {
        times->text = {lines_[i].begin, lines_[end - 1].end};
        cues.push_back(*times);
      }
      i = end;
    }
    if (!is_vtt && !times && !is_blank(content_))
      throw DataError(fmt::format(
          "{}: expected times such as 00:00:01,000 --> 00:00:02,500, found none", quote(name_)));
    return cues;
  }

 private:
  std::string_view line(std::size_t i) const { return lines_[i].of(content_); }

  std::optional<SubtitleCue> times_at(std::size_t i) const {
    const std::string_view text = line(i);
    if (text.find(kArrow) == text.npos) return std::nullopt;
    const auto times = times_of(text);
    if (!times && (format_ == SubtitleFormat::vtt || is_digit_of_time(text.front())))
      throw DataError(
          fmt::format("{}:{}: expected times such as 00:00:01{}000 --> 00:00:02{}500, found {}",
                      quote(name_), i + 1, separator(), separator(), quote(text)));
    return times;
  }
  char separator() const { return format_ == SubtitleFormat::srt ? ',' : '.'; }

  // A line with a number before one with times.
  bool is_number_of_cue(std::size_t i) const {
    std::string_view text = line(i);
    skip_blanks(text);
    while (!text.empty() && is_digit_of_time(text.front())) text.remove_prefix(1);
    return format_ == SubtitleFormat::srt && is_blank(text) && i + 1 < lines_.size() &&
           times_at(i + 1);
  }

  std::size_t end_of_text(std::size_t i) const {
    while (i < lines_.size() && !is_blank(line(i)) && !times_at(i) && !is_number_of_cue(i)) ++i;
    return i;
  }

  std::string_view name_, content_;
  SubtitleFormat format_;
  std::vector<TextSpan> lines_;
};

}  // namespace

std::vector<SubtitleCue> find_cues(std::string_view name, std::string_view content,
                                   SubtitleFormat format) {
  require_utf8(name, content);
  return CueFinder(name, content, format).find();
}

std::vector<TextSpan> lines_of(std::string_view text) {
  std::vector<TextSpan> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    lines.push_back({at, end});
    at = end + (text.substr(end).starts_with("\r\n") ? 2 : 1);
  }
  return lines;
}

}  // namespace attend
