#include "attend/browser/cancellation.h"

#include "api/c/c_test.h"

namespace attend {
namespace {

int questions = 0;

class BrowserCancellation : public ApiTest {};

TEST_F(BrowserCancellation, EndsACallThatAsks) {
  const OwnedModel model = load(train(translation_job("run", 1)).model.string());
  const OwnedTexts many = texts_of(std::vector<std::string>(200000, "the old dog sees the cat"));
  questions = 0;
  const OwnedCancellation third(
      attend_cancellation_asking([] { return ++questions == 3 ? 1 : 0; }));
  expect_failure(ATTEND_CANCELLED, {"cancelled"}, [&](attend_error** error) {
    questions = 0;
    return attend_translate(model.get(), many.get(), nullptr, third.get(), error);
  });
  EXPECT_EQ(questions, 3);
}

TEST_F(BrowserCancellation, LetsCallsEndWhereNobodyAsks) {
  const OwnedModel model = load(train(translation_job("run", 1)).model.string());
  const OwnedCancellation never(attend_cancellation_asking([] { return 0; }));
  const OwnedTexts texts = texts_of({"the dog"});
  const OwnedResult result(made([&](attend_error** error) {
    return attend_translate(model.get(), texts.get(), nullptr, never.get(), error);
  }));
  attend_cancel(never.get());
  expect_failure(ATTEND_CANCELLED, {"cancelled"}, [&](attend_error** error) {
    return attend_translate(model.get(), texts.get(), nullptr, never.get(), error);
  });
  EXPECT_EQ(attend_cancellation_asking(nullptr), nullptr);
}

}  // namespace
}  // namespace attend
