// Raw text is prepared as in C++: what is scored, and what a text goes on from.
#include <algorithm>

#include "api/c/c_test.h"
#include "attend/generator.h"
#include "attend/translator.h"

namespace attend {
namespace {

// Options by name, and the same in C++.
struct Preparation {
  std::vector<std::pair<std::string, std::string>> named;
  TextPreparation in_cpp;
};

const std::vector<Preparation> kPreparations{
    {{{"lowercase", "true"}}, {.lowercase = true}},
    {{{"normalize_punctuation", "true"}}, {.normalize_punctuation = true}},
    {{{"tokenize", "moses"}}, {.tokenize = WordSplitting::moses}},
    {{{"tokenize", "moses"}, {"language", "fr"}},
     {.tokenize = WordSplitting::moses, .language = "fr"}}};
const Preparation kOfTargets{{{"tokenize", "moses"}, {"tgt_language", "fr"}},
                             {.tokenize = WordSplitting::moses, .tgt_language = "fr"}};

class CPreparation : public ApiTest {
 protected:
  OwnedModel trained(const TrainingJob& job) const { return load(train(job).model.string()); }
  // Of one text, and of its translation if that is not empty.
  static float score(const OwnedModel& model, const std::string& text, const std::string& target,
                     const OwnedOptions& options) {
    const OwnedTexts texts = texts_of({text}), targets = texts_of({target});
    const OwnedResult result(made([&](attend_error** error) {
      return attend_score(model.get(), texts.get(), target.empty() ? nullptr : targets.get(),
                          options.get(), nullptr, error);
    }));
    return attend_result_score(result.get(), 0, 0);
  }

  // Every preparation makes another text of it.
  const std::string raw_ = "The old dog ( sees l'a cat ) .";
};

TEST_F(CPreparation, OfPairsToScoreIsThatOfCpp) {
  const OwnedModel model = trained(translation_job("run", 20));
  const Translator same = Translator::load(path("run"));
  const std::vector<std::string> sources{raw_}, targets{"Der alte hund ( sieht l'a katze ) ."};
  std::vector<Preparation> all = kPreparations;
  all.push_back(kOfTargets);
  std::vector<float> found{score(model, raw_, targets[0], nullptr)};
  for (const Preparation& one : all) {
    SCOPED_TRACE(one.named.back().first);
    const float own = score(model, raw_, targets[0], options_of(one.named));
    EXPECT_EQ(own, same.score(sources, targets, {.preparation = one.in_cpp})[0].log_probability);
    EXPECT_EQ(std::count(found.begin(), found.end(), own), 0) << "nothing is prepared";
    found.push_back(own);
  }
}

TEST_F(CPreparation, OfLinesToScoreIsThatOfCpp) {
  const OwnedModel model = trained(language_job("lm", 20));
  const Generator same = Generator::load(path("lm"));
  const std::vector<std::string> lines{raw_};
  std::vector<float> found{score(model, raw_, "", nullptr)};
  for (const Preparation& one : kPreparations) {
    SCOPED_TRACE(one.named.back().first);
    const float own = score(model, raw_, "", options_of(one.named));
    EXPECT_EQ(own, same.score(lines, {.preparation = one.in_cpp})[0].log_probability);
    EXPECT_EQ(std::count(found.begin(), found.end(), own), 0) << "nothing is prepared";
    found.push_back(own);
  }
  const OwnedTexts texts = texts_of(lines);
  const OwnedOptions of_targets = options_of(kOfTargets.named);
  expect_failure(ATTEND_CONFIG_ERROR, {"tgt_language"}, [&](attend_error** error) {
    return attend_score(model.get(), texts.get(), nullptr, of_targets.get(), nullptr, error);
  });
}

TEST_F(CPreparation, OfPromptsIsThatOfCpp) {
  TrainingJob job = language_job("lm", 20);
  for (TrainingOption& option : job.options)
    if (option.name == "sequence-length") option.values = {"64"};
  const OwnedModel model = trained(job);
  const Generator same = Generator::load(path("lm"));
  const OwnedTexts prompts = texts_of({raw_});
  const auto generated = [&](std::vector<std::pair<std::string, std::string>> named) {
    named.insert(named.end(), {{"max_tokens", "8"}, {"seed", "3"}});
    const OwnedOptions options = options_of(named);
    const OwnedResult result(made([&](attend_error** error) {
      return attend_generate(model.get(), prompts.get(), options.get(), nullptr, nullptr, nullptr,
                             error);
    }));
    return attend_result_score(result.get(), 0, 0);
  };
  GenerationOptions in_cpp = same.default_options();
  in_cpp.max_tokens = 8;
  in_cpp.sampling.seed = 3;
  std::vector<float> found{generated({})};
  for (const Preparation& one : kPreparations) {
    SCOPED_TRACE(one.named.back().first);
    in_cpp.preparation = one.in_cpp;
    const float own = generated(one.named);
    EXPECT_EQ(own, same.generate(raw_, in_cpp, {}, 0).score);
    EXPECT_EQ(std::count(found.begin(), found.end(), own), 0) << "nothing is prepared";
    found.push_back(own);
  }
}

}  // namespace
}  // namespace attend
