// Progress of a command at a terminal: one line on standard error, rewritten in place and removed
// when the work is done.
//
//   12,288/29,000 lines  184 lines/s  ETA 1:31
//
// It appears after a delay, so fast work shows nothing. If standard error is not a terminal,
// nothing is written.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "attend/answers.h"

namespace attend {

struct ProgressLineOptions {
  int descriptor = 2;
  bool shown = false;
  bool color = false;
  double delay_seconds = 1;     // before the line appears
  double redraw_seconds = 0.2;  // between two redraws
};

// Options for standard error. `answering`: answers go to standard output meanwhile; if that is a
// terminal, they show progress themselves, and there is no line.
ProgressLineOptions progress_on_standard_error(bool answering);

// A separate thread redraws the line: counting costs one addition, and uncounted work still shows
// its elapsed time.
class ProgressLine {
 public:
  // Counted work; `unit`: "texts".
  static ProgressLine counting(std::string unit, std::int64_t total) {
    return ProgressLine("", std::move(unit), progress_on_standard_error(false), total);
  }
  // The lines of a file; "-" is standard input.
  static ProgressLine over_lines(const std::string& file, bool answering);
  // Uncounted work; `what`: "learning the vocabulary".
  static ProgressLine timing(std::string what) {
    return ProgressLine(std::move(what), "", progress_on_standard_error(false));
  }
  // `total`: 0 if unknown.
  ProgressLine(std::string what, std::string unit, const ProgressLineOptions& options,
               std::int64_t total = 0);
  ~ProgressLine() { end(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool is_shown() const { return options_.shown; }
  void add(std::int64_t count) { done_.fetch_add(count, std::memory_order_relaxed); }
  // Removes the line.
  void end();

  // A sink that counts the answers it passes on. This object must outlive it.
  template <class Answer>
  AnswerSink<Answer> counted(AnswerSink<Answer> sink) {
    if (!is_shown()) return sink;
    sink.accept = [this, accept = std::move(sink.accept)](const Answer& answer) {
      accept(answer);
      add(1);
    };
    if (sink.reject) {
      sink.reject = [this, reject = std::move(sink.reject)](const LineError& error) {
        reject(error);
        add(1);
      };
    }
    return sink;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void redraw_until_end();
  std::string line();
  std::string counts(double seconds);

  std::string what_, unit_;
  ProgressLineOptions options_;
  std::int64_t total_;
  std::atomic<std::int64_t> done_{0};
  Clock::time_point begun_ = Clock::now();
  std::int64_t counted_ = 0;    // of done_, at the last redraw that saw it change
  double counted_seconds_ = 0;  // when that was
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace attend
