#include "attend/tasks/serving/serving_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "attend/core/options/option_fields.h"
#include "attend/core/too_long.h"
#include "attend/error.h"

namespace attend {

namespace {

// Continuations of more tokens keep their places for long.
constexpr std::int64_t kLongContinuation = 256;
// Times the tokens of a batch that clients may take together, each with one job.
constexpr std::int64_t kMostBeside = 4;
bool is_long(const Job& job) { return job.size().written > kLongContinuation; }

// Whether a job fits beside those of this size.
bool fits_beside(const JobSize& load, const Job& job, std::int64_t rows, std::int64_t tokens) {
  return load.rows + job.size().rows <= rows && load.in_batch + job.size().in_batch <= tokens;
}

}  // namespace

// What runs of a model.
struct ServingEngine::Load {
  JobSize all, quick;
  std::map<std::string, JobSize> of_client;

  void add(const Job& job) {
    all += job.size();
    if (!is_long(job)) quick += job.size();
    of_client[job.client()] += job.size();
  }
};

struct ServingEngine::Worker {
  using Key = std::pair<Model, int>;  // and the kind of jobs

  std::shared_ptr<Runtime> alone;  // a thread, for steps beside those of other workers
  std::map<Key, std::unique_ptr<JobBatch>> batches;
  std::map<Model, Load> load;  // of the batches
  bool busy = false;
  std::thread thread;
};

ServingEngine::ServingEngine(const EngineOptions& options, std::shared_ptr<Runtime> runtime)
    : options_(options),
      runtime_(runtime ? std::move(runtime) : Runtime::current().shared_from_this()) {
  check_options(options);
  const int threads = runtime_->threads();
  for (int i = 0; i < threads; ++i) {
    auto worker = std::make_unique<Worker>();
    worker->alone =
        std::make_shared<Runtime>(RuntimeOptions{.threads = 1, .device = runtime_->device()});
    workers_.push_back(std::move(worker));
  }
  for (const auto& worker : workers_)
    worker->thread = std::thread([this, &w = *worker] { work(w); });
}

ServingEngine::~ServingEngine() { stop(); }

void ServingEngine::submit(Jobs request) {
  if (request.empty()) return;
  JobSize size;
  for (const auto& job : request) size += job->size();
  const std::string& client = request.front()->client();
  const std::int64_t most = most_waiting(client);
  if (size.tokens > most)
    throw TooLongError(fmt::format("a request of {} tokens never fits: at most {} tokens may wait",
                                   size.tokens, most));
  const std::lock_guard lock(mutex_);
  if (stopping_) throw OverloadedError("the engine has stopped");
  const Model model = request.front()->model();
  const auto found = stations_.find(model);
  const std::int64_t waiting = found == stations_.end() ? 0 : found->second.queue.size().work(),
                     own =
                         found == stations_.end() ? 0 : found->second.queue.size_of(client).work();
  // What may write more than all the queue holds waits alone.
  if (waiting > 0 && (waiting + size.work() > options_.queue_tokens || own + size.work() > most)) {
    statistics_.refused_items += size.items;
    throw OverloadedError(fmt::format(
        "a request of {} tokens does not fit: {} of at most {} tokens wait already; try "
        "again later",
        size.work(), waiting, options_.queue_tokens));
  }
  stations_[model].queue.push(std::move(request));
  outstanding_ += size.items;
  wake_.notify_all();
}

void ServingEngine::notice_cancelled() {
  const std::lock_guard lock(mutex_);
  some_cancelled_ = true;
  wake_.notify_all();
}

EngineStatistics ServingEngine::statistics() const {
  const std::lock_guard lock(mutex_);
  EngineStatistics now = statistics_;
  for (const auto& [model, station] : stations_) {
    now.waiting_items += station.queue.size().items;
    now.waiting_tokens += station.queue.size().work();
    now.running_rows += station.running_rows;
  }
  now.running_items = outstanding_ - now.waiting_items;
  return now;
}

void ServingEngine::drain() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return outstanding_ == 0; });
}

void ServingEngine::stop() {
  Jobs waiting;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (auto& [model, station] : stations_)
      for (auto& job : station.queue.take_all()) waiting.push_back(std::move(job));
    wake_.notify_all();
  }
  std::int64_t items = 0;
  for (const auto& job : waiting) {
    items += job->size().items;
    job->fail(cancelled_error());
  }
  {
    const std::lock_guard once(ending_);
    for (const auto& worker : workers_)
      if (worker->thread.joinable()) worker->thread.join();
  }
  const std::lock_guard lock(mutex_);
  statistics_.cancelled_items += items;
  outstanding_ -= items;
  done_.notify_all();
}

// Nobody with a name fills the queue.
std::int64_t ServingEngine::most_waiting(const std::string& client) const {
  return client.empty() ? options_.queue_tokens : (3 * options_.queue_tokens + 3) / 4;
}

