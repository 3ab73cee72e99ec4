// Lines of a stream that cannot be answered: their replacement and their count.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "attend/answers.h"
#include "attend/cli/output.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/options.h"

namespace attend {

// empty: an empty answer, so that output has as many lines as input; skip: nothing; stop: the
// command ends with an error.
enum class OnError { empty, skip, stop };
inline std::span<const std::string_view> enum_names(OnError) {
  static constexpr std::array<std::string_view, 3> kNames{"empty", "skip", "stop"};
  return kNames;
}

struct UnansweredLineOptions {
  OnError on_error = OnError::empty;
};

template <class Visitor>
void fields(UnansweredLineOptions& o, Visitor&& visit) {
  visit("on-error", o.on_error,
        "what to do with a line that cannot be answered: leave the answer empty, skip the line, or "
        "stop; the number of such lines is "
        "printed at the end");
}

class UnansweredLines {
 public:
  explicit UnansweredLines(const UnansweredLineOptions& options) : on_error_(options.on_error) {}

  // `print` and `leave_empty` write the output for a line. Output is flushed whenever the command
  // waits for input. This object must outlive the sink.
  template <class Answer>
  AnswerSink<Answer> sink(std::function<void(const Answer&)> print,
                          std::function<void(const LineError&)> leave_empty) {
    AnswerSink<Answer> sink;
    sink.accept = [this, print = std::move(print)](const Answer& answer) {
      print(answer);
      ++lines_;
    };
    if (on_error_ != OnError::stop) {
      sink.reject = [this, leave_empty = std::move(leave_empty)](const LineError& error) {
        if (on_error_ == OnError::empty) leave_empty(error);
        if (unanswered_++ == 0) first_ = message_of(error).on_command_line;
        ++lines_;
      };
    }
    sink.caught_up = flush_answers;
    return sink;
  }

  // The number of lines answered or skipped so far.
  std::int64_t lines() const { return lines_; }

  // Reports on standard error how many lines have no answer, if any, and the reason of the first.
  void tell_count() const;

 private:
  OnError on_error_;
  std::int64_t lines_ = 0, unanswered_ = 0;
  std::string first_;
};

}  // namespace attend
