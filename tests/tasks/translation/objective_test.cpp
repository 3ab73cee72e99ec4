#include "attend/tasks/translation/objective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "attend/metrics/bleu.h"
#include "attend/optim/adam.h"
#include "attend/tasks/translation/training.h"
#include "attend/train/trainer.h"
#include "checkpoint/test_folder.h"
#include "core/scoped_threads.h"
#include "tasks/small_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

const ParallelText kPairs{
    {"the old dog sees the small cat", "a cat eats the fish & chips", "dogs catch fish",
     "the cat sees a small dog", "a dog", "the fish sees the old cat", "old dogs eat chips",
     "the small cat eats a small fish"},
    {"der alte hund sieht die kleine katze", "eine katze frisst den fisch",
     "der hund frisst den fisch", "die katze sieht die kleine katze", "eine katze",
     "der fisch sieht die alte katze", "der alte hund frisst den fisch",
     "die kleine katze frisst den fisch"}};

struct TranslationSetting {
  std::int64_t batch_tokens = 1000;
  std::optional<std::uint64_t> seed = std::nullopt;
  float dropout = 0.0f;
  TranslationLoss loss = {};
  bool validates = true;
};

EncodedPairs encoded(const TranslationModel& model, const ParallelText& text,
                     const LengthOptions& length = {}) {
  ReadReport report;
  return encode_parallel(text, model.src_tokenizer, model.tgt_tokenizer, length, report);
}

TranslationBatcher batches(const TranslationModel& model, std::int64_t batch_tokens,
                           std::optional<std::uint64_t> seed) {
  return TranslationBatcher(encoded(model, kPairs), model.src_tokenizer.special_tokens(),
                            model.tgt_tokenizer.special_tokens(), {batch_tokens}, seed);
}

TranslationModel learning_model(float dropout) {
  TranslationModel model = small_model();
  auto config = std::get<TransformerConfig>(model.network->architecture());
  config.d_model = 32;
  config.d_ff = 64;
  config.n_encoder_layers = 2;
  config.dropout = dropout;
  model.network = std::make_shared<Transformer>(config, 7);
  return model;
}

TranslationObjective translation_of(const TranslationSetting& s) {
  const TranslationModel model = learning_model(s.dropout);
  std::optional<TranslationValidation> validation;
  if (s.validates) {
    TranslationOptions decoding;
    decoding.beam.beam_size = 1;
    validation = TranslationValidation{batches(model, 30, std::nullopt), kPairs.tgt, decoding};
  }
  return TranslationObjective(model, batches(model, s.batch_tokens, s.seed), s.loss,
                              std::move(validation));
}

TEST(TranslationObjective, LosesInABatchWhatItsSentencesLose) {
  TranslationObjective together = translation_of({}), alone = translation_of({.batch_tokens = 1});
  ASSERT_EQ(together.batches(0), 1);
  ASSERT_EQ(alone.batches(0), 8);
  const auto targets = static_cast<double>(together.size(0, 0).targets);
  Pass pass = Pass::inference();
  const BatchLoss whole = together.loss(0, 0, targets, pass);
  EXPECT_NEAR(whole.loss.value().item(), whole.loss_sum / targets, 1e-6);
  backward(whole.loss);

  double loss = 0, nll = 0;
  std::int64_t sources = 0, counted = 0;
  for (std::int64_t i = 0; i < 8; ++i) {
    const BatchLoss part = alone.loss(0, i, targets, pass);
    backward(part.loss);
    loss += part.loss_sum;
    nll += part.nll_sum;
    counted += alone.size(0, i).targets;
    sources += alone.size(0, i).sources;
  }
  EXPECT_NEAR(loss, whole.loss_sum, 1e-5 * whole.loss_sum);
  EXPECT_NEAR(nll, whole.nll_sum, 1e-5 * whole.nll_sum);
  EXPECT_EQ(static_cast<double>(counted), targets);
  EXPECT_EQ(sources, together.size(0, 0).sources);
  const std::vector<float> expected = together.parameters().gradients().to_vector(),
                           actual = alone.parameters().gradients().to_vector();
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], 1e-6) << "gradient " << i;
}

