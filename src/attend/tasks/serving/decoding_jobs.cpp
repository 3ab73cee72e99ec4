#include "attend/tasks/serving/decoding_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

namespace attend {

namespace {

template <class Answer>
using SharedReceiver = std::shared_ptr<const Receiver<Answer>>;

class TranslationJob final : public Job {
 public:
  using Batch = RunningTranslations;
  static constexpr std::size_t kMostTogether = 64;  // that join in a call

  TranslationJob(TranslationEngine engine, SourceSentence sentence, std::size_t item,
                 SharedReceiver<Translation> receiver, std::shared_ptr<const RequestState> state)
      : Job(std::move(state), size_of(sentence)),
        engine_(std::move(engine)),
        sentence_(std::move(sentence)),
        item_(item),
        receiver_(std::move(receiver)) {}

  const void* model() const override { return &engine_.ensemble(); }
  int kind() const override { return sentence_.call->options.shortlist ? 1 : 0; }
  std::unique_ptr<JobBatch> make_batch() const override;
  void fail(std::exception_ptr error) const override { receiver_->fail(item_, std::move(error)); }

  std::unique_ptr<Batch> running() const {
    return engine_.running(sentence_.call->options.shortlist);
  }
  // -> the number of the first.
  static std::size_t join(Batch& batch, std::span<const std::unique_ptr<Job>> jobs) {
    std::vector<SourceSentence> sentences;
    for (const auto& job : jobs)
      sentences.push_back(static_cast<const TranslationJob&>(*job).sentence_);
    return batch.join(std::move(sentences));
  }
  // Whether there is nothing to decode.
  bool answer_at_once(JobCounts& counts) const {
    if (!sentence_.ids.empty()) return false;
    accept(untranslated(sentence_), counts);
    return true;
  }
  void accept(Translation translation, JobCounts& counts) const {
    std::int64_t tokens = 0;
    for (const TranslationCandidate& candidate : translation.candidates)
      tokens += std::ssize(candidate.tokens);
    receiver_->accept(item_, std::move(translation));
    ++counts.answered;
    counts.tokens_written += tokens;
  }

 private:
  static JobSize size_of(const SourceSentence& sentence) {
    const TranslationOptions& options = sentence.call->options;
    const auto tokens = std::ssize(sentence.ids);
    const int asked = options.sampling ? options.sampling->max_length : options.beam.max_length;
    const std::int64_t rows = tokens == 0 ? 0 : hypotheses_of(options),
                       longest = asked > 0 ? asked : 2 * tokens + 50 + std::ssize(sentence.prefix);
    return {1, tokens, rows, tokens + rows * longest};
  }

  TranslationEngine engine_;
  SourceSentence sentence_;
  std::size_t item_;
  SharedReceiver<Translation> receiver_;
};

class GenerationJob final : public Job {
 public:
  using Batch = RunningGenerations;
  static constexpr std::size_t kMostTogether = 1;

  GenerationJob(GenerationEngine engine, GenerationPrompt prompt, std::size_t first,
                SharedReceiver<Generation> receiver, std::shared_ptr<const RequestState> state)
      : Job(std::move(state), size_of(engine, prompt)),
        engine_(std::move(engine)),
        prompt_(std::move(prompt)),
        first_(first),
        receiver_(std::move(receiver)) {}

  const void* model() const override { return &engine_.model(); }
  std::unique_ptr<JobBatch> make_batch() const override;
  void fail(std::exception_ptr error) const override {
    for (int item = 0; item < prompt_.options.n_best; ++item)
      receiver_->fail(first_ + static_cast<std::size_t>(item), error);
  }

  std::unique_ptr<Batch> running() const { return engine_.running(); }
  static std::size_t join(Batch& batch, std::span<const std::unique_ptr<Job>> jobs) {
    return batch.join(static_cast<const GenerationJob&>(*jobs.front()).prompt_);
  }
  static bool answer_at_once(JobCounts&) { return false; }
  void accept(std::vector<Generation> continuations, JobCounts& counts) const {
    for (std::size_t item = 0; item < continuations.size(); ++item) {
      counts.tokens_written += std::ssize(continuations[item].ids);
      receiver_->accept(first_ + item, std::move(continuations[item]));
    }
    counts.answered += std::ssize(continuations);
    for (auto item = continuations.size(); item < static_cast<std::size_t>(size().items); ++item) {
      ++counts.failed;
      receiver_->fail(first_ + item,
                      std::make_exception_ptr(Error(fmt::format(
                          "the search found only {} continuations", continuations.size()))));
    }
  }

 private:
  static JobSize size_of(const GenerationEngine& engine, const GenerationPrompt& prompt) {
    const GenerationOptions& options = prompt.options;
    const auto tokens = std::ssize(prompt.stream);
    const std::int64_t rows = std::max(options.beam.beam_size, options.n_best),
                       longest = std::min<std::int64_t>(engine.model().context_for(options.context),
                                                        tokens + options.max_tokens);
    return {options.n_best, tokens, rows, rows * longest, rows * options.max_tokens};
  }

  GenerationEngine engine_;
  GenerationPrompt prompt_;
  std::size_t first_;
  SharedReceiver<Generation> receiver_;
};

// Jobs in a running batch.
template <class OwnJob>
class DecodingBatch final : public JobBatch {
 public:
  explicit DecodingBatch(const OwnJob& job) : batch_(job.running()) {}

