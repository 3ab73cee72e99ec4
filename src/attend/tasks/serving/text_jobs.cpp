#include "attend/tasks/serving/text_jobs.h"

#include <fmt/format.h>

#include <deque>
#include <exception>
#include <utility>

#include "attend/core/options/option_fields.h"

namespace attend {

namespace {

// Tokens encoded in a step, so that no model keeps others waiting for long.
constexpr std::int64_t kTokensOfAStep = 2048;

class ClassificationJob final : public Job {
 public:
  // A text of a request.
  struct Text {
    PairInput input;
    std::size_t item;
    OutputFunction function;
  };

  ClassificationJob(ClassificationEngine engine, Text text,
                    std::shared_ptr<const Receiver<Classification>> receiver,
                    std::shared_ptr<const RequestState> state)
      : Job(std::move(state), {1, std::ssize(text.input.ids), 1, std::ssize(text.input.ids)}),
        engine_(std::move(engine)),
        text_(std::move(text)),
        receiver_(std::move(receiver)) {}

  const void* model() const override { return &engine_.model(); }
  std::unique_ptr<JobBatch> make_batch() const override;
  void fail(std::exception_ptr error) const override {
    receiver_->fail(text_.item, std::move(error));
  }

  // Whether both can be answered in one pass.
  static bool alike(const ClassificationJob& a, const ClassificationJob& b) {
    return a.text_.function == b.text_.function;
  }
  static std::vector<Classification> answers(
      std::span<const std::unique_ptr<ClassificationJob>> jobs) {
    std::vector<PairInput> texts;
    for (const auto& job : jobs) texts.push_back(job->text_.input);
    ClassificationOptions options;
    options.function_to_apply = jobs.front()->text_.function;
    return jobs.front()->engine_.classify_inputs(texts, options);
  }
  void accept(Classification answer) const { receiver_->accept(text_.item, std::move(answer)); }

 private:
  ClassificationEngine engine_;
  Text text_;
  std::shared_ptr<const Receiver<Classification>> receiver_;
};

class TaggingJob final : public Job {
 public:
  // A text of a request.
  struct Text {
    TaggingInput input;
    std::size_t item;
    std::shared_ptr<const TaggingOptions> options;
  };

  TaggingJob(TaggingEngine engine, Text text, std::shared_ptr<const Receiver<Tagging>> receiver,
             std::shared_ptr<const RequestState> state)
      : Job(std::move(state), size_of(engine, text)),
        engine_(std::move(engine)),
        text_(std::move(text)),
        receiver_(std::move(receiver)) {}

  const void* model() const override { return &engine_.model(); }
  std::unique_ptr<JobBatch> make_batch() const override;
  void fail(std::exception_ptr error) const override {
    receiver_->fail(text_.item, std::move(error));
  }

  static bool alike(const TaggingJob& a, const TaggingJob& b) {
    const TaggingOptions &x = *a.text_.options, &y = *b.text_.options;
    return x.aggregation_strategy == y.aggregation_strategy && x.stride == y.stride &&
           x.ignore_labels == y.ignore_labels && x.split_special_tokens == y.split_special_tokens;
  }
  static std::vector<Tagging> answers(std::span<const std::unique_ptr<TaggingJob>> jobs) {
    std::vector<TaggingInput> inputs;
    for (const auto& job : jobs) inputs.push_back(job->text_.input);
    return jobs.front()->engine_.tag_inputs(inputs, *jobs.front()->text_.options);
  }
  void accept(Tagging answer) const { receiver_->accept(text_.item, std::move(answer)); }

 private:
  static JobSize size_of(const TaggingEngine& engine, const Text& text) {
    const std::int64_t tokens = engine.count_tokens(text.input, *text.options);
    return {1, tokens, 1, tokens};
  }

  TaggingEngine engine_;
  Text text_;
  std::shared_ptr<const Receiver<Tagging>> receiver_;
};

class EmbeddingJob final : public Job {
 public:
  // A text of a request.
  struct Text {
    std::shared_ptr<const EmbeddingRequest> request;
    std::size_t item;
    std::int64_t tokens;
  };

  EmbeddingJob(std::shared_ptr<const EmbeddingEngine> engine, Text text,
               std::shared_ptr<const Receiver<Embedding>> receiver,
               std::shared_ptr<const RequestState> state)
      : Job(std::move(state), {1, text.tokens, 1, text.tokens}),
        engine_(std::move(engine)),
        text_(std::move(text)),
        receiver_(std::move(receiver)) {}

  const void* model() const override { return engine_.get(); }
  std::unique_ptr<JobBatch> make_batch() const override;
  void fail(std::exception_ptr error) const override {
    receiver_->fail(text_.item, std::move(error));
  }