TEST(TranslationObjective, CountsTargetsAndSourcesWithTheirEnds) {
  const TranslationModel model = learning_model(0.0f);
  TranslationObjective objective = translation_of({});
  std::int64_t targets = 0, sources = 0;
  for (const std::string& text : kPairs.tgt)
    targets += std::ssize(model.tgt_tokenizer.encode(text)) + 1;
  for (const std::string& text : kPairs.src)
    sources += std::ssize(model.src_tokenizer.encode(text)) + 1;
  EXPECT_EQ(objective.size(0, 0).targets, targets);
  EXPECT_EQ(objective.size(0, 0).sources, sources);
}

TEST(TranslationObjective, SmoothsTheLossButNotTheLikelihood) {
  TranslationObjective smooth = translation_of({}),
                       sharp = translation_of({.loss = {.label_smoothing = 0.0f}});
  Pass pass = Pass::inference();
  const BatchLoss a = smooth.loss(0, 0, 1.0, pass), b = sharp.loss(0, 0, 1.0, pass);
  EXPECT_EQ(a.nll_sum, b.nll_sum);
  EXPECT_NEAR(b.loss_sum, b.nll_sum, 1e-6 * b.nll_sum);
  EXPECT_NE(a.loss_sum, a.nll_sum);
}

TEST(TranslationObjective, DropsByTheKeyOfThePass) {
  TranslationObjective objective = translation_of({.dropout = 0.3f});
  const auto loss = [&](std::uint64_t seed, std::uint64_t step) {
    Pass pass = Pass::training(seed, step);
    return objective.loss(0, 0, 1.0, pass).loss_sum;
  };
  EXPECT_EQ(loss(1, 1), loss(1, 1));
  EXPECT_NE(loss(1, 1), loss(1, 2));
  EXPECT_NE(loss(1, 1), loss(2, 1));
}

TEST(TranslationObjective, HasNothingToAgreeOnWithoutDropout) {
  TranslationObjective one = translation_of({}), two = translation_of({.loss = {.r_drop = 5.0f}});
  Pass pass = Pass::training(1, 1);
  const BatchLoss a = one.loss(0, 0, 1.0, pass), b = two.loss(0, 0, 1.0, pass);
  EXPECT_NEAR(a.loss_sum, b.loss_sum, 1e-5 * a.loss_sum);
  EXPECT_NEAR(a.nll_sum, b.nll_sum, 1e-5 * a.nll_sum);
  backward(a.loss);
  backward(b.loss);
  const std::vector<float> expected = one.parameters().gradients().to_vector(),
                           actual = two.parameters().gradients().to_vector();
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], 2e-5) << "gradient " << i;
}

TEST(TranslationObjective, PunishesDisagreementOfTwoPassesInTrainingAlone) {
  TranslationObjective weak = translation_of({.dropout = 0.3f, .loss = {.r_drop = 1.0f}}),
                       strong = translation_of({.dropout = 0.3f, .loss = {.r_drop = 5.0f}}),
                       none = translation_of({.dropout = 0.3f});
  Pass pass = Pass::training(1, 1), same = Pass::training(1, 1);
  const BatchLoss a = weak.loss(0, 0, 1.0, pass), b = strong.loss(0, 0, 1.0, same);
  EXPECT_EQ(a.nll_sum, b.nll_sum);
  EXPECT_GT(b.loss_sum, a.loss_sum + 1.0);
  EXPECT_EQ(none.validate().loss, strong.validate().loss);
}

