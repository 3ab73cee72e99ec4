#include "attend/cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "attend/cli/line_count.h"
#include "attend/core/files/descriptor.h"
#include "attend/core/strings/utf8.h"
#include "attend/core/terminal.h"
#include "attend/train/readable.h"

namespace attend {
namespace {

std::string rate_text(double rate) {
  return rate < 10 ? fmt::format("{:.1f}", rate)
                   : readable_count(static_cast<std::int64_t>(rate + 0.5));
}

// What fits on a line; the last column stays free, as some terminals wrap there.
std::string shortened(const std::string& text, int columns) {
  std::size_t at = 0;
  for (int column = 1; column < columns && at < text.size(); ++column) next_code_point(text, at);
  return text.substr(0, at);
}

}  // namespace

ProgressLineOptions progress_on_standard_error(bool answering) {
  ProgressLineOptions options;
  options.descriptor = STDERR_FILENO;
  options.shown = can_redraw(STDERR_FILENO) && !(answering && isatty(STDOUT_FILENO) == 1);
  options.color = can_show_color(STDERR_FILENO);
  return options;
}

ProgressLine::ProgressLine(std::string what, std::string unit, const ProgressLineOptions& options,
                           std::int64_t total)
    : what_(std::move(what)), unit_(std::move(unit)), options_(options), total_(total) {
  if (!options_.shown) return;
  try {
    thread_ = std::thread([this] { redraw_until_end(); });
  } catch (const std::system_error&) {  // no thread to be had: the work matters more
    options_.shown = false;
  }
}

ProgressLine ProgressLine::over_lines(const std::string& file, bool answering) {
  const ProgressLineOptions options = progress_on_standard_error(answering);
  return ProgressLine("", "lines", options, options.shown ? count_lines(file) : 0);
}

void ProgressLine::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void ProgressLine::redraw_until_end() {
  using Seconds = std::chrono::duration<double>;
  std::unique_lock lock(mutex_);
  bool drawn = false;
  Seconds wait(options_.delay_seconds);
  while (!ended_.wait_for(lock, wait, [this] { return over_; })) {
    const std::string text = shortened(line(), terminal_columns(options_.descriptor));
    const std::string shown = options_.color ? "\x1b[2m" + text + "\x1b[0m" : text;
    write_all(options_.descriptor, "\r" + shown + "\x1b[K");
    drawn = true;
    wait = Seconds(options_.redraw_seconds);
  }
  if (drawn) write_all(options_.descriptor, "\r\x1b[K");
}

std::string ProgressLine::line() {
  const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  if (unit_.empty()) return fmt::format("{}  {}", what_, readable_duration(seconds));
  return what_.empty() ? counts(seconds) : what_ + "  " + counts(seconds);
}

// The speed is that up to the last count, because counts may come in lots.
std::string ProgressLine::counts(double seconds) {
  const std::int64_t done = done_.load(std::memory_order_relaxed);
  if (done != counted_) {
    counted_ = done;
    counted_seconds_ = seconds;
  }
  std::string text = readable_count(done);
  if (total_ > 0) text += "/" + readable_count(total_);
  text += " " + unit_;
  if (total_ == 0 && done == 1) text.pop_back();  // 1 line
  if (done == 0) return fmt::format("{}  {}", text, readable_duration(seconds));
  const double rate = static_cast<double>(done) / std::max(counted_seconds_, 1e-3);
  text += fmt::format("  {} {}/s", rate_text(rate), unit_);
  if (total_ < done) return fmt::format("{}  {}", text, readable_duration(seconds));
  const double left = static_cast<double>(total_ - done) / rate - (seconds - counted_seconds_);
  return fmt::format("{}  ETA {}", text, readable_duration(std::max(left, 0.0)));
}

}  // namespace attend