  static bool alike(const EmbeddingJob& a, const EmbeddingJob& b) {
    const EmbeddingOptions &x = a.text_.request->options, &y = b.text_.request->options;
    return x.layer == y.layer && x.pooling == y.pooling && x.prompt == y.prompt &&
           x.prompt_text == y.prompt_text && x.special_tokens == y.special_tokens &&
           x.split_special_tokens == y.split_special_tokens;
  }
  static std::vector<Embedding> answers(std::span<const std::unique_ptr<EmbeddingJob>> jobs) {
    std::vector<std::string> texts;
    for (const auto& job : jobs) texts.push_back(job->text_.request->texts[job->text_.item]);
    EmbeddingOptions options = jobs.front()->text_.request->options;
    options.batch_size = static_cast<int>(texts.size());
    std::vector<Embedding> answers;
    for (TextEmbedding& embedding : jobs.front()->engine_->embed(texts, options))
      answers.push_back(public_embedding(std::move(embedding)));
    return answers;
  }
  void accept(Embedding answer) const { receiver_->accept(text_.item, std::move(answer)); }

 private:
  std::shared_ptr<const EmbeddingEngine> engine_;
  Text text_;
  std::shared_ptr<const Receiver<Embedding>> receiver_;
};

// Answers jobs in the order of arrival, as many in a step as one pass can.
template <class OwnJob>
class PassBatch final : public JobBatch {
 public:
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
    std::vector<std::unique_ptr<OwnJob>> pass;
    std::int64_t tokens = 0;
    while (!jobs_.empty()) {
      const OwnJob& next = *jobs_.front();
      tokens += next.size().tokens;
      if (!pass.empty() && (tokens > kTokensOfAStep || !OwnJob::alike(*pass.front(), next))) break;
      pass.push_back(std::move(jobs_.front()));
      jobs_.pop_front();
    }
    JobCounts counts;
    answer(pass, counts);
    return counts;
  }

  bool empty() const override { return jobs_.empty(); }
  void for_jobs(const std::function<void(const Job&)>& use) const override {
    for (const auto& job : jobs_) use(*job);
  }

 private:
  // If a pass fails, looks for the jobs at fault.
  static void answer(std::span<std::unique_ptr<OwnJob>> jobs, JobCounts& counts) {
    decltype(OwnJob::answers(jobs)) answers;
    try {
      answers = OwnJob::answers(jobs);
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
  template <class Answer>
  static void hand_on(const OwnJob& job, Answer answer, JobCounts& counts) {
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

std::unique_ptr<JobBatch> ClassificationJob::make_batch() const {
  return std::make_unique<PassBatch<ClassificationJob>>();
}

std::unique_ptr<JobBatch> TaggingJob::make_batch() const {
  return std::make_unique<PassBatch<TaggingJob>>();
}

std::unique_ptr<JobBatch> EmbeddingJob::make_batch() const {
  return std::make_unique<PassBatch<EmbeddingJob>>();
}

}  // namespace

Jobs jobs_of(const ClassificationEngine& engine, ClassificationRequest request,
             Receiver<Classification> receiver, const std::shared_ptr<const RequestState>& state) {
  const auto shared = std::make_shared<const Receiver<Classification>>(std::move(receiver));
  const ClassificationEngine reader = engine.reading(
      {.pairs = request.pairs, .split_special_tokens = request.split_special_tokens});
  Jobs jobs;
  for (const std::string& text : request.texts) {
    const std::size_t item = jobs.size();
    jobs.push_back(std::make_unique<ClassificationJob>(
        engine,
        ClassificationJob::Text{reader.input(text, fmt::format("text {}", item + 1)), item,
                                request.function_to_apply},
        shared, state));
  }
  return jobs;
}

Jobs jobs_of(const TaggingEngine& engine, TaggingRequest request, Receiver<Tagging> receiver,
             const std::shared_ptr<const RequestState>& state) {
  const auto shared = std::make_shared<const Receiver<Tagging>>(std::move(receiver));
  const auto options = std::make_shared<const TaggingOptions>(std::move(request.options));
  check_options(*options);
  Jobs jobs;
  for (const std::string& text : request.texts) {
    const std::size_t item = jobs.size();
    TaggingInput input = engine.input(text, *options, fmt::format("text {}", item + 1));
    jobs.push_back(std::make_unique<TaggingJob>(
        engine, TaggingJob::Text{std::move(input), item, options}, shared, state));
  }
  return jobs;
}

Jobs jobs_of(const std::shared_ptr<const EmbeddingEngine>& engine, EmbeddingRequest request,
             Receiver<Embedding> receiver, const std::shared_ptr<const RequestState>& state) {
  const auto shared = std::make_shared<const Receiver<Embedding>>(std::move(receiver));
  const auto texts = std::make_shared<const EmbeddingRequest>(std::move(request));
  Jobs jobs;
  for (std::size_t item = 0; item < texts->texts.size(); ++item) {
    const std::int64_t tokens =
        engine->count_tokens(texts->texts[item], texts->options, fmt::format("text {}", item + 1));
    jobs.push_back(std::make_unique<EmbeddingJob>(engine, EmbeddingJob::Text{texts, item, tokens},
                                                  shared, state));
  }
  return jobs;
}

}  // namespace attend
