#include "attend/tasks/serving/job_queue.h"

namespace attend {

void JobQueue::push(Jobs request) {
  std::int64_t before = 0;
  for (std::unique_ptr<Job>& job : request) {
    size_ += job->size();
    const Due due{now_ + kPatience * before, next_++};
    before += job->size().tokens;
    (due.first == now_ ? first_ : later_).emplace(due, std::move(job));
  }
}

std::unique_ptr<Job> JobQueue::take(Waiting& from, Waiting::iterator at) {
  std::unique_ptr<Job> job = std::move(at->second);
  from.erase(at);
  const JobSize& taken = job->size();
  size_ += {-taken.items, -taken.tokens, -taken.rows, -taken.in_batch};
  return job;
}

std::unique_ptr<Job> JobQueue::pop(
    const std::function<bool(const Job& job, bool has_right)>& fits) {
  if (empty()) return nullptr;
  bool is_first =
      later_.empty() || (!first_.empty() && first_.begin()->first < later_.begin()->first);
  if (!is_first) {
    // One that is overdue may take the places that are kept for others.
    const bool is_overdue = later_.begin()->first.first + kLongestWait < now_;
    if (!fits(*later_.begin()->second, is_overdue)) {
      if (first_.empty() || is_overdue) return nullptr;
      is_first = true;
    }
  }
  Waiting& waiting = is_first ? first_ : later_;
  if (is_first && !fits(*waiting.begin()->second, true)) return nullptr;
  std::unique_ptr<Job> job = take(waiting, waiting.begin());
  now_ += job->size().tokens;
  return job;
}

Jobs JobQueue::take_cancelled() {
  Jobs cancelled;
  for (Waiting* waiting : {&first_, &later_}) {
    for (auto at = waiting->begin(); at != waiting->end();) {
      const auto here = at++;
      if (here->second->cancelled()) cancelled.push_back(take(*waiting, here));
    }
  }
  return cancelled;
}

Jobs JobQueue::take_all() {
  Jobs all;
  for (Waiting* waiting : {&first_, &later_})
    while (!waiting->empty()) all.push_back(take(*waiting, waiting->begin()));
  return all;
}

}  // namespace attend
