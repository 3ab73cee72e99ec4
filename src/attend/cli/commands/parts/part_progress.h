// Counts what is done of a text on a line, and stops after a part when a signal asks for it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "attend/cli/output.h"
#include "attend/cli/progress_line.h"
#include "attend/cli/stop_signal.h"
#include "attend/error.h"

namespace attend {

class PartProgress {
 public:
  // `resume_with`: the command, which must outlive it.
  PartProgress(std::string unit, const std::string& resume_with)
      : resume_with_(resume_with), line_(ProgressLine::counting(std::move(unit), 0)) {}

  std::function<void(std::int64_t)> function() {
    return [this](std::int64_t done) {
      line_.add(done - std::exchange(done_, done));
      if (!stop_.flag()) return;
      line_.end();
      remark("stopped; resume with: {}\n", resume_with_);
      throw Interrupted{stop_.signal()};
    };
  }

 private:
  const std::string& resume_with_;
  StopSignal stop_;
  ProgressLine line_;
  std::int64_t done_ = 0;
};

}  // namespace attend
