#include "attend/training.h"

#include <set>
#include <thread>

#include "api/c/c_test.h"

namespace attend {
namespace {

// What a training has reported.
struct Reports {
  std::vector<double> losses;
  std::vector<std::string> metrics, notes;
  std::int64_t last_step = 1 << 30;  // after which it says to end
  attend_cancellation* cancelled_then = nullptr;
  std::int64_t tokens = 0;

  static std::int32_t receive(void* user, const attend_progress* progress) {
    Reports& all = *static_cast<Reports*>(user);
    if (progress->event == ATTEND_NOTE) all.notes.emplace_back(progress->note);
    if (progress->event == ATTEND_VALIDATION)
      for (std::int64_t i = 0; i < progress->metric_count; ++i)
        all.metrics.emplace_back(progress->metric_names[i]);
    if (progress->event != ATTEND_STEP) return 0;
    all.losses.push_back(progress->loss);
    all.tokens += progress->tokens;
    if (progress->step < all.last_step) return 0;
    if (all.cancelled_then == nullptr) return 1;
    attend_cancel(all.cancelled_then);
    return 0;
  }
};

class CTraining : public ApiTest {
 protected:
  OwnedOptions options(const TrainingJob& job) const {
    std::vector<std::pair<std::string, std::string>> list;
    for (const TrainingOption& option : job.options)
      list.emplace_back(option.name, option.values.front());
    return options_of(list);
  }
  OwnedResult trained(const char* task, const std::string& run, const OwnedOptions& options,
                      Reports& reports, attend_cancellation* cancellation = nullptr) const {
    return OwnedResult(made([&](attend_error** error) {
      return attend_train(task, path(run).c_str(), options.get(), Reports::receive, &reports,
                          cancellation, error);
    }));
  }
};

TEST_F(CTraining, TrainsAsInCpp) {
  std::vector<double> losses;
  TrainingJob job = classification_job("cpp", 6);
  job.options.emplace_back("valid", path("train.tsv").string());
  job.options.emplace_back("valid-every", 3);
  const OwnedOptions same = options(job);
  job.on_step = [&](const StepReport& report) { losses.push_back(report.loss); };
  const TrainingResult expected = train(job);
  Reports reports;
  const OwnedResult result = trained("classification", "c", same, reports);
  EXPECT_EQ(reports.losses, losses);
  EXPECT_GT(reports.tokens, 0);
  EXPECT_EQ(std::set<std::string>(reports.metrics.begin(), reports.metrics.end()).count("accuracy"),
            1u);
  ASSERT_EQ(attend_result_count(result.get()), 1);
  EXPECT_EQ(attend_result_text(result.get(), 0, 0, nullptr), path("c") / "model.safetensors");
  EXPECT_EQ(attend_result_index(result.get(), 0, 0), 6);
  EXPECT_EQ(attend_result_score(result.get(), 0, 0), static_cast<float>(expected.best->loss));
  EXPECT_EQ(attend_result_complete(result.get(), 0, 0), 1);
  const OwnedModel model = load(attend_result_text(result.get(), 0, 0, nullptr));
  EXPECT_STREQ(attend_model_task(model.get()), "classification");
}

TEST_F(CTraining, StopsAndContinues) {
  Reports whole;
  trained("lm", "whole", options(language_job("", 6)), whole);
  const OwnedCancellation cancellation(attend_cancellation_new());
  for (attend_cancellation* how :
       {static_cast<attend_cancellation*>(nullptr), cancellation.get()}) {
    const std::string run = how == nullptr ? "returned" : "cancelled";
    Reports first, second;
    first.last_step = 4;
    first.cancelled_then = how;
    const OwnedOptions given = options(language_job("", 6));
    const OwnedResult stopped = trained("lm", run, given, first, how);
    EXPECT_EQ(attend_result_complete(stopped.get(), 0, 0), 0);
    EXPECT_EQ(attend_result_index(stopped.get(), 0, 0), 4);
    attend_options_set(given.get(), "resume", "true", nullptr);
    const OwnedResult resumed = trained("lm", run, given, second);
    EXPECT_EQ(attend_result_complete(resumed.get(), 0, 0), 1);
    first.losses.insert(first.losses.end(), second.losses.begin(), second.losses.end());
    EXPECT_EQ(first.losses, whole.losses);
    EXPECT_EQ(content(path(run) / "model.safetensors"),
              content(path("whole") / "model.safetensors"));
  }
}

TEST_F(CTraining, IsCancelledBeforeItsFirstStep) {
  const OwnedOptions given = options(language_job("", 6));
  const OwnedCancellation cancellation(attend_cancellation_new());
  attend_cancel(cancellation.get());
  expect_failure(ATTEND_CANCELLED, {}, [&](attend_error** error) {
    return attend_train("lm", path("run").c_str(), given.get(), nullptr, nullptr,
                        cancellation.get(), error);
  });
}

TEST_F(CTraining, ReadsAFileOfOptions) {
  write("options.toml", "train = \"" + path("train.en").string() + "\"\nmax-steps = 9\n");
  const OwnedOptions given = options_of({{"config", path("options.toml").string()},
                                         {"d_model", "16"},
                                         {"n_heads", "2"},
                                         {"n_layers", "1"},
                                         {"vocab_size", "40"},
                                         {"max_steps", "2"}});
  Reports reports;
  const OwnedResult result = trained("lm", "run", given, reports);
  EXPECT_EQ(attend_result_index(result.get(), 0, 0), 2);
}

TEST_F(CTraining, SaysWhatIsWrong) {
  const auto training = [&](const char* task, const OwnedOptions& options) {
    return [this, task, &options](attend_error** error) {
      return attend_train(task, path("run").c_str(), options.get(), nullptr, nullptr, nullptr,
                          error);
    };
  };
  const OwnedOptions none, unknown = options_of({{"max_stepps", "1"}}),
                           flag = options_of({{"resume", "perhaps"}}),
                           absent = options_of({{"train", path("absent").string()}});
  expect_failure(ATTEND_INVALID_ARGUMENT, {"task", "NULL"}, training(nullptr, none));
  expect_failure(ATTEND_CONFIG_ERROR, {"translate"}, training("translate", none));
  expect_failure(ATTEND_CONFIG_ERROR, {"max_stepps", "max-steps"}, training("lm", unknown));
  expect_failure(ATTEND_CONFIG_ERROR, {"resume", "perhaps"}, training("lm", flag));
  expect_failure(ATTEND_IO_ERROR, {"absent"}, training("lm", absent));
}

}  // namespace
}  // namespace attend
