// Calls end when another thread cancels them, with one thread and with several.
#include <chrono>
#include <functional>
#include <thread>

#include "api/c/c_test.h"

namespace attend {
namespace {

using Call =
    std::function<attend_result*(const attend_model*, attend_cancellation*, attend_error**)>;

class CCancelling : public ApiTest {
 protected:
  // Runs a call that takes far longer than the test.
  void expect_cancelled(const std::string& model, const Call& call) const {
    for (const std::int32_t threads : {1, 2}) {
      const OwnedRuntime runtime(attend_runtime_new(threads, nullptr));
      const OwnedModel loaded(attend_load(model.c_str(), runtime.get(), nullptr, nullptr));
      const OwnedCancellation cancellation(attend_cancellation_new());
      std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
        attend_cancel(cancellation.get());
      });
      expect_failure(ATTEND_CANCELLED, {"cancelled"}, [&](attend_error** error) {
        return call(loaded.get(), cancellation.get(), error);
      });
      other.join();
    }
  }
  const OwnedTexts many_ = texts_of(std::vector<std::string>(200000, "the old dog sees the cat"));
};

TEST_F(CCancelling, EndsTranslationsScoresVectorsAndRankings) {
  const std::string model = train(translation_job("r", 1)).model.string();
  expect_cancelled(model, [&](const attend_model* m, attend_cancellation* c, attend_error** e) {
    return attend_translate(m, many_.get(), nullptr, c, e);
  });
  expect_cancelled(model, [&](const attend_model* m, attend_cancellation* c, attend_error** e) {
    return attend_score(m, many_.get(), many_.get(), nullptr, c, e);
  });
  expect_cancelled(model, [&](const attend_model* m, attend_cancellation* c, attend_error** e) {
    return attend_embed(m, many_.get(), nullptr, c, e);
  });
  expect_cancelled(model, [&](const attend_model* m, attend_cancellation* c, attend_error** e) {
    return attend_rank(m, "a cat", many_.get(), nullptr, c, e);
  });
}

TEST_F(CCancelling, EndsLabelsAndTags) {
  const std::string classifier = train(classification_job("c", 1)).model.string();
  expect_cancelled(classifier,
                   [&](const attend_model* m, attend_cancellation* c, attend_error** e) {
                     return attend_classify(m, many_.get(), nullptr, c, e);
                   });
  const std::string tagger = train(tagging_job("t", 1)).model.string();
  expect_cancelled(tagger, [&](const attend_model* m, attend_cancellation* c, attend_error** e) {
    return attend_tag(m, many_.get(), nullptr, c, e);
  });
}

}  // namespace
}  // namespace attend
