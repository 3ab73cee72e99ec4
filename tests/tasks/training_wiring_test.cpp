// The seed of a training reaches everything that is random in it, and the options of the data both
// sides of them: one by one, which a whole run cannot show.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "attend/checkpoint/parameters.h"
#include "attend/core/files/lines.h"
#include "attend/tasks/classification/training.h"
#include "attend/tasks/embedding/training.h"
#include "attend/tasks/language/training.h"
#include "attend/tasks/translation/engine.h"
#include "attend/tasks/translation/training/training.h"
#include "checkpoint/test_folder.h"
#include "tasks/made_up_corpus.h"

namespace attend {
namespace {

class TrainingWiring : public FolderTest {
 protected:
  TrainingWiring() {
    const MadeUpCorpus corpus(60);
    write(path("src"), corpus.src);
    write(path("tgt"), corpus.tgt);
    write(path("labeled"), corpus.labeled);
    translation_.data.data = language_.data.data = classification_.data.data =
        embedding_.data.data = folder_.string();
    translation_.data.src_train = language_.data.train = {"src"};
    translation_.data.tgt_train = {"tgt"};
    classification_.data.train = embedding_.data.train = {"labeled"};
    embedding_.data.columns.relation = TextRelation::labeled;
    translation_.vocabulary.tokenizer.vocab_size = language_.vocabulary.vocab_size =
        classification_.tokenizer.vocab_size = embedding_.tokenizer.vocab_size = 40;
    TransformerConfig& t = translation_.model.transformer;
    t.d_model = language_.model.d_model = classification_.model.d_model = embedding_.model.d_model =
        16;
    t.n_heads = language_.model.n_heads = classification_.model.n_heads = embedding_.model.n_heads =
        2;
    t.d_ff = language_.model.d_ff = classification_.model.d_ff = embedding_.model.d_ff = 16;
    t.n_encoder_layers = t.n_decoder_layers = language_.model.n_layers =
        classification_.model.n_encoder_layers = embedding_.model.n_encoder_layers = 1;
  }

  template <class Options>
  static TrainingTask seeded(Options options, std::uint64_t seed) {
    options.trainer.seed = seed;
    return prepare_training(options, nullptr);
  }
  template <class Options>
  static TrainingTask in_batches_of(Options options, std::int64_t tokens, std::uint64_t seed) {
    options.data.batch.batch_tokens = tokens;
    return seeded(options, seed);
  }
  static std::string sizes(TrainingTask& task, std::int64_t epoch) {
    std::string all;
    for (std::int64_t i = 0; i < task.objective->batches(epoch); ++i) {
      const BatchSize size = task.objective->size(epoch, i);
      all += fmt::format("{} {}, ", size.targets, size.sources);
    }
    return all;
  }
  static double loss(TrainingTask& task, std::int64_t epoch = 0) {
    Pass pass = Pass::inference();
    return task.objective->loss(epoch, 0, 1.0, pass).loss_sum;
  }

  template <class Options>
  static void expect_seeded(const Options& options) {
    TrainingTask one = in_batches_of(options, 30, 1), again = in_batches_of(options, 30, 1),
                 two = in_batches_of(options, 30, 2);
    EXPECT_EQ(one.objective->parameters().values().to_vector(),
              again.objective->parameters().values().to_vector());
    EXPECT_NE(one.objective->parameters().values().to_vector(),
              two.objective->parameters().values().to_vector())
        << "the model";
    EXPECT_EQ(sizes(one, 0), sizes(again, 0));
    EXPECT_NE(sizes(one, 0), sizes(two, 0)) << "the order of the batches";
    EXPECT_NE(sizes(one, 0), sizes(one, 1)) << "the order of an epoch";
  }

