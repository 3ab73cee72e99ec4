// The jobs of one model that wait.
//
// Clients take turns: the next job is of the client whose jobs have taken the fewest tokens so far,
// read and, at most, written. A client that comes, or comes again, begins where the others are
// (start-time fair queueing, Goyal et al. 1996).
//
// The order of a client's jobs is by time, where time is the number of tokens that have been taken
// from the queue. A job is due at the time of its arrival plus kPatience times the tokens of its
// request before it. So the first job of every request is served in the order of arrival, and the
// others of a long request give way to requests that arrive while it runs. It keeps one in
// kPatience
// + 1 of the tokens while others arrive as fast as they can be served, and more when they do not.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "attend/tasks/serving/job.h"

namespace attend {

class JobQueue {
 public:
  static constexpr std::int64_t kPatience = 4;
  // A job that has been due for this many tokens lets no other of its client pass: a second or two
  // of most models.
  static constexpr std::int64_t kLongestWait = 1024;

  // All jobs of a request.
  void push(Jobs request);

  bool empty() const { return jobs_ == 0; }
  // Adds up all jobs that wait.
  const JobSize& size() const { return size_; }
  // Adds up those of a client.
  JobSize size_of(const std::string& client) const;

  // Takes the job that is due first, if `fits` accepts it. If it does not, and is not the first of
  // its request, the first job of another may pass; then come the other clients. Null if none is
  // taken. has_right: whether the job is the first of its request, or overdue.
  using Fits = std::function<bool(const Job& job, bool has_right)>;
  std::unique_ptr<Job> pop(const Fits& fits);
  // Takes cancelled jobs.
  Jobs take_cancelled();
  Jobs take_all();

 private:
  using Due = std::pair<std::int64_t, std::int64_t>;  // time, and number of the job
  using Waiting = std::map<Due, std::unique_ptr<Job>>;
  // The jobs of a client.
  struct Lane {
    Waiting first;  // of their requests
    Waiting later;
    JobSize size;
    std::int64_t taken = 0;  // tokens, and where it began

    bool empty() const { return first.empty() && later.empty(); }
  };
  using Lanes = std::map<std::string, Lane>;

  std::unique_ptr<Job> pop_from(Lane& lane, const Fits& fits);
  std::unique_ptr<Job> take(Lane& lane, Waiting& from, Waiting::iterator at);
  // Takes the jobs of which this is true.
  template <class Condition>
  Jobs take_if(const Condition& condition);

  Lanes lanes_;  // those with jobs, and those whose clients have had more than others
  JobSize size_;
  std::int64_t jobs_ = 0;
  std::int64_t now_ = 0;    // tokens taken so far, to read
  std::int64_t next_ = 0;   // number of the next job
  std::int64_t begin_ = 0;  // where a client begins: what the last one whose turn it was had taken
};

}  // namespace attend