TEST(TranslationObjective, MakesOnePassInTheEpochsBeforeTheFirstWithTwo) {
  TranslationObjective late = translation_of(
                           {.dropout = 0.3f, .loss = {.r_drop = 5.0f, .r_drop_after = 2}}),
                       always = translation_of({.dropout = 0.3f, .loss = {.r_drop = 5.0f}}),
                       never = translation_of({.dropout = 0.3f});
  const auto loss = [](TranslationObjective& objective, std::int64_t epoch) {
    Pass pass = Pass::training(1, 1);
    return objective.loss(epoch, 0, 1.0, pass).loss_sum;
  };
  for (const std::int64_t epoch : {0, 1}) EXPECT_EQ(loss(late, epoch), loss(never, epoch)) << epoch;
  for (const std::int64_t epoch : {2, 3})
    EXPECT_EQ(loss(late, epoch), loss(always, epoch)) << epoch;
  EXPECT_NE(loss(always, 1), loss(never, 1));
  EXPECT_EQ(late.phases(), (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(always.phases(), std::vector<std::int64_t>{0});
  EXPECT_EQ(never.phases(), std::vector<std::int64_t>{0});
}

TEST(TranslationObjective, ValidatesWithoutTouchingAnything) {
  TranslationObjective objective = translation_of({.dropout = 0.3f});
  Pass pass = Pass::training(1, 1);
  backward(objective.loss(0, 0, 1.0, pass).loss);
  const std::vector<float> values = objective.parameters().values().to_vector();
  const std::vector<float> gradients = objective.parameters().gradients().to_vector();
  const Validation first = objective.validate(), second = objective.validate();
  EXPECT_EQ(objective.parameters().values().to_vector(), values);
  EXPECT_EQ(objective.parameters().gradients().to_vector(), gradients);
  EXPECT_EQ(first.loss, second.loss);
  EXPECT_EQ(first.nll, second.nll);
  EXPECT_EQ(first.score, second.score);
}

TEST(TranslationObjective, ValidatesPerTargetAndWithoutDropout) {
  TranslationObjective dropping = translation_of({.dropout = 0.3f}), objective = translation_of({});
  const auto targets = static_cast<double>(objective.size(0, 0).targets);
  Pass pass = Pass::inference();
  const BatchLoss loss = objective.loss(0, 0, 1.0, pass);
  const Validation validation = dropping.validate();
  EXPECT_NEAR(validation.loss, loss.loss_sum / targets, 1e-5);
  EXPECT_NEAR(validation.nll, loss.nll_sum / targets, 1e-5);
  ASSERT_EQ(validation.metrics.size(), 1u);
  EXPECT_EQ(validation.metrics[0].first, "bleu");
  EXPECT_EQ(validation.metrics[0].second, validation.score);
}

// What `model` makes of the held-out pairs of `text`.
Validation validation_of(const TranslationModel& model, const ParallelText& text,
                         const LengthOptions& length = {}) {
  const EncodedPairs pairs = encoded(model, text, length);
  const SpecialTokens src = model.src_tokenizer.special_tokens(),
                      tgt = model.tgt_tokenizer.special_tokens();
  TranslationOptions decoding;
  decoding.beam.beam_size = 1;
  TranslationValidation held_out{TranslationBatcher(pairs, src, tgt, {30}, std::nullopt),
                                 references_of(pairs, text), decoding};
  return TranslationObjective(model, batches(model, 1000, 1), {}, std::move(held_out)).validate();
}

// Longer than a translator takes.
std::string long_text() {
  std::string text = "cat";
  for (int i = 0; i < 2000; ++i) text += " cat";
  return text;
}

ParallelText with(ParallelText text, const std::string& src, const std::string& tgt) {
  text.src.insert(text.src.begin() + 2, src);
  text.tgt.insert(text.tgt.begin() + 2, tgt);
  return text;
}

TEST(TranslationObjective, MeasuresBleuOfThePairsThatTheLossIsOf) {
  const TranslationModel model = learning_model(0.0f);
  const Validation expected = validation_of(model, kPairs);
  for (const auto& [src, tgt] : {std::pair<std::string, std::string>{long_text(), "die katze"},
                                 {"the cat", long_text()},
                                 {"", "katze"}}) {
    const Validation validation = validation_of(model, with(kPairs, src, tgt));
    EXPECT_EQ(validation.loss, expected.loss);
    EXPECT_EQ(validation.score, expected.score);
  }
}

TEST(TranslationObjective, DecodesOfATruncatedPairWhatTheLossReads) {
  const TranslationModel model = learning_model(0.0f);
  const LengthOptions length{.max_length = 4, .over_long = OverLong::truncate};
  const EncodedPairs pairs = encoded(model, kPairs, length);
  const TranslationEngine translator(model);
  TranslationOptions greedy;
  greedy.beam.beam_size = 1;
  std::vector<std::vector<std::int32_t>> sources;
  for (std::int64_t i = 0; i < pairs.src.sequences(); ++i) {
    sources.emplace_back(pairs.src[i].begin(), pairs.src[i].end());
    sources.back().push_back(model.src_tokenizer.eos_id());
    ASSERT_LE(sources.back().size(), 4u);
  }
  std::vector<std::string> outputs;
  for (const Translation& translation : translator.translate_ids(sources, greedy))
    outputs.push_back(translation.text());
  EXPECT_EQ(validation_of(model, kPairs, length).score,
            corpus_bleu(outputs, {kPairs.tgt}, {}).score);
}

TEST(TranslationObjective, DecodesWithinTheLearnedPositions) {
  TranslationModel model = learning_model(0.0f);
  auto config = std::get<TransformerConfig>(model.network->architecture());
  config.positions = PositionKind::learned;
  config.max_positions = 12;
  model.network = std::make_shared<Transformer>(config, 7);
  const LengthOptions length{.max_length = 12};
  EXPECT_EQ(validation_of(model, with(kPairs, long_text(), "die katze"), length).score,
            validation_of(model, kPairs, length).score);
}

TEST(TranslationObjective, MeasuresNoBleuWhereTheLossIsNoNumber) {
  const TranslationModel model = learning_model(0.0f);
  for (float& value : model.network->parameters().values().span()) value = NAN;
  const Validation validation = validation_of(model, kPairs);
  EXPECT_TRUE(std::isnan(validation.loss));
  EXPECT_TRUE(validation.metrics.empty());
}

// Validation by what the decoder finds as it is told to search, compared as the text is cut.
struct DecodedValidation {
  TranslationModel model = learning_model(0.0f);

  // A model that has half learned the text: it is not yet sure of what to say.
  DecodedValidation() {
    TranslationObjective objective(model, batches(model, 40, 1), {}, std::nullopt);
    Adam adam(objective.parameters(), {});
    for (std::int64_t step = 0; step < 70; ++step) {
      objective.parameters().gradients().zero();
      Pass pass = Pass::inference();
      const std::int64_t epoch = step / objective.batches(0), batch = step % objective.batches(0);
      backward(
          objective
              .loss(epoch, batch, static_cast<double>(objective.size(epoch, batch).targets), pass)
              .loss);
      adam.step(2e-3f);
    }
  }

  TranslationOptions decoding(int beam_size, float length_penalty) const {
    TranslationOptions options;
    options.beam.beam_size = beam_size;
    options.beam.length_penalty = length_penalty;
    return options;
  }
  std::vector<std::string> found(const TranslationOptions& options) const {
    std::vector<std::string> texts;
    for (const Translation& translation : TranslationEngine(model).translate(kPairs.src, options))
      texts.push_back(translation.text());
    return texts;
  }
  double score(const std::vector<std::string>& references, const TranslationOptions& options,
               bool pretokenized = false) const {
    TranslationValidation validation{batches(model, 30, std::nullopt), references, options,
                                     pretokenized};
    return TranslationObjective(model, batches(model, 1000, std::nullopt), {},
                                std::move(validation))
        .validate()
        .score;
  }
};

TEST(TranslationObjective, ValidatesWithTheBeamAndTheLengthPenaltyItIsGiven) {
  const DecodedValidation validation;
  const TranslationOptions greedy = validation.decoding(1, 1.0f),
                           wide = validation.decoding(4, 0.0f),
                           longer = validation.decoding(4, 3.0f);
  std::set<double> scores;
  for (const TranslationOptions& options : {greedy, wide, longer}) {
    scores.insert(validation.score(kPairs.tgt, options));
    EXPECT_EQ(validation.score(kPairs.tgt, options),
              corpus_bleu(validation.found(options), {kPairs.tgt}).score);
  }
  EXPECT_EQ(scores.size(), 3u) << testing::PrintToString(scores);
}

TEST(TranslationObjective, ComparesPretokenizedTextAsItIs) {
  const DecodedValidation validation;
  const TranslationOptions greedy = validation.decoding(1, 1.0f);
  std::vector<std::string> references = kPairs.tgt;
  for (std::string& reference : references) reference += ",";  // a token of its own for 13a alone
  BleuOptions as_it_is, cut;
  as_it_is.tokenization = BleuTokenization::none;
  const std::vector<std::string> found = validation.found(greedy);
  const double expected = corpus_bleu(found, {references}, as_it_is).score;
  ASSERT_NE(expected, corpus_bleu(found, {references}, cut).score);
  EXPECT_EQ(validation.score(references, greedy, true), expected);
  EXPECT_EQ(validation.score(references, greedy, false),
            corpus_bleu(found, {references}, cut).score);
}

TEST(TranslationObjective, MayDoWithoutValidation) {
  EXPECT_FALSE(translation_of({.validates = false}).can_validate());
}

class TranslationRun : public FolderTest {
 protected:
  TranslationRun() {
    options_.schedule.learning_rate = 5e-3f;
    options_.schedule.warmup_steps = 20;
    options_.valid_every = options_.save_every = 0;
  }

  void train(const std::string& name, TranslationObjective& objective, bool resume = false,
             std::int64_t stop_at = -1) {
    struct Stop final : TrainingListener {
      std::int64_t at = -1;
      std::atomic<bool> flag = false;
      void on_step(const StepEvent& e) override { flag = e.step == at; }
    } stop;
    stop.at = stop_at;
    const auto describe = [](Checkpoint& c) { learning_model(0.1f).describe(c); };
    Trainer(objective, options_,
            {RunFolder(path(name)), resume, 32, describe, {&stop}, &stop.flag, {}})
        .train();
  }

  TrainerOptions options_;
};

TEST_F(TranslationRun, NamesTheFileWithoutText) {
  write(path("text"), "a dog\nthe cat\n");
  write(path("blank"), "\n \n");
  TranslationTraining options;
  options.data.src_train = {path("text").string()};
  options.data.tgt_train = {path("blank").string()};
  expect_error<DataError>([&] { prepare_training(options, nullptr); },
                          {path("blank").string(), "2 blank lines"});
  std::swap(options.data.src_train, options.data.tgt_train);
  expect_error<DataError>([&] { prepare_training(options, nullptr); },
                          {path("blank").string(), "2 blank lines"});
}

TEST_F(TranslationRun, ReachesBleu100WhenItHasLearnedTheTextByHeart) {
  options_.max_steps = 200;
  TranslationObjective objective = translation_of({.batch_tokens = 40, .seed = 1, .dropout = 0.1f});
  EXPECT_LT(objective.validate().score, 10);
  train("run", objective);
  EXPECT_DOUBLE_EQ(objective.validate().score, 100);
  const TranslationEngine translator = TranslationEngine::load(path("run") / "model.safetensors");
  const std::vector<Translation> translations = translator.translate(kPairs.src);
  for (std::size_t i = 0; i < kPairs.src.size(); ++i)
    EXPECT_EQ(translations[i].text(), kPairs.tgt[i]);
}

TEST_F(TranslationRun, ResumedInTheMiddleOfAnEpochIsTheSameRun) {
  options_.max_steps = 12;
  options_.accumulate = 2;
  const TranslationSetting setting{.batch_tokens = 20, .seed = 1, .dropout = 0.1f};
  TranslationObjective whole = translation_of(setting);
  ASSERT_GT(whole.batches(0), 2) << "epochs must be longer than a step";
  train("whole", whole);
  TranslationObjective first = translation_of(setting), second = translation_of(setting);
  train("parts", first, false, 7);
  train("parts", second, true);
  for (const char* const file : {"checkpoints/step-00000012.safetensors", "model.safetensors"})
    EXPECT_EQ(read(path("parts") / file), read(path("whole") / file)) << file;
}

TEST_F(TranslationRun, GivesTheSameBytesWithOneThreadOrTwo) {
  options_.max_steps = 5;
  for (const int count : {1, 2}) {
    const ScopedThreads scope(count);
    TranslationObjective objective = translation_of({.seed = 1, .dropout = 0.1f});
    train(std::to_string(count), objective);
  }
  EXPECT_EQ(read(path("1") / "model.safetensors"), read(path("2") / "model.safetensors"));
}

}  // namespace
}  // namespace attend
