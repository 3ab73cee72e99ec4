// Displays a run: on a terminal one line with a bar, redrawn in place, and a permanent line per
// validation; elsewhere plain lines, few enough for a file.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "attend/train/listener.h"

namespace attend {

struct ProgressOptions {
  bool terminal = false;        // redraw one line
  bool unicode = true;          // bar of block characters; otherwise '#'
  int columns = 0;              // width of the terminal; 0: queried at every redraw
  double redraw_seconds = 0.1;  // between redraws on a terminal
  double line_seconds = 10;     // between plain lines
};

// Suitable options for `out`: whether it is a terminal that supports redrawing, and whether the
// locale is UTF-8.
ProgressOptions progress_options_for(std::FILE* out);

class Progress : public TrainingListener {
 public:
  // Writes to `out`, which must outlive this. Write errors are ignored: a closed terminal does not
  // stop training.
  explicit Progress(std::FILE* out, ProgressOptions options);
  explicit Progress(std::FILE* out) : Progress(out, progress_options_for(out)) {}

  void on_start(const TrainingStart& start) override;
  void on_step(const StepEvent& event) override;
  void on_validation(const ValidationEvent& event) override;
  void on_end(const EndEvent& event) override;

  // Prints a message on its own line; the bar reappears below it.
  void note(const std::string& message);

 private:
  std::string status(const StepEvent& event, int columns) const;
  std::vector<std::string> parts(const StepEvent& event) const;
  std::string bar(double fraction, int columns) const;
  int columns() const;
  void put(const std::string& text);
  void clear_line();

  std::FILE* out_;
  ProgressOptions options_;
  TrainingStart start_;
  StepEvent last_;
  bool drawn_ = false;         // the bar is on the screen
  double next_ = 0;            // time of the next display, in StepEvent::seconds
  double first_seconds_ = -1;  // of the first step of this process
  std::int64_t first_step_ = 0;
  double loss_ = 0, nll_ = 0, tokens_per_second_ = 0;  // smoothed
  double weight_ = 0;
};

}  // namespace attend