// Short jobs always find a place soon: the later ones of a request leave a quarter of all places
// free, and jobs that write long continuations leave a quarter of those that other clients have
// left. A client without a place gets one, even beside a continuation that takes all the tokens of
// a batch.
bool ServingEngine::fits(const Worker& worker, const Station& station, const Job& job,
                         bool has_right) const {
  const auto found = worker.load.find(job.model());
  if (found == worker.load.end() || found->second.all.rows == 0) return true;
  const Load& load = found->second;
  const std::int64_t workers = std::ssize(workers_),
                     all = station.running_rows + station.queue.size().rows;
  if (load.all.rows >= (all + workers - 1) / workers) return false;
  const std::int64_t rows = options_.batch_rows, tokens = options_.batch_tokens;
  if (!is_long(job)) {
    if (fits_beside(load.quick, job, rows / 4, tokens / 4)) return true;
    return has_right ? fits_beside(load.all, job, rows, tokens)
                     : fits_beside(load.all, job, rows * 3 / 4, tokens * 3 / 4);
  }
  const auto mine = load.of_client.find(job.client());
  if (mine == load.of_client.end()) return fits_beside(load.all, job, rows, kMostBeside * tokens);
  const JobSize& own = mine->second;
  return fits_beside(own, job, (rows - load.all.rows + own.rows) * 3 / 4,
                     (tokens - load.all.in_batch + own.in_batch) * 3 / 4);
}

bool ServingEngine::has_work(const Worker& worker) const {
  if (stopping_ || some_cancelled_ || !worker.batches.empty()) return true;
  return std::any_of(stations_.begin(), stations_.end(),
                     [](const auto& station) { return !station.second.queue.empty(); });
}

Jobs ServingEngine::take(Worker& worker) {
  Jobs taken;
  for (auto& [model, station] : stations_) {
    while (!station.queue.empty()) {
      auto job = station.queue.pop([&, &own = station](const Job& next, bool has_right) {
        return fits(worker, own, next, has_right);
      });
      if (!job) break;
      worker.load[model].add(*job);
      station.running_rows += job->size().rows;
      statistics_.tokens_read += job->size().tokens;
      taken.push_back(std::move(job));
    }
  }
  return taken;
}

Jobs ServingEngine::take_cancelled() {
  Jobs cancelled;
  if (!std::exchange(some_cancelled_, false)) return cancelled;
  for (auto& [model, station] : stations_)
    for (auto& job : station.queue.take_cancelled()) cancelled.push_back(std::move(job));
  return cancelled;
}

void ServingEngine::work(Worker& worker) {
  for (;;) {
    Jobs taken, cancelled;
    bool shared = false;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return has_work(worker); });
      if (stopping_) break;
      cancelled = take_cancelled();
      taken = take(worker);
      const bool busy = !taken.empty() || !worker.batches.empty();
      busy_ += static_cast<int>(busy) - static_cast<int>(std::exchange(worker.busy, busy));
      shared = 2 * busy_ <= std::ssize(workers_);
    }
    JobCounts counts;
    for (const auto& job : cancelled) {
      counts.cancelled += job->size().items;
      job->fail(cancelled_error());
    }
    const RuntimeScope scope(shared ? runtime_ : worker.alone);
    counts += run(worker, std::move(taken));
    count(worker, counts, std::ssize(worker.batches));
  }
  JobCounts counts;
  for (const auto& [key, batch] : worker.batches) counts += batch->drop_all();
  count(worker, counts, 0);
}

JobCounts ServingEngine::run(Worker& worker, Jobs taken) {
  std::map<Worker::Key, Jobs> joining;
  for (auto& job : taken) joining[{job->model(), job->kind()}].push_back(std::move(job));
  JobCounts counts;
  for (auto& [key, jobs] : joining) {
    try {
      if (!worker.batches.contains(key)) worker.batches.emplace(key, jobs.front()->make_batch());
    } catch (...) {  // such as a lack of memory
      for (const auto& job : jobs) {
        counts.failed += job->size().items;
        job->fail(std::current_exception());
      }
      continue;
    }
    counts += worker.batches.at(key)->join(std::move(jobs));
  }
  for (const auto& [key, batch] : worker.batches) {
    counts += batch->drop_cancelled();
    if (!batch->empty()) counts += batch->step();
  }
  return counts;
}

// Also corrects the load by what is done.
void ServingEngine::count(Worker& worker, const JobCounts& counts, std::int64_t steps) {
  std::map<Model, Load> load;
  std::erase_if(worker.batches, [](const auto& entry) { return entry.second->empty(); });
  for (const auto& [key, batch] : worker.batches)
    batch->for_jobs([&own = load[key.first]](const Job& job) { own.add(job); });
  const std::lock_guard lock(mutex_);
  for (const auto& [model, before] : worker.load) stations_[model].running_rows -= before.all.rows;
  for (const auto& [model, now] : load) stations_[model].running_rows += now.all.rows;
  worker.load = std::move(load);
  std::erase_if(stations_, [](const auto& entry) {
    return entry.second.queue.empty() && entry.second.running_rows == 0;
  });
  statistics_.answered_items += counts.answered;
  statistics_.failed_items += counts.failed;
  statistics_.cancelled_items += counts.cancelled;
  statistics_.tokens_written += counts.tokens_written;
  statistics_.steps += steps;
  outstanding_ -= counts.items();
  if (outstanding_ == 0) done_.notify_all();
}

}  // namespace attend
