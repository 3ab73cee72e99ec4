#include "attend/training.h"

#include <stdexcept>

#include "api/small_models.h"
#include "attend/classifier.h"
#include "attend/core/threads/parallel.h"
#include "attend/error.h"
#include "attend/generator.h"
#include "attend/model_file.h"
#include "attend/translator.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class TrainingApi : public ApiTest {};

TEST_F(TrainingApi, TellsEveryStepAndLeavesAModel) {
  TrainingJob job = translation_job("run", 7);
  std::vector<std::int64_t> steps;
  std::string notes;
  job.on_step = [&](const StepReport& event) { steps.push_back(event.step); };
  job.on_note = [&](const std::string& note) { notes += note + "\n"; };
  const TrainingResult result = train(job);
  EXPECT_EQ(steps, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(result.end, TrainingEnd::finished);
  EXPECT_EQ(result.steps, 7);
  EXPECT_EQ(result.model, path("run") / "model.safetensors");
  EXPECT_FALSE(result.best) << "nothing was validated";
  EXPECT_NE(notes.find("32 pairs"), std::string::npos) << notes;
  EXPECT_EQ(describe(result.model).metadata.at("attend.task"), "translation");
}

TEST_F(TrainingApi, StopsWhenAskedAndResumesToTheSameBytes) {
  const TrainingResult whole = train(translation_job("whole", 9));

  TrainingJob job = translation_job("halves", 9);
  std::atomic<bool> stop{false};
  job.stop = &stop;
  job.on_step = [&](const StepReport& event) { stop = event.step == 4; };
  const TrainingResult stopped = train(job);
  EXPECT_EQ(stopped.end, TrainingEnd::interrupted);
  EXPECT_EQ(stopped.steps, 4);

  std::int64_t first = 0;
  job.on_step = [&](const StepReport& event) { first = first == 0 ? event.step : first; };
  job.resume = true;
  stop = false;
  const TrainingResult resumed = train(job);
  EXPECT_EQ(resumed.end, TrainingEnd::finished);
  EXPECT_EQ(first, 5);
  EXPECT_EQ(content(resumed.model), content(whole.model));
}

// A model learns from each of its teachers.
TEST_F(TrainingApi, LearnsFromTeachers) {
  const std::string one = train(translation_job("one", 9)).model.string();
  const auto with = [&](TrainingJob job, std::vector<std::string> teachers) {
    job.options.push_back({"teachers", std::move(teachers)});
    job.options.push_back({"distill-weight", 0.5});
    return job;
  };
  TrainingJob second = translation_job("two", 9);
  second.options.push_back({"seed", 2});
  const std::string two = train(with(second, {one})).model.string();
  const std::string taught_by_one = content(train(with(translation_job("a", 9), {one})).model);
  EXPECT_TRUE(taught_by_one != content(one)) << "the teacher has a part in the loss";
  const std::string both = content(train(with(translation_job("c", 9), {one, two})).model);
  EXPECT_TRUE(both != taught_by_one);
  EXPECT_TRUE(content(train(with(translation_job("d", 9), {one, two})).model) == both);

  TrainingJob unweighted = translation_job("none", 9);
  unweighted.options.push_back({"teachers", std::vector<std::string>{one}});
  expect_error<ConfigError>([&] { train(unweighted); }, {"teachers", "distill_weight"});
  expect_error<IoError>(
      [&] { train(with(translation_job("none", 9), {path("nothing").string()})); }, {"nothing"});
  TrainingJob other = with(language_job("none", 2), {one});
  expect_error<DataError>([&] { train(other); }, {"translation"});
}

TEST_F(TrainingApi, TrainsWithTokenizersOfItsOwn) {
  for (const auto& [type, size] : {std::pair{"wordpiece", 43}, std::pair{"byte-bpe", 280}}) {
    const std::string name = type;
    const auto with_tokenizer = [&](TrainingJob job) {
      job.options.push_back({"tokenizer", name});
      job.options.push_back({"vocab-size", size});
      return train(job).model;
    };
    const Translator translator =
        Translator::load(with_tokenizer(translation_job(name + "-translation", 400)).string());
    EXPECT_EQ(translator.translate(std::vector<std::string>{"the dog sleeps"}).front().text(),
              "der hund schläft")
        << name;
    EXPECT_EQ(translator.source_tokenizer().vocab_size(), size);
    const Generator generator =
        Generator::load(with_tokenizer(language_job(name + "-lm", 300)).string());
    GenerationOptions options = generator.default_options();
    options.sampling.top_k = 1;
    options.one_line = true;
    const std::string continuation = generator.generate("a cat eats", options).text;
    EXPECT_NE(continuation.find("the "), std::string::npos) << name << ": " << continuation;
    const Classifier classifier =
        Classifier::load(with_tokenizer(classification_job(name + "-classification", 80)).string());
    const Classification result =
        classifier.classify(std::vector<std::string>{"the old dog sleeps"}).front();
    EXPECT_EQ(classifier.labels()[result.label], "animal") << name;
  }
}

TEST_F(TrainingApi, GoesOnWithTheConfigurationOfARunUnlessToldOtherwise) {
  train(translation_job("run", 3));
  TrainingJob job;
  job.task = "translation";
  job.folder = path("run");
  job.resume = true;
  job.options = {{"max_steps", 5}};
  EXPECT_EQ(train(job).steps, 5);
  EXPECT_NE(content(path("run") / "config.toml").find("max-steps = 5"), std::string::npos);
}

TEST_F(TrainingApi, TakesOptionsFromAFileAndLetsTheListWin) {
  TrainingJob job = translation_job("run", 3);
  write("recipe.toml", "[training]\nmax-steps = 50\nseed = 9\n");
  job.config = path("recipe.toml");
  EXPECT_EQ(train(job).steps, 3);
  EXPECT_NE(content(path("run") / "config.toml").find("seed = 9"), std::string::npos);
}

TEST_F(TrainingApi, ReportsTheBestValidation) {
  TrainingJob job = translation_job("run", 6);
  job.options.emplace_back("src-valid", path("train.en").string());
  job.options.emplace_back("tgt-valid", path("train.de").string());
  job.options.emplace_back("valid-every", 2);
  std::vector<ValidationReport> validations;
  job.on_validation = [&](const ValidationReport& event) { validations.push_back(event); };
  const TrainingResult result = train(job);
  ASSERT_EQ(validations.size(), 3u);
  ASSERT_TRUE(result.best);
  std::int64_t best = 0;
  for (const ValidationReport& event : validations) best = event.best ? event.step : best;
  EXPECT_EQ(result.best->step, best);
  EXPECT_EQ(result.best->metrics.front().first, "bleu");
}

TEST_F(TrainingApi, TrainsOnTheRuntimeItIsGiven) {
  TrainingJob job = translation_job("three", 4);
  job.runtime = make_runtime({.threads = 3});
  EXPECT_EQ(threads_of(*job.runtime), 3);
  const std::string of_three = content(train(job).model);
  job.folder = path("one");
  job.runtime = make_runtime({.threads = 1});
  EXPECT_EQ(content(train(job).model), of_three);
}

TEST_F(TrainingApi, ComputesWithTheThreadsThatItsOptionsSay) {
  TrainingJob job = translation_job("run", 2);
  job.options.emplace_back("threads", 3);
  job.on_step = [](const StepReport&) { EXPECT_EQ(threads(), 3); };
  train(job);
}

TEST_F(TrainingApi, NamesTheNearestOptionForOneItDoesNotKnow) {
  TrainingJob job = translation_job("run", 2);
  job.options.emplace_back("d-modell", 16);
  expect_error<ConfigError>([&] { train(job); },
                            {"unknown option", "d-modell", "did you mean d-model?"});
  EXPECT_FALSE(std::filesystem::exists(path("run")));
}

TEST_F(TrainingApi, NamesTheTasksForOneItDoesNotKnow) {
  TrainingJob job = translation_job("run", 2);
  job.task = "translate";
  expect_error<ConfigError>(
      [&] { train(job); },
      {"TrainingJob::task", "translation, lm, classification, tagging, embedding", "translate"});
}

TEST_F(TrainingApi, RefusesWhatCannotBeAValue) {
  for (const TrainingOption& wrong :
       std::vector<TrainingOption>{{"d-model", 0}, {"d-model", "wide"}, {"d-model", 1.5}}) {
    TrainingJob job = translation_job("run", 2);
    job.options.push_back(wrong);
    expect_error<ConfigError>([&] { train(job); }, {"d-model: expected a whole number from 1",
                                                    "got " + wrong.values.front()});
  }
}

TEST_F(TrainingApi, RefusesARunWithoutAFolderOrInOneThatIsUsed) {
  TrainingJob job = translation_job("run", 2);
  train(job);
  expect_error<ConfigError>([&] { train(job); }, {"checkpoints"});
  job.options.emplace_back("out", "elsewhere");
  expect_error<ConfigError>([&] { train(job); }, {"TrainingJob::folder"});
  job = translation_job("run", 2);
  job.folder.clear();
  expect_error<ConfigError>([&] { train(job); }, {"expected a folder"});
}

TEST_F(TrainingApi, PassesOnWhatACallbackThrows) {
  TrainingJob job = translation_job("run", 5);
  job.on_step = [](const StepReport&) { throw std::runtime_error("enough"); };
  EXPECT_THROW(train(job), std::runtime_error);
}

TEST_F(TrainingApi, ReportsAFileThatIsMissing) {
  TrainingJob job = translation_job("run", 2);
  job.options.emplace_back("src-train", path("absent.en").string());
  expect_error<IoError>([&] { train(job); }, {"absent.en"});
}

TEST(TrainingOption, WritesNumbersSoThatTheyReadBackAsTheSame) {
  EXPECT_EQ(TrainingOption("a", 512).values, std::vector<std::string>{"512"});
  EXPECT_EQ(TrainingOption("a", 5e-3).values, std::vector<std::string>{"0.005"});
  EXPECT_EQ(TrainingOption("a", 0.1f).values, std::vector<std::string>{"0.1"});
  EXPECT_EQ(TrainingOption("a", true).values, std::vector<std::string>{"true"});
  EXPECT_EQ(TrainingOption("a", "bf16").values, std::vector<std::string>{"bf16"});
  EXPECT_EQ(TrainingOption("a", std::string("bf16")).values, std::vector<std::string>{"bf16"});
  EXPECT_EQ(TrainingOption("a", std::vector<std::string>{"x", "y"}).values,
            (std::vector<std::string>{"x", "y"}));
}

}  // namespace
}  // namespace attend
