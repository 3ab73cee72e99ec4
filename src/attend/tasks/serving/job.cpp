#include "attend/tasks/serving/job.h"

#include "attend/error.h"

namespace attend {

JobSize& JobSize::operator+=(const JobSize& other) {
  items += other.items;
  tokens += other.tokens;
  rows += other.rows;
  in_batch += other.in_batch;
  written += other.written;
  return *this;
}

JobSize& JobSize::operator-=(const JobSize& other) {
  items -= other.items;
  tokens -= other.tokens;
  rows -= other.rows;
  in_batch -= other.in_batch;
  written -= other.written;
  return *this;
}

JobCounts& JobCounts::operator+=(const JobCounts& other) {
  answered += other.answered;
  failed += other.failed;
  cancelled += other.cancelled;
  tokens_written += other.tokens_written;
  return *this;
}

std::exception_ptr cancelled_error() {
  return std::make_exception_ptr(CancelledError("the request was cancelled"));
}

}  // namespace attend