  TranslationTraining translation_;
  LanguageTraining language_;
  ClassificationTraining classification_;
  EmbeddingTraining embedding_;
};

TEST_F(TrainingWiring, TheSeedReachesModelAndBatchesOfTranslation) { expect_seeded(translation_); }
TEST_F(TrainingWiring, TheSeedReachesModelAndBatchesOfClassification) {
  expect_seeded(classification_);
}

TEST_F(TrainingWiring, TheSeedReachesModelAndBatchesOfEmbedders) { expect_seeded(embedding_); }

TEST_F(TrainingWiring, TheSeedReachesModelAndBatchesOfLanguageModels) {
  language_.data.windows.sequence_length = 7;
  expect_seeded(language_);
}

TEST_F(TrainingWiring, AJointVocabularyHasTheCharactersOfBothSides) {
  std::string tgt;
  for (int i = 0; i < 60; ++i) tgt += "\u00fcber \u00e4ltere\n";
  write(path("tgt"), tgt);
  const TrainingTask task = prepare_training(translation_, nullptr);
  const auto& model = dynamic_cast<const TranslationModel&>(*task.model);
  EXPECT_EQ(model.src_tokenizer.bytes(), model.tgt_tokenizer.bytes());
  for (const char* text : {"old dogs", "\u00fcber \u00e4ltere"})
    EXPECT_EQ(model.tgt_tokenizer.decode(model.tgt_tokenizer.encode(text)), text);
}

// All text in one batch, so that its order does not matter: what differs is how it is cut.
TEST_F(TrainingWiring, TheSeedReachesTheBpeDropoutOfBothSides) {
  const auto size = [&](float dropout, std::uint64_t seed, std::int64_t epoch) {
    translation_.vocabulary.bpe_dropout = dropout;
    TrainingTask task = in_batches_of(translation_, 1'000'000, seed);
    EXPECT_EQ(task.objective->batches(epoch), 1);
    return task.objective->size(epoch, 0);
  };
  const BatchSize none = size(0.0f, 1, 0), one = size(0.5f, 1, 0), later = size(0.5f, 1, 1),
                  two = size(0.5f, 2, 0);
  for (const auto side : {&BatchSize::targets, &BatchSize::sources}) {
    EXPECT_GT(one.*side, none.*side);
    EXPECT_NE(one.*side, later.*side);
    EXPECT_NE(one.*side, two.*side);
  }
  EXPECT_EQ(size(0.0f, 2, 1).targets, none.targets);
}

// Half of the larger corpus is in an epoch, and all in one batch: what differs is which half.
TEST_F(TrainingWiring, SeedAndEpochReachTheMixture) {
  const MadeUpCorpus more(20);
  write(path("more.src"), more.tgt);
  write(path("more.tgt"), more.src);
  translation_.data.src_train.push_back("more.src");
  translation_.data.tgt_train.push_back("more.tgt");
  translation_.data.mixture.weights = {"3", "5"};
  const auto size = [&](std::uint64_t seed, std::int64_t epoch) {
    TrainingTask task = in_batches_of(translation_, 1'000'000, seed);
    EXPECT_EQ(task.objective->batches(epoch), 1);
    return task.objective->size(epoch, 0).targets;
  };
  const std::int64_t one = size(1, 0);
  EXPECT_EQ(size(1, 0), one);
  EXPECT_NE(size(1, 1), one) << "the next part of the corpus";
  EXPECT_NE(size(2, 0), one);
  translation_.data.mixture = {};
  EXPECT_EQ(size(1, 1), size(2, 0)) << "all of both";
}

TEST_F(TrainingWiring, WordDropoutReachesTheClassifier) {
  const auto trained_loss = [&](float share) {
    classification_.loss.word_dropout = share;
    TrainingTask task = in_batches_of(classification_, 1'000'000, 1);
    Pass pass = Pass::training(1, 1);
    return task.objective->loss(0, 0, 1.0, pass).loss_sum;
  };
  EXPECT_EQ(trained_loss(0.0f), trained_loss(0.0f));
  EXPECT_NE(trained_loss(0.0f), trained_loss(0.5f));
}

TEST_F(TrainingWiring, TheColumnsAreThoseOfTheValidationToo) {
  write(path("turned"), "old dogs\tone\nsmall cats\ttwo\n");
  classification_.data.train = classification_.data.valid = {"turned"};
  classification_.data.columns.label_column = "2";
  classification_.data.columns.text_column = "1";
  EXPECT_GT(prepare_training(classification_, nullptr).objective->validate().loss, 0.0);
}

// Windows of one token, all in one batch and with equal parameters: what differs is the sample.
TEST_F(TrainingWiring, SeedAndEpochReachTheSampleOfTheVocabulary) {
  language_.data.windows.sequence_length = 1;
  language_.loss.output_sample = 12;
  TrainingTask one = in_batches_of(language_, 1'000'000, 1),
               two = in_batches_of(language_, 1'000'000, 2);
  two.objective->parameters().values().copy_from(one.objective->parameters().values());
  EXPECT_GT(std::abs(loss(one) - loss(two)), 1e-3 * loss(one));
  EXPECT_GT(std::abs(loss(one, 0) - loss(one, 1)), 1e-3 * loss(one));
  language_.loss.output_sample = 0;
  TrainingTask three = in_batches_of(language_, 1'000'000, 1),
               four = in_batches_of(language_, 1'000'000, 2);
  four.objective->parameters().values().copy_from(three.objective->parameters().values());
  EXPECT_NEAR(loss(three), loss(four), 1e-5 * loss(three))
      << "without a sample there is nothing random left";
}

class ValidationWiring : public TrainingWiring {
 protected:
  ValidationWiring() {
    write(path("valid"), "old older dogs seldom see\nsmall cats smaller\ndogs see cats\n");
    translation_.vocabulary.tokenizer.type = TokenizerType::word;
    translation_.vocabulary.tokenizer.vocab_size = 4 + 9;
  }

