#include "attend/tasks/serving/job_queue.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace attend {

void JobQueue::push(Jobs request) {
  if (request.empty()) return;
  Lane& lane = lanes_[request.front()->client()];
  if (lane.empty()) lane.taken = std::max(lane.taken, begin_);
  jobs_ += std::ssize(request);
  std::int64_t before = 0;
  for (std::unique_ptr<Job>& job : request) {
    size_ += job->size();
    lane.size += job->size();
    const Due due{now_ + kPatience * before, next_++};
    before += job->size().tokens;
    (due.first == now_ ? lane.first : lane.later).emplace(due, std::move(job));
  }
}

JobSize JobQueue::size_of(const std::string& client) const {
  const auto found = lanes_.find(client);
  return found == lanes_.end() ? JobSize{} : found->second.size;
}

std::unique_ptr<Job> JobQueue::take(Lane& lane, Waiting& from, Waiting::iterator at) {
  std::unique_ptr<Job> job = std::move(at->second);
  from.erase(at);
  --jobs_;
  size_ -= job->size();
  lane.size -= job->size();
  return job;
}

std::unique_ptr<Job> JobQueue::pop_from(Lane& lane, const Fits& fits) {
  bool is_first = lane.later.empty() ||
                  (!lane.first.empty() && lane.first.begin()->first < lane.later.begin()->first);
  if (!is_first) {
    // One that is overdue may take the places that are kept for others.
    const bool is_overdue = lane.later.begin()->first.first + kLongestWait < now_;
    if (!fits(*lane.later.begin()->second, is_overdue)) {
      if (lane.first.empty() || is_overdue) return nullptr;
      is_first = true;
    }
  }
  Waiting& waiting = is_first ? lane.first : lane.later;
  if (is_first && !fits(*waiting.begin()->second, true)) return nullptr;
  return take(lane, waiting, waiting.begin());
}

std::unique_ptr<Job> JobQueue::pop(const Fits& fits) {
  const auto number = [](const Lane& lane) {
    const Waiting& waiting = lane.first.empty() ? lane.later : lane.first;
    return waiting.begin()->first.second;
  };
  std::vector<Lanes::iterator> turns;
  for (auto at = lanes_.begin(); at != lanes_.end(); ++at)
    if (!at->second.empty()) turns.push_back(at);
  std::sort(turns.begin(), turns.end(), [&](Lanes::iterator a, Lanes::iterator b) {
    return std::tuple(a->second.taken, number(a->second)) <
           std::tuple(b->second.taken, number(b->second));
  });
  for (const Lanes::iterator at : turns) {
    Lane& lane = at->second;
    std::unique_ptr<Job> job = pop_from(lane, fits);
    if (!job) continue;
    begin_ = std::max(begin_, lane.taken);
    lane.taken += job->size().work();
    now_ += job->size().tokens;
    std::erase_if(lanes_, [this](const auto& entry) {
      return entry.second.empty() && (empty() || entry.second.taken <= begin_);
    });
    return job;
  }
  return nullptr;
}

template <class Condition>
Jobs JobQueue::take_if(const Condition& condition) {
  Jobs taken;
  for (auto& [client, lane] : lanes_) {
    for (Waiting* waiting : {&lane.first, &lane.later}) {
      for (auto at = waiting->begin(); at != waiting->end();) {
        const auto here = at++;
        if (condition(*here->second)) taken.push_back(take(lane, *waiting, here));
      }
    }
  }
  if (empty()) lanes_.clear();
  return taken;
}

Jobs JobQueue::take_cancelled() {
  return take_if([](const Job& job) { return job.cancelled(); });
}

Jobs JobQueue::take_all() {
  return take_if([](const Job&) { return true; });
}

}  // namespace attend
