// Everything that is computed, on a device whose memory only kernels and copies can touch: the
// proof that nothing above the backend reads a tensor, which no test with host memory can give. The
// results have the bits that the CPU gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "attend/core/files/lines.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/classification/training.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/embedding/training.h"
#include "attend/tasks/language/engine.h"
#include "attend/tasks/language/perplexity.h"
#include "attend/tasks/language/scoring.h"
#include "attend/tasks/language/training.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/quality/engine.h"
#include "attend/tasks/translation/engine.h"
#include "attend/tasks/translation/training/shortlist_training.h"
#include "attend/tasks/translation/training/training.h"
#include "backend/guarded_device.h"
#include "checkpoint/test_folder.h"
#include "tasks/made_up_corpus.h"
#include "tasks/small_classifier.h"
#include "tasks/small_embedder.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"
#include "tasks/small_quality.h"

namespace attend {
namespace {

class OnAGuardedDevice : public FolderTest {
 protected:
  OnAGuardedDevice() {
    const MadeUpCorpus corpus(40);
    write(path("src"), corpus.src);
    write(path("tgt"), corpus.tgt);
    write(path("few"), "old dogs see\ncats\n");
    write(path("labeled"), corpus.labeled);
    translation_.data.data = language_.data.data = classification_.data.data = folder_.string();
    translation_.data.src_train = {"src"};
    translation_.data.tgt_train = {"tgt"};
    translation_.data.src_valid = translation_.data.tgt_valid = {"few"};
    language_.data.train = language_.data.valid = {"src"};
    classification_.data.train = classification_.data.valid = {"labeled"};
    translation_.vocabulary.tokenizer.vocab_size = language_.vocabulary.vocab_size =
        classification_.tokenizer.vocab_size = 40;
    translation_.vocabulary.bpe_dropout = 0.1f;
    TransformerConfig& t = translation_.model.transformer;
    t.d_model = language_.model.d_model = classification_.model.d_model = 16;
    t.n_heads = language_.model.n_heads = classification_.model.n_heads = 2;
    t.d_ff = language_.model.d_ff = classification_.model.d_ff = 32;
    t.n_encoder_layers = t.n_decoder_layers = language_.model.n_layers =
        classification_.model.n_encoder_layers = 2;
    embedding_.data.data = folder_.string();
    embedding_.data.train = embedding_.data.valid = {"labeled"};
    embedding_.data.columns.relation = TextRelation::labeled;
    embedding_.data.batch.batch_tokens = 100;
    embedding_.tokenizer.vocab_size = 40;
    embedding_.model.d_model = embedding_.model.d_ff = 16;
    embedding_.model.n_heads = 2;
    for (TrainerOptions* trainer : {&translation_.trainer, &language_.trainer,
                                    &classification_.trainer, &embedding_.trainer}) {
      trainer->max_steps = 4;
      trainer->valid_every = trainer->save_every = 2;
      trainer->accumulate = 2;
      trainer->average_last = 2;
      trainer->optimizer.adam.clip_norm = 1.0f;
    }
  }

  // What `answer` gives on the device and on the host.
  template <class Answer>
  static void expect_the_same(const Answer& answer) {
    const auto on_host = on({}, answer);
    EXPECT_EQ(on(guarded_device(), answer), on_host);
  }
  template <class Answer>
  static auto on(const Device& device, const Answer& answer) {
    const RuntimeScope scope({.threads = 1, .device = device});
    return answer();
  }

  // The parameters of the model that a whole run leaves in its folder: trained, validated, saved,
  // stopped half way and resumed.
  template <class Options>
  std::vector<float> trained(Options options) {
    const std::string folder = path("run" + std::to_string(++runs_));
    const auto run = [&](std::int64_t steps, bool resume) {
      options.trainer.max_steps = steps;
      TrainingTask task = prepare_training(options, nullptr);
      Trainer(*task.objective, options.trainer, run_of(task, RunFolder(folder), resume)).train();
    };
    run(2, false);
    run(4, true);
    const Checkpoint model = load_checkpoint(folder + "/model.safetensors");
    std::vector<float> values;
    for (const NamedTensor& named : model.tensors) {
      if (named.tensor.dtype() != DType::f32) continue;
      const std::vector<float> more = named.tensor.to_vector();
      values.insert(values.end(), more.begin(), more.end());
    }
    return values;
  }