  JobCounts join(Jobs jobs) override {
    JobCounts counts;
    std::erase_if(jobs, [&](const auto& job) { return has_outcome_at_once(*job, counts); });
    for (std::size_t begin = 0; begin < jobs.size(); begin += OwnJob::kMostTogether)
      join_some(
          std::span(jobs).subspan(begin, std::min(OwnJob::kMostTogether, jobs.size() - begin)),
          counts);
    return counts;
  }

  JobCounts drop_cancelled() override {
    JobCounts counts;
    for (auto at = running_.begin(); at != running_.end();) {
      const auto here = at++;
      if (!here->second->cancelled()) continue;
      batch_->leave(here->first);
      fail(*here->second, cancelled_error(), counts.cancelled);
      running_.erase(here);
    }
    return counts;
  }

  JobCounts step() override {
    JobCounts counts;
    try {
      for (auto& outcome : batch_->step()) {
        const auto found = running_.find(outcome.number);
        if (outcome.error)
          fail(*found->second, outcome.error, counts.failed);
        else
          found->second->accept(std::move(outcome.result), counts);
        running_.erase(found);
      }
      return counts;
    } catch (...) {  // such as a lack of memory
      return counts += drop(std::current_exception(), &JobCounts::failed);
    }
  }

  JobCounts drop_all() override { return drop(cancelled_error(), &JobCounts::cancelled); }

  bool empty() const override { return running_.empty(); }
  void for_jobs(const std::function<void(const Job&)>& use) const override {
    for (const auto& [number, job] : running_) use(*job);
  }

 private:
  static bool has_outcome_at_once(const Job& job, JobCounts& counts) {
    try {
      return static_cast<const OwnJob&>(job).answer_at_once(counts);
    } catch (...) {  // such as a lack of memory
      fail(job, std::current_exception(), counts.failed);
      return true;
    }
  }

  // If some cannot join, looks for those at fault.
  void join_some(std::span<std::unique_ptr<Job>> jobs, JobCounts& counts) {
    try {
      // Their places first: nothing may fail after they have joined.
      std::map<std::size_t, std::unique_ptr<OwnJob>> places;
      for (std::size_t i = 0; i < jobs.size(); ++i) places[i];
      std::size_t number = OwnJob::join(*batch_, jobs);
      for (auto& job : jobs) {
        auto place = places.extract(places.begin());
        place.key() = number++;
        place.mapped().reset(static_cast<OwnJob*>(job.release()));
        running_.insert(std::move(place));
      }
    } catch (...) {
      if (jobs.size() == 1) return fail(*jobs.front(), std::current_exception(), counts.failed);
      const std::size_t half = jobs.size() / 2;
      join_some(jobs.first(half), counts);
      join_some(jobs.subspan(half), counts);
    }
  }

  // Every job leaves with this error.
  JobCounts drop(const std::exception_ptr& error, std::int64_t JobCounts::*kind) {
    JobCounts counts;
    for (const auto& [number, job] : running_) fail(*job, error, counts.*kind);
    running_.clear();
    return counts;
  }

  static void fail(const Job& job, std::exception_ptr error, std::int64_t& count) {
    count += job.size().items;
    job.fail(std::move(error));
  }

  std::unique_ptr<typename OwnJob::Batch> batch_;
  std::map<std::size_t, std::unique_ptr<OwnJob>> running_;
};

std::unique_ptr<JobBatch> TranslationJob::make_batch() const {
  return std::make_unique<DecodingBatch<TranslationJob>>(*this);
}

std::unique_ptr<JobBatch> GenerationJob::make_batch() const {
  return std::make_unique<DecodingBatch<GenerationJob>>(*this);
}

}  // namespace

Jobs jobs_of(const TranslationEngine& engine, TranslationRequest request,
             Receiver<Translation> receiver, const std::shared_ptr<const RequestState>& state) {
  const auto shared = std::make_shared<const Receiver<Translation>>(std::move(receiver));
  Jobs jobs;
  for (SourceSentence& sentence : engine.sentences(request.sentences, request.options))
    jobs.push_back(
        std::make_unique<TranslationJob>(engine, std::move(sentence), jobs.size(), shared, state));
  return jobs;
}

std::unique_ptr<Job> job_of(const GenerationEngine& engine, GenerationRequest request,
                            std::size_t first, std::shared_ptr<const Receiver<Generation>> receiver,
                            const std::shared_ptr<const RequestState>& state) {
  GenerationPrompt prompt =
      !request.conversation.empty()
          ? engine.conversation(std::move(request.conversation), request.options, request.sample)
      : !request.ids.empty()
          ? engine.prompt(std::move(request.ids), request.options, request.sample)
          : engine.prompt(request.prompt, request.options, request.sample);
  if (request.in_message) prompt.begun = prompt.stream;
  prompt.grow = std::move(request.grow);
  return std::make_unique<GenerationJob>(engine, std::move(prompt), first, std::move(receiver),
                                         state);
}

Jobs jobs_of(const GenerationEngine& engine, GenerationRequest request,
             Receiver<Generation> receiver, const std::shared_ptr<const RequestState>& state) {
  Jobs jobs;
  jobs.push_back(job_of(engine, std::move(request), 0,
                        std::make_shared<const Receiver<Generation>>(std::move(receiver)), state));
  return jobs;
}

}  // namespace attend
