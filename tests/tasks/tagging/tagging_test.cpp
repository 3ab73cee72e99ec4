// Taggers of words: from the files to the answers.
#include <gtest/gtest.h>

#include <sstream>

#include "attend/core/files/lines.h"
#include "attend/core/threads/runtime.h"
#include "attend/error.h"
#include "attend/tasks/model_file/golden.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/tagging/engine.h"
#include "attend/tasks/tagging/training.h"
#include "checkpoint/test_folder.h"
#include "tasks/model_checkpoint.h"
#include "tensor/expect_error.h"
#include "train/validated_together.h"

namespace attend {
namespace {

class TaggingTask : public FolderTest {
 protected:
  // "Mr" and the word after it are a person; cities are places.
  TaggingTask() {
    std::string text, other;
    for (int i = 0; i < 40; ++i) {
      text += i % 2 == 0 ? "Mr B-PER\nBell I-PER\n" : "Bell O\n";
      text += "sees O\n";
      text += i % 3 == 0 ? "Paris B-LOC\n\n" : "Mr B-PER\nParis I-PER\ntoday O\n\n";
      other += "a DET\ndog NOUN\nruns VERB\n\n";
    }
    write(path("text"), text);
    write(path("other"), other);
  }

  TaggingTraining options(const std::string& file = "text") const {
    TaggingTraining o;
    o.data.data = folder_.string();
    o.data.train = o.data.valid = {file};
    o.tokenizer.type = TokenizerType::word;
    o.tokenizer.vocab_size = file == "text" ? 9 : 7;
    o.model.d_model = o.model.d_ff = 16;
    o.model.n_heads = 2;
    o.model.n_encoder_layers = 1;
    o.model.dropout = 0;
    o.data.batch.batch_tokens = 60;
    o.trainer.max_steps = 200;
    o.trainer.max_epochs = 0;
    o.trainer.valid_every = o.trainer.save_every = 0;
    o.trainer.schedule.learning_rate = 1e-2f;
    o.trainer.schedule.warmup_steps = 10;
    return o;
  }
  TaggingModel trained(const TaggingTraining& o) {
    TrainingTask task = prepare_training(o, nullptr);
    Trainer(*task.objective, o.trainer, run_of(task, RunFolder(path("run")), false)).train();
    return load_tagging_model(path("run") / "model.safetensors");
  }
  static TaggingModel untrained(const TaggingTraining& o) {
    return dynamic_cast<const TaggingModel&>(*prepare_training(o, nullptr).model);
  }
};

TEST_F(TaggingTask, IsLearned) {
  const TaggingEngine tagger(trained(options()));
  const auto found = tagger.tag(std::vector<std::string>{"Mr Bell sees  Paris", "Bell sees"});
  EXPECT_EQ(found[0].words, (std::vector<std::string>{"Mr", "Bell", "sees", "Paris"}));
  EXPECT_EQ(found[0].entities(tagger.labels()),
            (std::vector<Entity>{{"PER", 0, 2}, {"LOC", 3, 4}}));
  ASSERT_EQ(found[1].tags.size(), 2u);
  EXPECT_TRUE(found[1].entities(tagger.labels()).empty());
  EXPECT_GT(found[1].probabilities[0], 0.5f);
}

TEST_F(TaggingTask, IsValidatedByEntitiesOrWords) {
  const Validation entities = prepare_training(options(), nullptr).objective->validate();
  EXPECT_EQ(entities.metrics[0].first, "entity_f1");
  EXPECT_EQ(entities.score, entities.metrics[0].second);
  EXPECT_EQ(entities.metrics[3].first, "accuracy");
  const Validation words = prepare_training(options("other"), nullptr).objective->validate();
  ASSERT_EQ(words.metrics.size(), 2u);
  EXPECT_EQ(words.metrics[0].first, "accuracy");
  TaggingTraining by_loss = options();
  by_loss.data.best_by = TaggingScore::loss;
  const Validation losses = prepare_training(by_loss, nullptr).objective->validate();
  EXPECT_EQ(losses.score, -losses.loss);
}

TEST_F(TaggingTask, ValidatesTogetherWithTheBitsOfOneProcess) {
  for (const char* file : {"text", "other"})
    expect_equal_validations(
        [&] { return std::move(prepare_training(options(file), nullptr).objective); });
}

TEST_F(TaggingTask, IsValidatedByTheEntitiesOfWholeTexts) {
  // A part for every word, and a model that gives every word the tag B-PER.
  write(path("cut"), "Mr B-PER\nBell I-PER\n\nMr B-PER\n");
  Checkpoint model = checkpoint_of(untrained(options()));
  for (NamedTensor& tensor : model.tensors) {
    if (!tensor.name.starts_with("output.")) continue;
    std::vector<float> values(tensor.tensor.to_vector().size(), 0.0f);
    if (tensor.name == "output.bias") values[1] = 1;
    tensor.tensor = Tensor::from(values, tensor.tensor.shape());
  }
  TaggingTraining o = options();
  adopt_model(o, model);
  o.initial = std::make_shared<const Checkpoint>(std::move(model));
  o.data.valid = {"cut"};
  o.data.length.max_length = 3;
  for (const std::int64_t batch_tokens : {3, 6, 60}) {
    o.data.batch.batch_tokens = batch_tokens;
    const auto make = [&] { return std::move(prepare_training(o, nullptr).objective); };
    const Validation found = make()->validate();
    ASSERT_EQ(found.metrics.size(), 5u);
    EXPECT_DOUBLE_EQ(found.metrics[1].second, 1.0 / 3) << "precision: Mr Bell is not found";
    EXPECT_DOUBLE_EQ(found.metrics[2].second, 0.5) << "recall";
    EXPECT_DOUBLE_EQ(found.metrics[3].second, 2.0 / 3) << "accuracy";
    expect_equal_validations(make);
  }
}

TEST_F(TaggingTask, ResumesToTheSameBytes) {
  TaggingTraining o = options();
  o.model.dropout = 0.1f;
  o.trainer.max_steps = 6;
  o.trainer.save_every = 3;
  const auto run = [&](const char* name, bool resume) {
    const Checkpoint before =
        resume ? load_checkpoint(path(name) / "checkpoints/step-00000003.safetensors")
               : Checkpoint();
    TrainingTask task = prepare_training(o, resume ? &before : nullptr);
    Trainer(*task.objective, o.trainer, run_of(task, RunFolder(path(name)), resume)).train();
  };
  run("whole", false);
  run("parts", false);
  std::filesystem::remove(path("parts") / "checkpoints/step-00000006.safetensors");
  run("parts", true);
  EXPECT_EQ(read(path("parts") / "model.safetensors"), read(path("whole") / "model.safetensors"));
}

TEST_F(TaggingTask, GivesATextTheSameTagsInAnyCompanyAndInParts) {
  TaggingTraining o = options();
  o.data.length.max_length = 6;
  const TaggingEngine tagger(untrained(o));
  const std::vector<std::string> texts{"Mr Bell sees Paris today Mr Paris", "Bell"};
  const auto together = tagger.tag(texts);
  for (const int threads : {1, 2, 3}) {
    const RuntimeScope runtime({.threads = threads});
    const auto alone = tagger.tag(texts, {.batch_tokens = 1});
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(together[i].tags, alone[i].tags);
      EXPECT_EQ(together[i].probabilities, alone[i].probabilities);
    }
  }
  EXPECT_EQ(together[0].tags.size(), 7u);
  const auto part = tagger.tag(std::vector<std::string>{"today Mr Paris"});
  EXPECT_EQ(
      std::vector<float>(together[0].probabilities.begin() + 4, together[0].probabilities.end()),
      part[0].probabilities)
      << "the second part of the first text";
}

TEST_F(TaggingTask, AnswersLineByLine) {
  const TaggingEngine tagger(untrained(options()));
  std::istringstream stream("Mr Bell\n \nParis\n");
  LineReader lines(stream, "the text");
  std::vector<std::size_t> words;
  std::string rejected;
  tagger.tag(lines, {[&](const Tagging& t) { words.push_back(t.words.size()); },
                     [&](const LineError& error) { rejected = error.what(); }});
  EXPECT_EQ(words, (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(rejected, "the text:2: expected a text to tag, found none");
  expect_error<DataError>([&] { tagger.tag(std::vector<std::string>{""}); }, {"text 1"});
  EXPECT_THROW(tagger.tag(std::vector<std::string>{"a"}, {.window = 0}), ConfigError);
}

TEST_F(TaggingTask, IsAModelFileLikeOthers) {
  const TaggingModel before = untrained(options());
  const Checkpoint file = finished_checkpoint_of(before);
  EXPECT_TRUE(check_model(file)->holds());
  const auto after = load_model(file);
  EXPECT_EQ(after->task(), "token classification");
  EXPECT_EQ(after->configuration(), before.configuration());
  EXPECT_TRUE(check_model(quantize_model(file))->holds());
  const auto refuse = [&](const char* key, const char* value, const char* message) {
    Checkpoint damaged = file;
    damaged.source = "tags.safetensors";
    damaged.metadata[key] = value;
    expect_error<DataError>([&] { tagging_model(damaged); }, {"tags.safetensors", message});
  };
  refuse("attend.labels", "[\"O\"]", "two or more");
  refuse("attend.text", "{\"max_length\": 1}", "max_length");
  refuse("attend.task", "classification", "for token classification");
}

TEST_F(TaggingTask, StartsFromATaggerAndKeepsItsTags) {
  trained(options());
  TaggingTraining o = options();
  o.initial =
      std::make_shared<const Checkpoint>(load_checkpoint(path("run") / "model.safetensors"));
  adopt_model(o, *o.initial);
  TrainingTask kept = prepare_training(o, nullptr);
  EXPECT_GT(kept.objective->validate().metrics[0].second, 0.9);
  write(path("fewer"), "Mr B-PER\nBell I-PER\nsees O\n");
  o.data.train = {"fewer"};
  TrainingTask fewer = prepare_training(o, nullptr);
  EXPECT_EQ(dynamic_cast<const TaggingModel&>(*fewer.model).labels.size(), 4u)
      << "tags that do not occur stay";
  o.data.train = o.data.valid = {"other"};
  const TrainingTask other = prepare_training(o, nullptr);
  EXPECT_EQ(other.notes[0], "tags: a new output layer on the encoder");
}

TEST_F(TaggingTask, IsCheckedBeforeAnythingIsTrained) {
  const auto refuse = [&](const TaggingTraining& o,
                          std::initializer_list<std::string_view> fragments) {
    expect_error<Error>([&] { prepare_training(o, nullptr); }, fragments);
  };
  TaggingTraining by_entities = options("other");
  by_entities.data.best_by = TaggingScore::entity_f1;
  refuse(by_entities, {"best_by: entity_f1 needs tags such as B-PER", "DET, NOUN, VERB"});
  TaggingTraining valid = options();
  valid.data.valid = {"other"};
  refuse(valid, {"other:1: unknown tag 'DET'"});
  TaggingTraining nothing = options();
  nothing.data.train.clear();
  refuse(nothing, {"train"});
  trained(options());
  const Checkpoint checkpoint = load_checkpoint(path("run") / "model.safetensors");
  TaggingTraining wider = options();
  wider.model.d_ff = 32;
  expect_error<ConfigError>([&] { prepare_training(wider, &checkpoint); }, {"d-ff was 16"});
  TaggingTraining others = options("other");
  others.tokenizer.vocab_size = 9;
  expect_error<ConfigError>([&] { prepare_training(others, &checkpoint); }, {"other tags"});
}

TEST_F(TaggingTask, ReadsPunctuationOfRawTextAsWords) {
  const TaggingEngine tagger(untrained(options()));
  const std::string text = "\"(Mr Bell) sees Paris!\"";
  const Tagging found = tagger.tag(std::vector<std::string>{text}).front();
  const std::vector<std::string> words{"\"", "(", "Mr", "Bell", ")", "sees", "Paris", "!", "\""};
  EXPECT_EQ(found.words, words);
  EXPECT_EQ(found.probabilities,
            tagger.tag_words(std::vector<std::vector<std::string>>{words}).front().probabilities);
  for (std::size_t w = 0; w < words.size(); ++w)
    EXPECT_EQ(text.substr(found.spans[w].begin, found.spans[w].end - found.spans[w].begin),
              words[w]);
}

TEST_F(TaggingTask, GivesTokenizedTextTheTagsOfItsWords) {
  const TaggingEngine tagger(trained(options()));
  const std::vector<std::string> words{"Mr", "Bell", "sees", "Paris", "."};
  const Tagging raw = tagger.tag(std::vector<std::string>{"Mr Bell sees Paris ."}).front(),
                own = tagger.tag_words(std::vector<std::vector<std::string>>{words}).front();
  EXPECT_EQ(raw.words, words);
  EXPECT_EQ(raw.tags, own.tags);
  EXPECT_EQ(raw.probabilities, own.probabilities);
}

TEST_F(TaggingTask, LeavesWordsWholeIfTheTrainingTextDoes) {
  write(path("glued"), "Mr B-PER\nBell, I-PER\nsees O\nParis. B-LOC\n\nBell. B-PER\nsees O\n");
  TaggingTraining o = options("glued");
  const TaggingEngine tagger(untrained(o));
  EXPECT_EQ(tagger.model().units, TaggedUnits::words);
  EXPECT_EQ(tagger.tag(std::vector<std::string>{"Mr Bell."}).front().words,
            (std::vector<std::string>{"Mr", "Bell."}));
  EXPECT_EQ(TaggingEngine(untrained(options())).model().units, TaggedUnits::punctuation);
}

}  // namespace
}  // namespace attend
