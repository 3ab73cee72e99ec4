#include "attend/browser/exploring.h"

#include <nlohmann/json.hpp>

#include "api/c/c_test.h"
#include "attend/checkpoint/checkpoint.h"
#include "attend/core/json/json.h"
#include "attend/inspect/beam_tree.h"
#include "attend/inspect/explorer.h"
#include "attend/inspect/explorer_json.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/translation/engine.h"

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

using OwnedTrials = Owned<attend_head_trials, attend_head_trials_free>;

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
                  options_of({{"translation", "die katze"},
                              {"modules", "decoder"},
                              {"positions_off", "true"},
                              {"mask_off", "true"}})),
            explorer.inside({.text = "the dog",
                             .translation = "die katze",
                             .changes = {.positions_off = true, .mask_off = true}},
                            {"decoder"}));

  const HeadTrials trials = explorer.head_trials({.text = "the dog"});
  const OwnedTrials tried(made([&](attend_error** error) {
    return attend_head_trials_new(model.get(), "the dog", nullptr, nullptr, error);
  }));
  const std::int64_t heads = attend_head_trials_count(tried.get());
  ASSERT_EQ(heads, std::ssize(trials));
  for (const std::int64_t head : {heads - 1, std::int64_t{0}}) {
    const PageJson effect = json_of(made([&](attend_error** error) {
      return attend_head_trial(tried.get(), head, nullptr, error);
    }));
    EXPECT_EQ(effect, to_json(trials.effect(static_cast<std::size_t>(head))));
  }

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

TEST_F(BrowserExploring, ShowsTheSearch) {
  const OwnedModel model = trained(translation_job("run", 20));
  const auto loaded = same("run");
  const auto expected = [&](const SavedModel& changed, BeamSearchOptions beam,
                            const std::string& prefix) {
    const TranslationEngine engine(model_as<TranslationModel>(changed));
    TranslationOptions options = engine.default_options();
    options.beam = beam;
    if (!prefix.empty()) options.prefixes = {prefix};
    const BeamRecorder recorder;
    show_search(options, recorder);
    const std::string text = "the dog";
    return search_json(engine.translate(std::span(&text, 1), options).front(), recorder,
                       engine.model().tgt_tokenizer);
  };
  const BeamSearchOptions own = TranslationEngine::load(path("run")).default_options().beam;
  EXPECT_EQ(asked(attend_beam, model, "the dog"), expected(*loaded->model(), own, ""));

  BeamSearchOptions wide = own;
  wide.beam_size = 3;
  wide.length_penalty = 0.5f;
  const auto changed = Explorer(loaded).changed_model({{"encoder.*"}, {"decoder.*=2"}});
  const PageJson found = asked(attend_beam, model, "the dog",
                               options_of({{"beam_size", "3"},
                                           {"length_penalty", "0.5"},
                                           {"prefix", "der"},
                                           {"heads_off", "encoder.*"},
                                           {"attention_beta", "decoder.*=2"}}));
  EXPECT_EQ(found, expected(*changed, wide, "der"));
  EXPECT_EQ(found["translations"].size(), 3u);
  EXPECT_FALSE(found["steps"].empty());

  std::string long_text = "dog";
  for (int i = 0; i < 300; ++i) long_text += " dog";
  expect_failure(ATTEND_DATA_ERROR, {"256"}, [&](attend_error** error) {
    return attend_beam(model.get(), long_text.c_str(), nullptr, nullptr, error);
  });
  const OwnedModel classifier = trained(classification_job("classes", 2));
  expect_failure(ATTEND_DATA_ERROR, {"translation"}, [&](attend_error** error) {
    return attend_beam(classifier.get(), "the dog", nullptr, nullptr, error);
  });
}

TEST_F(BrowserExploring, NamesTheLanguages) {
  const auto languages_of = [](const OwnedModel& model) {
    return json_of(
        made([&](attend_error** error) { return attend_model_languages(model.get(), error); }));
  };
  EXPECT_EQ(languages_of(trained(classification_job("classes", 2))), PageJson::array());
  EXPECT_EQ(languages_of(trained(translation_job("run", 2))), PageJson::array());

  Checkpoint several = load_checkpoint(path("run/model.safetensors"));
  PairFormat format;
  format.marks = {{PairFormat::kTargetLanguage}, {3}, {2}};
  format.languages = {{"de", 7}, {"fr", 8}};
  several.metadata[kPairFormatKey] = pair_format_json(format);
  save_checkpoint(path("several.safetensors"), several);
  EXPECT_EQ(languages_of(load(path("several.safetensors"))), (PageJson{"de", "fr"}));
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
  for (const PageCall call :
       {attend_explore, attend_explore_inside, attend_explain, attend_explore_draw, attend_beam}) {
    failing(call, ATTEND_INVALID_ARGUMENT, {"model", "NULL"}, nullptr, "the dog", nullptr);
    failing(call, ATTEND_INVALID_ARGUMENT, {"text", "NULL"}, model.get(), nullptr, nullptr);
    failing(call, ATTEND_CONFIG_ERROR, {"heads"}, model.get(), "the dog",
            options_of({{"head_off", "encoder.*"}}));
  }
  failing(attend_beam, ATTEND_CONFIG_ERROR, {"beam_size"}, model.get(), "the dog",
          options_of({{"beam_size", "17"}}));
  expect_failure(ATTEND_CONFIG_ERROR, {"heads"}, [&](attend_error** error) {
    return attend_head_trials_new(model.get(), "the dog", options_of({{"head_off", "*"}}).get(),
                                  nullptr, error);
  });
  const OwnedTrials trials(
      attend_head_trials_new(model.get(), "the dog", nullptr, nullptr, nullptr));
  for (const std::int64_t number : {std::int64_t{-1}, attend_head_trials_count(trials.get())})
    expect_failure(ATTEND_INVALID_ARGUMENT, {"number"}, [&](attend_error** error) {
      return attend_head_trial(trials.get(), number, nullptr, error);
    });
  expect_failure(ATTEND_INVALID_ARGUMENT, {"trials", "NULL"}, [&](attend_error** error) {
    return attend_head_trial(nullptr, 0, nullptr, error);
  });
  EXPECT_EQ(attend_head_trials_count(nullptr), 0);
  failing(attend_explain, ATTEND_CONFIG_ERROR, {"top"}, model.get(), "the dog",
          options_of({{"top", "0"}}));
}

}  // namespace
}  // namespace attend
