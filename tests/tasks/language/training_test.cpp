#include "attend/tasks/language/training.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "attend/checkpoint/parameters.h"
#include "attend/tasks/language/engine.h"
#include "attend/tasks/language/objective.h"
#include "attend/tasks/language/perplexity.h"
#include "checkpoint/test_folder.h"
#include "core/scoped_threads.h"
#include "tasks/small_language.h"
#include "tensor/expect_error.h"
#include "train/stop_at_step.h"

namespace attend {
namespace {

class LanguageTrainingTest : public FolderTest {
 protected:
  LanguageTrainingTest() {
    std::string text;
    for (const std::string& line : kRhyme) text += line + "\n";
    write(path("train"), text);
    write(path("valid"), "the cat sat on a mat\nthe fat dog ran\n");
    options_.data.data = folder_.string();
    options_.data.train = {"train"};
    options_.data.valid = {"valid"};
    options_.data.windows.sequence_length = 8;
    options_.data.batch.batch_tokens = 16;
    options_.vocabulary.type = TokenizerType::word;
    options_.vocabulary.vocab_size = 4 + 13;
    options_.model.d_model = 32;
    options_.model.n_heads = 4;
    options_.model.d_ff = 64;
    options_.model.n_layers = 2;
    options_.model.previous_tokens = 1;
    options_.trainer.max_steps = 12;
    options_.trainer.valid_every = options_.trainer.save_every = 0;
    options_.trainer.schedule.learning_rate = 5e-3f;
    options_.trainer.schedule.warmup_steps = 10;
  }

  void train(const std::string& name, bool resume = false, std::int64_t stop_at = -1) {
    StopAtStep stop(stop_at);
    const RunFolder folder(path(name));
    std::vector<std::string> skipped;
    const auto latest = resume ? folder.latest(skipped) : std::nullopt;
    const TrainingTask task = prepare_training(options_, latest ? &latest->checkpoint : nullptr);
    TrainingRun run = run_of(task, folder, resume);
    run.listeners = {&stop};
    run.stop = &stop.flag;
    Trainer(*task.objective, options_.trainer, run).train();
  }
  std::string model(const std::string& name) const {
    return (path(name) / "model.safetensors").string();
  }

