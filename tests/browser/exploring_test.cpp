#include "attend/browser/exploring.h"

#include <nlohmann/json.hpp>

#include "api/c/c_test.h"
#include "attend/core/json/json.h"
#include "attend/inspect/explorer.h"
#include "attend/inspect/explorer_json.h"

namespace attend {
namespace {

using PageJson = nlohmann::ordered_json;
using PageCall = attend_result* (*)(const attend_model*, const char*, const attend_options*,
                                    attend_cancellation*, attend_error**);

class BrowserExploring : public ApiTest {
 protected:
  OwnedModel trained(const TrainingJob& job) const { return load(train(job).model.string()); }
  std::shared_ptr<const LoadedModel> same(const std::string& run) const {
    return LoadedModel::load(path(run));
  }
};

PageJson json_of(attend_result* result) {
  const OwnedResult owned(result);
  return PageJson::parse(attend_result_text(owned.get(), 0, 0, nullptr));
}

PageJson asked(PageCall call, const OwnedModel& model, const char* text,
               const OwnedOptions& options = nullptr) {
  return json_of(made([&](attend_error** error) {
    return call(model.get(), text, options.get(), nullptr, error);
  }));
}

TEST_F(BrowserExploring, AnswersLikeTheExplorer) {
  const OwnedModel model = trained(translation_job("run", 20));
  const Explorer explorer(same("run"));
  const AttentionChangeOptions changes{{"encoder.*"}, {"decoder.*=2"}};
  EXPECT_EQ(asked(attend_explore, model, "the dog",
                  options_of({{"heads_off", "encoder.*"},
                              {"attention_beta", "decoder.*=2"},
                              {"prefix", "der"},
                              {"reference", "der hund"}})),
            explorer.explore(
                {.text = "the dog", .prefix = "der", .reference = "der hund", .changes = changes}));
  EXPECT_EQ(asked(attend_explore, model, "the dog", options_of({{"translation", "die katze"}})),
            explorer.explore({.text = "the dog", .translation = "die katze"}));

  EXPECT_EQ(asked(attend_explore_inside, model, "the dog",
                  options_of({{"translation", "die katze"}, {"modules", "decoder"}})),
            explorer.inside({.text = "the dog", .translation = "die katze"}, {"decoder"}));

  const HeadTrials trials = explorer.head_trials({.text = "the dog"});
  const PageJson effects = asked(attend_explore_heads, model, "the dog")["effects"];
  ASSERT_EQ(effects.size(), trials.size());
  EXPECT_EQ(effects.back(), to_json(trials.effect(trials.size() - 1)));

  EXPECT_EQ(asked(attend_explore_draw, model, "the dog",
                  options_of({{"seed", "3"}, {"temperature", "2"}, {"max_tokens", "4"}})),
            to_json(drawn_text(*same("run")->model(),
                               {.text = "the dog", .temperature = 2, .seed = 3, .max_tokens = 4})));
}

TEST_F(BrowserExploring, Explains) {
  const OwnedModel model = trained(translation_job("run", 20));
  AnswerQuestion question{.text = "the dog", .translation = "die katze"};
  question.options = {.position = 1, .instead = "hund", .top = 2, .temperature = 3};
  const auto options = options_of({{"translation", "die katze"},
                                   {"position", "1"},
                                   {"instead", "hund"},
                                   {"top", "2"},
                                   {"temperature", "3"}});
  const PageJson found = asked(attend_explain, model, "the dog", options);
  EXPECT_EQ(found, to_json(explain_answer(*same("run")->model(), question), true));
  EXPECT_EQ(found["translation"], "die katze");
  EXPECT_NE(asked(attend_explain, model, "the dog", options_of({{"heads_off", "*"}}))["parts"],
            asked(attend_explain, model, "the dog")["parts"]);

  const OwnedModel classifier = trained(classification_job("classes", 5));
  EXPECT_EQ(asked(attend_explain, classifier, "the dog"),
            to_json(explain_answer(*same("classes")->model(), {.text = "the dog"}), false));
}

TEST_F(BrowserExploring, ShowsTheUsesOfAWord) {
  const OwnedModel model = trained(translation_job("run", 5));
  const std::vector<std::string> list{"the dog sleeps", "a dog eats"};
  const OwnedTexts texts = texts_of(list);
  const auto options = options_of({{"word", "dog"}, {"layer", "0"}});
  const PageJson found = json_of(made([&](attend_error** error) {
    return attend_explore_words(model.get(), texts.get(), options.get(), nullptr, error);
  }));
  const auto loaded = same("run");
  const EmbeddingEngine embedder(*loaded->model());
  EXPECT_EQ(found, to_json(word_uses(embedder, list, "dog", 0), embedder.layers()));

  std::string many = "dog";
  for (int i = 0; i < 300; ++i) many += " dog";
  const OwnedTexts longer = texts_of({many});
  expect_failure(ATTEND_DATA_ERROR, {"a text", "256"}, [&](attend_error** error) {
    return attend_explore_words(model.get(), longer.get(), options.get(), nullptr, error);
  });
}

TEST_F(BrowserExploring, FailsLikeTheInterfaceOfC) {
  const OwnedModel model = trained(translation_job("run", 2));
  const auto failing = [&](PageCall call, std::int32_t code,
                           std::initializer_list<const char*> parts, const attend_model* of,
                           const char* text, const OwnedOptions& options) {
    expect_failure(code, parts, [&](attend_error** error) {
      return call(of, text, options.get(), nullptr, error);
    });
  };
  for (const PageCall call : {attend_explore, attend_explore_inside, attend_explain,
                              attend_explore_heads, attend_explore_draw}) {
    failing(call, ATTEND_INVALID_ARGUMENT, {"model", "NULL"}, nullptr, "the dog", nullptr);
    failing(call, ATTEND_INVALID_ARGUMENT, {"text", "NULL"}, model.get(), nullptr, nullptr);
    failing(call, ATTEND_CONFIG_ERROR, {"heads"}, model.get(), "the dog",
            options_of({{"head_off", "encoder.*"}}));
  }
  failing(attend_explain, ATTEND_CONFIG_ERROR, {"top"}, model.get(), "the dog",
          options_of({{"top", "0"}}));
}

}  // namespace
}  // namespace attend