  // What the model, not trained yet, makes of the sources, with `mark` after every word.
  std::string translations(const std::string& mark = "", const TranslationOptions& options = {}) {
    translation_.data.src_valid = translation_.data.tgt_valid = {};
    const TrainingTask untrained = prepare_training(translation_, nullptr);
    Checkpoint checkpoint;
    const ParameterSet& parameters = untrained.objective->parameters();
    add_parameters(checkpoint, parameters, parameters.values());
    untrained.model->describe(checkpoint);
    const TranslationEngine translator(translation_model(checkpoint));
    std::string lines;
    for (const Translation& translation :
         translator.translate(read_lines(path("valid").string()), options)) {
      std::istringstream words(translation.text());
      for (std::string word; words >> word;) lines += word + mark + " ";
      lines += "\n";
    }
    return lines;
  }
  double score_against(const std::string& references) {
    write(path("references"), references);
    translation_.data.src_valid = {"valid"};
    translation_.data.tgt_valid = {"references"};
    return prepare_training(translation_, nullptr).objective->validate().score;
  }
};

// A comma after every word makes other words where text is compared as it is.
TEST_F(ValidationWiring, KnowsWhetherTextIsPretokenized) {
  const auto score = [&](bool pretokenized) {
    translation_.vocabulary.tokenizer.pretokenized = pretokenized;
    return score_against(translations(","));
  };
  EXPECT_EQ(score(true), 0);
  EXPECT_GT(score(false), 0);
}

// Output weights of their own: tied ones make a model that is not trained repeat one word, however
// it searches.
TEST_F(ValidationWiring, SearchesWithItsBeamAndTheLengthPenalty) {
  translation_.model.transformer.tie_embeddings = TiedEmbeddings::none;
  std::filesystem::copy_file(path("src"), path("valid"),
                             std::filesystem::copy_options::overwrite_existing);
  const auto expect_found = [&](BeamSearchOptions search, const BeamSearchOptions& otherwise) {
    translation_.loss.valid_beam_size = search.beam_size;
    translation_.decoding.length_penalty = search.length_penalty;
    TranslationOptions decoding, other;
    decoding.beam = search;
    other.beam = otherwise;
    const std::string references = translations("", decoding);
    ASSERT_TRUE(references != translations("", other)) << "a search that differs is needed; found\n"
                                                       << references.substr(0, 300);
    EXPECT_NEAR(score_against(references), 100.0, 1e-9)
        << "beam " << search.beam_size << ", length penalty " << search.length_penalty;
  };
  const BeamSearchOptions usual, wide{.beam_size = 12},
      brief{.beam_size = 12, .length_penalty = 0.8f};
  expect_found({.beam_size = 1}, usual);
  expect_found(brief, wide);
}

// The model remembers how its users decode; the validation does not wait for them.
TEST_F(TrainingWiring, DecodingAndCacheReachTheModelFile) {
  const auto metadata = [](const TrainingTask& task, const char* key) {
    Checkpoint checkpoint;
    add_parameters(checkpoint, task.objective->parameters(), task.objective->parameters().values());
    task.model->describe(checkpoint);
    return checkpoint.text(key);
  };
  translation_.decoding.beam_size = 3;
  translation_.decoding.length_penalty = 0.25f;
  const std::string decoding = metadata(prepare_training(translation_, nullptr), "attend.decoding");
  EXPECT_NE(decoding.find("3"), std::string::npos) << decoding;
  EXPECT_NE(decoding.find("0.25"), std::string::npos) << decoding;
  language_.cache.tokens = 123;
  language_.cache.weight = 0.375f;
  const std::string cache = metadata(prepare_training(language_, nullptr), "attend.cache");
  EXPECT_NE(cache.find("123"), std::string::npos) << cache;
  EXPECT_NE(cache.find("0.375"), std::string::npos) << cache;
  classification_.data.length.max_length = 77;
  EXPECT_NE(metadata(prepare_training(classification_, nullptr), "attend.text").find("77"),
            std::string::npos);
}

}  // namespace
}  // namespace attend
