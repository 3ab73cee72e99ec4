// Jobs that one pass of a model answers, several in a pass.
//
// A Pass is what the jobs of a request share, such as an engine and its options:
//
//   using Input = ...;   // what a job reads
//   using Answer = ...;
//   static constexpr int kKind;                       // Job::kind()
//   const void* model() const;                        // Job::model()
//   std::int64_t tokens(const Input&) const;          // that the job reads
//   bool goes_with(const Pass& other) const;          // whether one pass can answer jobs of both
//   std::vector<Answer> answers(std::span<const Input* const> inputs) const;
#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "attend/engine.h"
#include "attend/tasks/serving/job.h"

namespace attend {

// Tokens read in a step, so that no model keeps others waiting for long.
inline constexpr std::int64_t kTokensOfAStep = 2048;

template <class Pass>
class PassJob final : public Job {
 public:
  using Input = typename Pass::Input;
  using Answer = typename Pass::Answer;
  // What the jobs of a request share.
  struct Shared {
    Pass pass;
    Receiver<Answer> receiver;
  };

  PassJob(std::shared_ptr<const Shared> shared, Input input, std::size_t item,
          std::shared_ptr<const RequestState> state)
      : Job(std::move(state), size_of(shared->pass.tokens(input))),
        shared_(std::move(shared)),
        input_(std::move(input)),
        item_(item) {}

  const void* model() const override { return pass().model(); }
  int kind() const override { return Pass::kKind; }
  std::unique_ptr<JobBatch> make_batch() const override;
  void fail(std::exception_ptr error) const override {
    shared_->receiver.fail(item_, std::move(error));
  }

  const Pass& pass() const { return shared_->pass; }
  const Input& input() const { return input_; }
  void accept(Answer answer) const { shared_->receiver.accept(item_, std::move(answer)); }

 private:
  static JobSize size_of(std::int64_t tokens) { return {1, tokens, 1, tokens}; }

  std::shared_ptr<const Shared> shared_;
  Input input_;
  std::size_t item_;
};

// Answers jobs in the order of arrival, as many in a step as one pass can.
template <class Pass>
class PassBatch final : public JobBatch {
 public:
  using OwnJob = PassJob<Pass>;

  JobCounts join(Jobs jobs) override {
    JobCounts counts;
    for (auto& job : jobs) {
      try {
        jobs_.emplace_back();
      } catch (...) {
        ++counts.failed;
        job->fail(std::current_exception());
        continue;
      }
      jobs_.back().reset(static_cast<OwnJob*>(job.release()));
    }
    return counts;
  }

  JobCounts drop_cancelled() override {
    return drop_if([](const OwnJob& job) { return job.cancelled(); });
  }
  JobCounts drop_all() override {
    return drop_if([](const OwnJob&) { return true; });
  }

  JobCounts step() override {
    std::vector<std::unique_ptr<OwnJob>> together;
    std::int64_t tokens = 0;
    while (!jobs_.empty()) {
      const OwnJob& next = *jobs_.front();
      tokens += next.size().tokens;
      if (!together.empty() &&
          (tokens > kTokensOfAStep || !together.front()->pass().goes_with(next.pass())))
        break;
      together.push_back(std::move(jobs_.front()));
      jobs_.pop_front();
    }
    JobCounts counts;
    answer(together, counts);
    return counts;
  }

  bool empty() const override { return jobs_.empty(); }
  void for_jobs(const std::function<void(const Job&)>& use) const override {
    for (const auto& job : jobs_) use(*job);
  }

 private:
  // If a pass fails, looks for the jobs at fault.
  static void answer(std::span<std::unique_ptr<OwnJob>> jobs, JobCounts& counts) {
    std::vector<typename Pass::Answer> answers;
    try {
      std::vector<const typename Pass::Input*> inputs;
      for (const auto& job : jobs) inputs.push_back(&job->input());
      answers = jobs.front()->pass().answers(inputs);
    } catch (...) {
      if (jobs.size() == 1) {
        ++counts.failed;
        return jobs.front()->fail(std::current_exception());
      }
      const std::size_t half = jobs.size() / 2;
      answer(jobs.first(half), counts);
      answer(jobs.subspan(half), counts);
      return;
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) hand_on(*jobs[i], std::move(answers[i]), counts);
  }

  // A receiver that throws, for lack of memory perhaps, gets the error instead.
  static void hand_on(const OwnJob& job, typename Pass::Answer answer, JobCounts& counts) {
    try {
      job.accept(std::move(answer));
      ++counts.answered;
    } catch (...) {
      ++counts.failed;
      job.fail(std::current_exception());
    }
  }

  template <class Condition>
  JobCounts drop_if(const Condition& condition) {
    JobCounts counts;
    std::erase_if(jobs_, [&](const auto& job) {
      if (!condition(*job)) return false;
      ++counts.cancelled;
      job->fail(cancelled_error());
      return true;
    });
    return counts;
  }

  std::deque<std::unique_ptr<OwnJob>> jobs_;
};

template <class Pass>
std::unique_ptr<JobBatch> PassJob<Pass>::make_batch() const {
  return std::make_unique<PassBatch<Pass>>();
}

// A job for each input.
template <class Pass>
Jobs pass_jobs(Pass pass, std::vector<typename Pass::Input> inputs,
               Receiver<typename Pass::Answer> receiver,
               const std::shared_ptr<const RequestState>& state) {
  using Shared = typename PassJob<Pass>::Shared;
  const auto shared = std::make_shared<const Shared>(Shared{std::move(pass), std::move(receiver)});
  Jobs jobs;
  for (auto& input : inputs) {
    const std::size_t item = jobs.size();
    jobs.push_back(std::make_unique<PassJob<Pass>>(shared, std::move(input), item, state));
  }
  return jobs;
}

}  // namespace attend