  LanguageTraining options_;
};

TEST_F(LanguageTrainingTest, LearnsATextByHeart) {
  options_.trainer.max_steps = 250;
  options_.data.valid = options_.data.train;
  options_.model.dropout = 0.0f;
  train("run");
  const LanguageModel learned = load_language_model(model("run"));
  const LanguageText text = encode_language(kRhyme, learned.tokenizer);
  EXPECT_LT(text_perplexity(learned, text).perplexity.per_token(), 1.8);
  EXPECT_EQ(learned.context.sequence_length, 8);
  GenerationOptions options;
  options.sampling.top_k = 1;
  options.one_line = true;
  EXPECT_EQ(GenerationEngine(learned).generate("the cat sat on the", options).text, " mat\n");
}

// Line breaks and blanks at the beginning of a line are text; eos ends the document.
TEST_F(LanguageTrainingTest, LearnsADocumentByHeart) {
  const std::string document = "def f(x):\n    return x\n\nf(1)\n";
  write(path("code"), document);
  options_.data.train = options_.data.valid = {path("code").string()};
  options_.data.units.documents = true;
  options_.data.windows.sequence_length = 32;
  options_.vocabulary = {.type = TokenizerType::byte_bpe, .vocab_size = 270};
  options_.vocabulary.normalization = Normalization::identity;
  options_.model.dropout = 0.0f;
  options_.trainer.max_steps = 150;
  train("run");
  const LanguageModel learned = load_language_model(model("run"));
  EXPECT_EQ(learned.text, text_of_documents(learned.tokenizer.eos_id()));
  GenerationOptions options;
  options.sampling.top_k = 1;
  const GenerationEngine engine(learned);
  const Generation found = engine.generate("def f(x):\n", options);
  EXPECT_EQ(found.text, "    return x\n\nf(1)\n");
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(engine.generate("", options).text, document);
  EXPECT_LT(document_perplexity(learned, std::span(&document, 1)).perplexity.per_token(), 1.5);
}

TEST_F(LanguageTrainingTest, RefusesATokenizerThatDoesNotKeepDocuments) {
  options_.data.units.documents = true;
  expect_error<ConfigError>([&] { prepare_training(options_, nullptr); },
                            {"tokenizer", "byte-bpe", "documents"});
  settle_defaults(options_, [](const std::string&) { return false; });
  EXPECT_EQ(options_.vocabulary.type, TokenizerType::byte_bpe);
  EXPECT_EQ(options_.vocabulary.normalization, Normalization::identity);
  options_.vocabulary.normalization = Normalization::nmt_nfkc;
  expect_error<ConfigError>([&] { prepare_training(options_, nullptr); },
                            {"normalization", "nmt_nfkc", "documents"});
  options_.vocabulary.type = TokenizerType::word;
  settle_defaults(options_, [](const std::string& name) { return name == "tokenizer"; });
  EXPECT_EQ(options_.vocabulary.type, TokenizerType::word);
}

// A model keeps what a text is for it.
TEST_F(LanguageTrainingTest, RefusesAnotherUnitThanThatOfTheModelToStartFrom) {
  options_.trainer.max_steps = 2;
  train("lines");
  options_.initial = std::make_shared<const Checkpoint>(load_checkpoint(model("lines")));
  adopt_model(options_, *options_.initial);
  EXPECT_FALSE(options_.data.units.documents);
  options_.data.units.documents = true;
  expect_error<ConfigError>([&] { prepare_training(options_, nullptr); },
                            {"documents", "was trained on lines"});
}

TEST_F(LanguageTrainingTest, LearnsFromASampleOfTheVocabularyToo) {
  options_.trainer.max_steps = 250;
  options_.loss.output_sample = 8;
  options_.model.dropout = 0.0f;
  train("run");
  const LanguageModel learned = load_language_model(model("run"));
  EXPECT_LT(
      text_perplexity(learned, encode_language(kRhyme, learned.tokenizer)).perplexity.per_token(),
      2.2);
}

TEST_F(LanguageTrainingTest, ResumedInTheMiddleOfAnEpochIsTheSameRun) {
  options_.loss.output_sample = 10;
  options_.trainer.ema_decay = 0.9f;
  options_.model.output_dropout = 0.1f;
  train("whole");
  train("parts", false, 7);
  train("parts", true);
  for (const char* const file : {"checkpoints/step-00000012.safetensors", "model.safetensors"})
    EXPECT_EQ(read(path("parts") / file), read(path("whole") / file)) << file;
}

TEST_F(LanguageTrainingTest, GivesTheSameBytesWithOneThreadOrTwo) {
  options_.loss.output_sample = 10;
  for (const int count : {1, 2}) {
    const ScopedThreads scope(count);
    train(std::to_string(count));
  }
  EXPECT_EQ(read(model("1")), read(model("2")));
}

TEST_F(LanguageTrainingTest, ValidatesWithTheProbabilitiesOfTheWholeVocabulary) {
  options_.loss.output_sample = 5;
  options_.model.dropout = 0.5f;
  TrainingTask task = prepare_training(options_, nullptr);
  const Validation validation = task.objective->validate();
  train("run");  // from the same beginning, to get hold of the tokenizer
  const LanguageModel trained = load_language_model(model("run"));
  LanguageTransformerConfig config = trained.network->config();
  const LanguageModel fresh{std::make_shared<LanguageTransformer>(config, options_.trainer.seed),
                            trained.tokenizer, trained.context};
  const std::vector<std::string> files{path("valid").string()};
  const TextPerplexity expected = text_perplexity(fresh, read_language(files, fresh.tokenizer));
  EXPECT_NEAR(std::exp(validation.nll), expected.perplexity.per_token(), 1e-4);
  EXPECT_EQ(validation.score, -validation.nll);
}

TEST_F(LanguageTrainingTest, SmoothsTheLossButNeitherTheLikelihoodNorTheValidation) {
  options_.model.dropout = 0.0f;
  const auto losses = [&](float smoothing) {
    options_.loss.label_smoothing = smoothing;
    const TrainingTask task = prepare_training(options_, nullptr);
    Pass pass = Pass::inference();
    const BatchLoss part = task.objective->loss(0, 0, 1.0, pass);
    return std::array<double, 3>{part.loss_sum, part.nll_sum, task.objective->validate().nll};
  };
  const auto sharp = losses(0.0f), smooth = losses(0.2f);
  EXPECT_NEAR(sharp[0], sharp[1], 1e-5 * sharp[1]);
  EXPECT_GT(std::abs(smooth[0] - sharp[0]), 1e-3);
  EXPECT_EQ(smooth[1], sharp[1]);
  EXPECT_EQ(smooth[2], sharp[2]);
}

TEST_F(LanguageTrainingTest, SaysWhatItHasRead) {
  const TrainingTask task = prepare_training(options_, nullptr);
  ASSERT_EQ(task.notes.size(), 4u);
  EXPECT_TRUE(task.notes[0].starts_with("model: transformer decoder, ")) << task.notes[0];
  EXPECT_EQ(task.notes[1], "vocabulary: 17 pieces");
  EXPECT_EQ(task.notes[2], "training text: 8 lines (1 empty), 41 words, 49 tokens");
  EXPECT_EQ(task.notes[3], "validation text: 2 lines (0 empty), 10 words, 12 tokens");
  EXPECT_TRUE(task.objective->can_validate());
  options_.data.valid.clear();
  EXPECT_FALSE(prepare_training(options_, nullptr).objective->can_validate());
}

TEST_F(LanguageTrainingTest, NamesWhatIsWrong) {
  const auto refused = [&](auto change, std::initializer_list<std::string_view> parts) {
    LanguageTraining options = options_;
    change(options);
    expect_error<Error>([&] { prepare_training(options, nullptr); }, parts);
  };
  refused([](auto& o) { o.data.train.clear(); }, {"train"});
  refused([](auto& o) { o.data.train = {"absent"}; }, {"absent"});
  write(path("empty"), "");
  refused([](auto& o) { o.data.train = {"empty"}; }, {"empty"});
  refused([](auto& o) { o.data.valid = {"empty"}; }, {"empty"});
  write(path("blank"), "\n\n");
  refused([](auto& o) { o.data.train = {"blank"}; }, {path("blank").string(), "2 blank lines"});
  refused([](auto& o) { o.data.valid = {"blank"}; }, {path("blank").string(), "2 blank lines"});
  write(path("bytes"),
        "good\nb\xff"
        "d\n");
  refused([](auto& o) { o.data.train = {"bytes"}; }, {"bytes:2", "UTF-8"});
  refused([](auto& o) { o.vocabulary.vocab_size = 1000; }, {"vocab_size", "17"});
  refused([](auto& o) { o.data.windows.sequence_length = 0; }, {"sequence_length"});
  refused([](auto& o) { o.data.batch.batch_tokens = 0; }, {"batch_tokens"});
  refused([](auto& o) { o.loss.output_sample = 18; }, {"output_sample", "17"});
  refused([](auto& o) { o.loss.output_sample = -1; }, {"output_sample"});
  refused([](auto& o) { o.loss = {0.1f, 5}; }, {"label_smoothing", "output_sample"});
  refused(
      [](auto& o) {
        o.model.positions = PositionKind::learned;
        o.model.max_positions = 7;
      },
      {"sequence_length", "8", "max_positions 7"});
}

TEST_F(LanguageTrainingTest, RefusesToResumeAnotherModel) {
  train("run");
  options_.model.d_ff = 32;
  expect_error<ConfigError>([&] { train("run", true); }, {"resume", "d-ff was"});
}

TEST(LanguageModelFile, IsForLanguageModeling) {
  Checkpoint checkpoint = checkpoint_of(small_language_model());
  checkpoint.metadata["attend.task"] = "translation";
  checkpoint.source = "model";
  expect_error<DataError>(
      [&] { language_model(checkpoint); },
      {"model: expected a model for language modeling, found one for translation"});
}

TEST(LanguageModelFile, KeepsTheCacheItIsUsedWith) {
  LanguageModel model = small_language_model();
  const auto saved = [&] {
    Checkpoint checkpoint = checkpoint_of(model);
    checkpoint.source = "model";
    return checkpoint;
  };
  EXPECT_FALSE(language_model(saved()).cache.used());
  model.cache = {300, 0.2f, 1.5f};
  Checkpoint checkpoint = saved();
  const ContinuousCacheOptions cache = language_model(checkpoint).cache;
  EXPECT_EQ(cache.tokens, 300);
  EXPECT_EQ(cache.weight, 0.2f);
  EXPECT_EQ(cache.beta, 1.5f);
  EXPECT_EQ(GenerationEngine(model).default_options().cache.tokens, 300);
  checkpoint.metadata["attend.cache"] = R"({"cache_tokens": -1})";
  expect_error<DataError>([&] { language_model(checkpoint); },
                          {"model: attend.cache: cache_tokens", "-1"});
}

}  // namespace
}  // namespace attend