  template <class Options>
  void expect_training_to_be_the_same(const Options& options) {
    expect_the_same([&] { return trained(options); });
  }

  int runs_ = 0;
  TranslationTraining translation_;
  LanguageTraining language_;
  ClassificationTraining classification_;
  EmbeddingTraining embedding_;
};

TEST_F(OnAGuardedDevice, TranslationIsTrained) {
  expect_training_to_be_the_same(translation_);
  translation_.loss.training.r_drop = 1.0f;
  translation_.loss.valid_beam_size = 3;
  translation_.trainer.ema_decay = 0.9f;
  translation_.trainer.precision = Precision::bf16;
  translation_.trainer.optimizer.kind = OptimizerKind::muon;
  TransformerConfig& t = translation_.model.transformer;
  t.norm_first = true;
  t.positions = PositionKind::learned;
  t.dropout = t.attention_dropout = t.activation_dropout = 0.1f;
  t.activation = Activation::gelu;
  expect_training_to_be_the_same(translation_);
}

TEST_F(OnAGuardedDevice, AStepReadsNothingBackUntilSomebodyLooks) {
  const Device device = guarded_device();
  const std::atomic<int>& copies = static_cast<GuardedMemory*>(device.memory)->copies_to_host;
  on(device, [&] {
    for (const OptimizerKind kind :
         {OptimizerKind::adam, OptimizerKind::muon, OptimizerKind::adam8bit}) {
      translation_.trainer.optimizer.kind = kind;
      TrainingTask task = prepare_training(translation_, nullptr);
      Trainer trainer(*task.objective, translation_.trainer,
                      run_of(task, RunFolder("none"), false));
      const int before = copies;
      trainer.update();
      const StepEvent event = trainer.update();
      EXPECT_EQ(copies, before);
      EXPECT_GT(event.loss, 0.0);
      EXPECT_GT(event.gradient_norm, 0.0);
      EXPECT_GT(copies, before);
    }
    return 0;
  });
}

TEST_F(OnAGuardedDevice, VariantsOfAttentionAreTrained) {
  AttentionVariant& attention = translation_.model.transformer.attention;
  attention.scores = AttentionScores::additive;
  expect_training_to_be_the_same(translation_);
  attention.scores = AttentionScores::dot;
  attention.choice = AttentionChoice::straight_through;
  expect_training_to_be_the_same(translation_);
}

TEST_F(OnAGuardedDevice, RecurrentNetworksAreTrained) {
  translation_.model.arch = Architecture::rnn;
  expect_training_to_be_the_same(translation_);
}

TEST_F(OnAGuardedDevice, ClassificationIsTrained) {
  expect_training_to_be_the_same(classification_);
  classification_.loss.class_weights = {"one=2"};
  classification_.loss.word_dropout = 0.2f;
  classification_.model.bigram_buckets = 50;
  classification_.model.pooling = Pooling::mean;
  classification_.model.head.activation = Activation::tanh;
  classification_.model.token_types = 2;
  expect_training_to_be_the_same(classification_);
}

TEST_F(OnAGuardedDevice, EmbeddersAreTrained) {
  embedding_.loss.symmetric = true;
  embedding_.loss.matryoshka = {"4"};
  expect_training_to_be_the_same(embedding_);
}

TEST_F(OnAGuardedDevice, LanguageModelsAreTrained) {
  expect_training_to_be_the_same(language_);
  language_.loss.output_sample = 12;
  language_.model.previous_tokens = 2;
  language_.cache.tokens = 10;
  language_.trainer.recompute = true;
  language_.trainer.optimizer.kind = OptimizerKind::adam8bit;
  expect_training_to_be_the_same(language_);
}

const std::vector<std::string> kSources{"the old dog", "a cat eats the fish & chips", "",
                                        "dogs catch fish"};

// Read from a file on the device that is current.
TranslationModel translator_model(bool quantized = false) {
  const Checkpoint checkpoint = finished_checkpoint_of(small_model());
  return translation_model(quantized ? quantize_model(checkpoint) : checkpoint);
}

std::vector<std::pair<std::string, float>> answers(const TranslationEngine& translator,
                                                   const TranslationOptions& options) {
  std::vector<std::pair<std::string, float>> all;
  for (const Translation& translation : translator.translate(kSources, options))
    for (const TranslationCandidate& candidate : translation.candidates)
      all.emplace_back(candidate.text, candidate.score);
  return all;
}

std::vector<std::pair<std::string, float>> answers(const TranslationModel& model,
                                                   const TranslationOptions& options) {
  return answers(TranslationEngine(model), options);
}

TEST_F(OnAGuardedDevice, BeamSearchTranslates) {
  TranslationOptions options;
  options.beam.max_length = 12;
  options.beam.beam_size = 3;
  options.beam.n_best = 2;
  options.alignment = true;
  for (const bool quantized : {false, true})
    expect_the_same([&] { return answers(translator_model(quantized), options); });
}

TEST_F(OnAGuardedDevice, AShortlistTranslates) {
  TranslationOptions options;
  options.beam.max_length = 12;
  options.shortlist = true;
  expect_the_same([&] {
    TranslationModel model = translator_model();
    Shortlist shortlist;
    shortlist.always = {model.tgt_tokenizer.eos_id(), 5, 6};
    RaggedBuilder translations;
    for (std::int32_t id = 0; id < model.src_tokenizer.vocab_size(); ++id)
      translations.add(std::vector<std::int32_t>{id % 40 + 4});
    shortlist.translations = translations.build();
    model.shortlist = std::make_shared<const Shortlist>(shortlist);
    return answers(model, options);
  });
}

TEST_F(OnAGuardedDevice, SamplingTranslates) {
  TranslationOptions options;
  options.sampling = SamplingOptions{.temperature = 0.8f, .max_length = 12};
  expect_the_same([&] { return answers(translator_model(), options); });
  options.sampling->top_k = 5;
  expect_the_same([&] { return answers(translator_model(), options); });
  options.sampling->top_k = 0;
  options.sampling->top_p = 0.7f;
  expect_the_same([&] { return answers(translator_model(), options); });
}

// Two models that say different things.
TranslationEngine small_ensemble() {
  TranslationEnsemble::Models members;
  for (const bool quantized : {false, true}) {
    TranslationModel model = translator_model(quantized);
    model.suppressed = {model.tgt_tokenizer.eos_id() + 1 + (quantized ? 1 : 0)};
    members.push_back(std::make_shared<const TranslationModel>(std::move(model)));
  }
  return TranslationEngine(TranslationEnsemble(std::move(members)));
}

TEST_F(OnAGuardedDevice, EnsemblesTranslate) {
  TranslationOptions options;
  options.beam.max_length = 12;
  options.beam.beam_size = 3;
  options.beam.n_best = 2;
  expect_the_same([&] { return answers(small_ensemble(), options); });
  options.sampling = SamplingOptions{.max_length = 12};
  expect_the_same([&] { return answers(small_ensemble(), options); });
}

TEST_F(OnAGuardedDevice, EnsemblesScore) {
  expect_the_same([] {
    const TranslationEngine engine = small_ensemble();
    std::vector<std::vector<float>> all;
    for (const SequenceScore& score : engine.score(kSources, kSources))
      all.push_back(score.token_scores);
    const std::vector<std::int32_t> target{5, 6};
    for (const TokenAlternatives& one : engine.alternatives(kSources[0], target, 3))
      for (const TokenChoice& choice : one.likeliest)
        all.push_back({static_cast<float>(choice.id), choice.log_probability});
    return all;
  });
}

TEST_F(OnAGuardedDevice, TranslationsAreScored) {
  expect_the_same([&] {
    std::vector<std::vector<float>> all;
    for (const SequenceScore& score :
         TranslationEngine(translator_model()).score(kSources, kSources))
      all.push_back(score.token_scores);
    return all;
  });
}

TEST_F(OnAGuardedDevice, TextsAreClassified) {
  expect_the_same([&] {
    std::vector<std::vector<float>> all;
    const ClassificationEngine classifier(classification_model(small_classifier_checkpoint()));
    for (const Classification& c : classifier.classify(kFilms.texts))
      all.push_back(c.probabilities);
    return all;
  });
}

TEST_F(OnAGuardedDevice, TextsBecomeVectors) {
  for (const bool quantized : {false, true}) {
    expect_the_same([&] {
      const Checkpoint checkpoint = finished_checkpoint_of(small_embedder());
      const EmbeddingModel model =
          embedding_model(quantized ? quantize_model(checkpoint) : checkpoint);
      std::vector<std::vector<float>> all;
      for (const TextEmbedding& e : EmbeddingEngine(model).embed(kRemarks, {}))
        all.push_back(e.vectors.to_vector());
      return all;
    });
  }
}

TEST_F(OnAGuardedDevice, TranslationsAreMeasured) {
  for (const QualityReading reading : {QualityReading::compared, QualityReading::joined}) {
    expect_the_same([&] {
      const QualityEngine engine(
          quality_model(finished_checkpoint_of(small_quality_model(reading))));
      std::vector<float> scores = engine.score(kScoredTexts, {kScoredTexts, kScoredTexts});
      if (reading == QualityReading::compared)
        for (const double score : engine.pair_scores(kScoredTexts[0], kScoredTexts))
          scores.push_back(static_cast<float>(score));
      return scores;
    });
  }
}

TEST_F(OnAGuardedDevice, TextIsGenerated) {
  GenerationOptions options;
  options.max_tokens = 30;
  const auto generation = [&] {
    const GenerationEngine generator(
        language_model(finished_checkpoint_of(small_language_model())));
    std::vector<std::pair<std::string, std::vector<float>>> all;
    const auto add = [&](const Generation& g) { all.emplace_back(g.text, g.token_scores); };
    if (options.beam.beam_size == 0) add(generator.generate("the cat", options));
    if (options.beam.beam_size > 0)
      std::ranges::for_each(generator.generate_best("the cat", options), add);
    return all;
  };
  expect_the_same(generation);
  options.repetition_penalty = 1.3f;
  options.cache.tokens = 8;
  expect_the_same(generation);
  options.beam.beam_size = 3;
  options.n_best = 2;
  expect_the_same(generation);
}

TEST_F(OnAGuardedDevice, TextIsMeasuredAndEmbedded) {
  const auto measured = [&] {
    const LanguageModel model = language_model(finished_checkpoint_of(small_language_model()));
    TextPerplexityOptions options;
    options.cache.tokens = 8;
    const TextPerplexity perplexity =
        text_perplexity(model, encode_language(kRhyme, model.tokenizer), options);
    return std::pair(perplexity.perplexity.per_token(), perplexity.without_cache->per_token());
  };
  expect_the_same(measured);
  for (const EmbeddingPooling pooling : {EmbeddingPooling::mean, EmbeddingPooling::first,
                                         EmbeddingPooling::max, EmbeddingPooling::none}) {
    expect_the_same([&] {
      std::vector<std::vector<float>> all;
      const EmbeddingEngine embedder(translator_model());
      for (const TextEmbedding& e : embedder.embed(kSources, {.pooling = pooling}))
        all.push_back(e.vectors.to_vector());
      for (const TextEmbedding& e : embedder.embed_without_context(kSources, pooling))
        all.push_back(e.vectors.to_vector());
      return all;
    });
  }
}

}  // namespace
}  // namespace attend
