// What a serving engine queues and runs: jobs, and the batches that they run in.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace attend {

// What a job takes.
struct JobSize {
  std::int64_t items = 0;     // of its request
  std::int64_t tokens = 0;    // to read
  std::int64_t rows = 0;      // most hypotheses at a time
  std::int64_t in_batch = 0;  // most tokens in a batch, read and written by all of these
  // Most tokens to write, where what it reads does not say how many: for continuations
  std::int64_t written = 0;

  // What waits for a model is measured in these tokens.
  std::int64_t work() const { return tokens + written; }

  JobSize& operator+=(const JobSize& other);
  JobSize& operator-=(const JobSize& other);
};

// The jobs of a request share this.
struct RequestState {
  std::atomic<bool> cancelled = false;
  std::string client = {};  // whose request it is: clients take turns
};

class JobBatch;

// Items of a request that run together: a sentence, the continuations of a prompt, a text. The
// model of a job lives as long as the job.
class Job {
 public:
  virtual ~Job() = default;

  const JobSize& size() const { return size_; }
  bool cancelled() const { return request_->cancelled; }
  const std::string& client() const { return request_->client; }
  // Jobs of one model wait in one queue.
  virtual const void* model() const = 0;
  // Jobs of a model run in one batch if they are of the same kind.
  virtual int kind() const { return 0; }
  virtual std::unique_ptr<JobBatch> make_batch() const = 0;
  // Hands on the outcome. Called once, unless the job is answered.
  virtual void fail(std::exception_ptr error) const = 0;

 protected:
  Job(std::shared_ptr<const RequestState> request, const JobSize& size)
      : request_(std::move(request)), size_(size) {}

 private:
  std::shared_ptr<const RequestState> request_;
  JobSize size_;
};

using Jobs = std::vector<std::unique_ptr<Job>>;

// How many items had an outcome, and the tokens of the answers.
struct JobCounts {
  std::int64_t answered = 0;
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;
  std::int64_t tokens_written = 0;

  std::int64_t items() const { return answered + failed + cancelled; }
  JobCounts& operator+=(const JobCounts& other);
};

// Jobs of a model and a kind that run together. It hands on their outcomes, and returns how many.
class JobBatch {
 public:
  virtual ~JobBatch() = default;

  // Jobs of this model and kind join. A job that cannot has its outcome. Does not throw.
  virtual JobCounts join(Jobs jobs) = 0;
  // Cancelled jobs leave with CancelledError.
  virtual JobCounts drop_cancelled() = 0;
  // A step of all jobs. Some may be done.
  virtual JobCounts step() = 0;
  // All jobs leave with CancelledError.
  virtual JobCounts drop_all() = 0;

  virtual bool empty() const = 0;
  // Calls use(job) for every job in the batch.
  virtual void for_jobs(const std::function<void(const Job&)>& use) const = 0;
};

// CancelledError.
std::exception_ptr cancelled_error();

}  // namespace attend
