// Runs the jobs of any number of models on the threads of one runtime.
//
// There is a worker for each thread of the runtime. Each has a batch for every model with jobs, and
// advances them in turn by a step. Before a step it takes jobs from the queues: as many as fit, but
// no more than its share of a model's hypotheses. Few workers share the threads of the runtime,
// step by step; when most of them have work, each keeps to one thread, which is faster.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/core/threads/runtime.h"
#include "attend/engine.h"
#include "attend/tasks/serving/job_queue.h"

namespace attend {

template <class Visitor>
void fields(EngineOptions& o, Visitor&& visit) {
  visit("queue-tokens", o.queue_tokens, between(1, 1e12), "most tokens that wait for each model");
  visit("batch-rows", o.batch_rows, between(1, 65536),
        "most hypotheses that a thread decodes together");
  visit("batch-tokens", o.batch_tokens, between(1, 1e9),
        "most tokens, read and written, of the sentences that a thread decodes together");
}

class ServingEngine {
 public:
  // Starts the workers. Throws ConfigError.
  ServingEngine(const EngineOptions& options, std::shared_ptr<Runtime> runtime);
  // stop()
  ~ServingEngine();
  ServingEngine(const ServingEngine&) = delete;
  ServingEngine& operator=(const ServingEngine&) = delete;

  // Queues all jobs of a request for one model, or none. Throws OverloadedError, or LineError for
  // one that reads more than the queue holds, or than the three quarters of it that a client with a
  // name may have.
  void submit(Jobs request);
  // Takes notice of cancelled jobs.
  void notice_cancelled();

  EngineStatistics statistics() const;
  void drain();
  void stop();

  const std::shared_ptr<Runtime>& runtime() const { return runtime_; }

 private:
  struct Load;
  struct Worker;
  using Model = const void*;
  // Holds the jobs of one model that wait, and counts the rows that run.
  struct Station {
    JobQueue queue;
    std::int64_t running_rows = 0;
  };

  void work(Worker& worker);
  // Both with the lock.
  bool has_work(const Worker& worker) const;
  Jobs take(Worker& worker);
  // Tokens of a client's requests that may wait for a model.
  std::int64_t most_waiting(const std::string& client) const;
  bool fits(const Worker& worker, const Station& station, const Job& job, bool has_right) const;
  Jobs take_cancelled();

  JobCounts run(Worker& worker, Jobs taken);
  void count(Worker& worker, const JobCounts& counts, std::int64_t steps);

  EngineOptions options_;
  std::shared_ptr<Runtime> runtime_;

  std::mutex ending_;         // of the threads of the workers
  mutable std::mutex mutex_;  // of all that follows
  std::condition_variable wake_, done_;
  std::map<Model, Station> stations_;
  EngineStatistics statistics_;
  std::int64_t outstanding_ = 0;  // items without an outcome
  int busy_ = 0;                  // workers with jobs
  bool some_cancelled_ = false, stopping_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace attend
