#include "attend/train/log/progress.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "attend/core/strings/utf8.h"
#include "attend/core/terminal.h"
#include "attend/core/threads/parallel.h"
#include "attend/train/readable.h"

namespace attend {
namespace {

constexpr double kSmoothing = 0.95;  // weight of the past in the displayed loss and speed
constexpr int kColumnsForBar = 50;
constexpr int kShortestBar = 12, kLongestBar = 40;
constexpr int kUnlimited = 1 << 20;

// What each of several processes keeps.
std::string memory_of(const std::vector<ProcessMemory>& processes) {
  const auto mebibytes = [](std::int64_t bytes) {
    return fmt::format("{:.1f}", static_cast<double>(bytes) / (1 << 20));
  };
  std::int64_t most = 0;
  for (const ProcessMemory& process : processes) most = std::max(most, process.optimizer);
  return fmt::format(
      "{} processes; each keeps {} MiB of parameters and gradients, up to {} MiB of optimizer "
      "state",
      processes.size(), mebibytes(processes.front().parameters), mebibytes(most));
}

int width(std::string_view text) { return static_cast<int>(count_code_points(text)); }

}  // namespace

ProgressOptions progress_options_for(std::FILE* out) {
  ProgressOptions options;
  options.terminal = can_redraw(fileno(out));
  options.unicode = has_utf8_locale();
  return options;
}

Progress::Progress(std::FILE* out, ProgressOptions options) : out_(out), options_(options) {}

void Progress::on_start(const TrainingStart& start) {
  start_ = start;
  std::string line = fmt::format("training {}", counted(start.parameters, "parameter"));
  if (start.total_steps > 0) line += ", " + counted(start.total_steps, "step");
  line += fmt::format(", seed {}, {}", start.seed, counted(threads(), "thread"));
  if (start.resumed_step > 0)
    line += fmt::format(", from step {}", readable_count(start.resumed_step));
  put(line + "\n");
  if (start.processes.size() > 1) put(memory_of(start.processes) + "\n");
}

void Progress::on_step(const StepEvent& event) {
  const bool first = first_seconds_ < 0;
  if (first) {
    first_seconds_ = event.seconds;
    first_step_ = event.step;
  }
  last_ = event;
  weight_ = kSmoothing * weight_ + (1 - kSmoothing);
  const double share = (1 - kSmoothing) /
                       weight_;  // of the newest value: 1 at first, so that no zero is averaged in
  loss_ += share * (event.loss - loss_);
  nll_ += share * (event.nll - nll_);
  tokens_per_second_ += share * (event.tokens_per_second - tokens_per_second_);
  if (!first && event.seconds < next_ && event.step != start_.total_steps) return;
  next_ = event.seconds + (options_.terminal ? options_.redraw_seconds : options_.line_seconds);
  if (options_.terminal) {
    put("\r" + status(event, columns()) + "\x1b[K");
    drawn_ = true;
  } else {
    put(status(event, 0) + "\n");
  }
}

void Progress::on_validation(const ValidationEvent& event) {
  std::string line = event.averaged > 0 ? "mean of " + counted(event.averaged, "checkpoint")
                                        : fmt::format("step {}", readable_count(event.step));
  line += fmt::format(": validation loss {}, perplexity {}", readable_measure(event.loss),
                      readable_measure(perplexity(event.nll)));
  for (const auto& [name, value] : event.metrics)
    line += fmt::format(", {} {}", name, readable_measure(value));
  if (event.best) line += options_.unicode ? " ← best" : " <- best";
  note(line);
}

void Progress::on_end(const EndEvent& event) {
  clear_line();
  std::string line = fmt::format("{} at step {} after {}", name_of(event.reason),
                                 readable_count(event.step), readable_duration(event.seconds));
  if (event.reason == TrainingEnd::failed && event.resumable_step > 0)
    line += fmt::format("; the checkpoint of step {} is kept: continue with --resume",
                        readable_count(event.resumable_step));
  put(line + "\n");
}

void Progress::note(const std::string& message) {
  const bool redraw = drawn_;
  clear_line();
  put(message + "\n");
  if (redraw) {
    put(status(last_, columns()) + "\x1b[K");
    drawn_ = true;
  }
}

// The parts of the line in order of importance; a narrow terminal drops the last ones. columns = 0:
// all parts, no bar.
std::string Progress::status(const StepEvent& event, int columns) const {
  const bool known = start_.total_steps > 0;
  const bool with_bar = known && columns >= kColumnsForBar;
  const int room =
      columns == 0
          ? kUnlimited
          : columns - 1 -
                (with_bar ? kShortestBar + 2
                          : 0);  // the last column stays free, because some terminals wrap there
  const std::string total = readable_count(start_.total_steps);
  std::string line =
      fmt::format("step {:>{}}", readable_count(event.step),
                  with_bar ? total.size() : 0);  // aligned, so that the bar keeps its length
  if (known) line += "/" + total;
  for (const std::string& part : parts(event)) {
    if (width(line) + 2 + width(part) > room) break;
    line += "  " + part;
  }
  if (width(line) > room) line.resize(static_cast<std::size_t>(std::max(room, 0)));
  if (!with_bar) return line;
  const int length = std::min(kShortestBar + room - width(line), kLongestBar);
  const auto step = static_cast<double>(std::min(event.step, start_.total_steps));
  return bar(step / static_cast<double>(start_.total_steps), length) + "  " + line;
}

std::vector<std::string> Progress::parts(const StepEvent& event) const {
  std::vector<std::string> parts = {"loss " + readable_measure(loss_)};
  if (start_.total_steps > 0) {
    const auto steps = static_cast<double>(event.step - first_step_);
    const auto left =
        static_cast<double>(std::max<std::int64_t>(0, start_.total_steps - event.step));
    parts.push_back("ETA " + readable_duration(left == 0 ? 0
                                               : steps > 0
                                                   ? left * (event.seconds - first_seconds_) / steps
                                                   : -1));
  }
  parts.push_back(fmt::format("{} {}/s", readable_quantity(tokens_per_second_), start_.unit));
  parts.push_back("perplexity " + readable_measure(perplexity(nll_)));
  parts.push_back("lr " + readable_rate(event.learning_rate));
  parts.push_back("epoch " + readable_count(event.epoch));
  return parts;
}

std::string Progress::bar(double fraction, int columns) const {
  const int inside = columns - 2;
  const double filled = std::clamp(fraction, 0.0, 1.0) * inside;
  if (!options_.unicode) {
    const int whole = static_cast<int>(filled);
    return "[" + std::string(static_cast<std::size_t>(whole), '#') +
           std::string(static_cast<std::size_t>(inside - whole), '.') + "]";
  }
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
  std::string text = "▕";
  int eighths = static_cast<int>(std::lround(filled * 8));
  for (int column = 0; column < inside; ++column) {
    const int here = std::min(eighths, 8);
    text += here > 0 ? kEighths[here] : " ";
    eighths -= here;
  }
  return text + "▏";
}

int Progress::columns() const {
  return options_.columns > 0 ? options_.columns : terminal_columns(fileno(out_));
}

void Progress::put(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), out_);
  std::fflush(out_);
}

void Progress::clear_line() {
  if (drawn_) put("\r\x1b[K");
  drawn_ = false;
}

}  // namespace attend
