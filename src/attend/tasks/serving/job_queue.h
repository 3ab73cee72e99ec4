// The jobs of one model that wait.
//
// The order is by time, where time is the number of tokens that have been taken from the queue. A
// job is due at the time of its arrival plus kPatience times the tokens of its request before it.
// So the first job of every request is served in the order of arrival, and the others of a long
// request give way to requests that arrive while it runs. It keeps one in kPatience + 1 of the
// tokens while others arrive as fast as they can be served, and more when they do not.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "attend/tasks/serving/job.h"

namespace attend {

class JobQueue {
 public:
  static constexpr std::int64_t kPatience = 4;
  // A job that has been due for this many tokens lets no other pass: a second or two of most
  // models.
  static constexpr std::int64_t kLongestWait = 1024;

  // All jobs of a request.
  void push(Jobs request);

  bool empty() const { return first_.empty() && later_.empty(); }
  // Of all jobs that wait.
  const JobSize& size() const { return size_; }

  // Takes the job that is due first, if `fits` accepts it. If it does not, and is not the first of
  // its request, the first job of another may pass. Null if none is taken. has_right: whether the
  // job is the first of its request, or overdue.
  std::unique_ptr<Job> pop(const std::function<bool(const Job& job, bool has_right)>& fits);
  // Takes cancelled jobs.
  Jobs take_cancelled();
  Jobs take_all();

 private:
  using Due = std::pair<std::int64_t, std::int64_t>;  // time, and number of the job
  using Waiting = std::map<Due, std::unique_ptr<Job>>;
  std::unique_ptr<Job> take(Waiting& from, Waiting::iterator at);

  Waiting first_;  // jobs of their requests
  Waiting later_;
  JobSize size_;
  std::int64_t now_ = 0;   // tokens taken so far
  std::int64_t next_ = 0;  // number of the next job
};

}  // namespace attend
