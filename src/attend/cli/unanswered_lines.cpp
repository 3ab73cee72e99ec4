#include "attend/cli/unanswered_lines.h"

#include "attend/core/strings/counted.h"
#include "attend/core/strings/quote.h"

namespace attend {

void UnansweredLines::tell_count() const {
  if (unanswered_ == 0) return;
  flush_answers();
  tell("attend: {} of {} could not be answered and {} {}; {}{}\n", readable_count(unanswered_),
       counted(lines_, "line"), unanswered_ == 1 ? "was" : "were",
       on_error_ == OnError::empty ? "left empty" : "skipped",
       unanswered_ == 1 ? "" : "the first: ", printable(first_, 400));
}

}  // namespace attend
