// Validation by decoding: BLEU of the pairs that the loss is of.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "attend/metrics/bleu.h"
#include "attend/optim/adam.h"
#include "tasks/translation/objective_setting.h"
#include "train/validated_together.h"

namespace attend {
namespace {

// What `model` makes of the held-out pairs of `text`.
Validation validation_of(const TranslationModel& model, const ParallelText& text,
                         const LengthOptions& length = {}) {
  const EncodedPairs pairs = encoded(model, text, length);
  const SpecialTokens src = model.src_tokenizer.special_tokens(),
                      tgt = model.tgt_tokenizer.special_tokens();
  TranslationOptions decoding;
  decoding.beam.beam_size = 1;
  TranslationValidation held_out{TranslationBatcher(pairs, {src, tgt}, {30}, std::nullopt),
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
  std::vector<TokenizedSentence> sources;
  for (std::int64_t i = 0; i < pairs.src.sequences(); ++i) {
    sources.push_back({{pairs.src[i].begin(), pairs.src[i].end()}});
    sources.back().ids.push_back(model.src_tokenizer.eos_id());
    ASSERT_LE(sources.back().ids.size(), 4u);
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

// Of any number, more than there are batches, too.
TEST(TranslationObjective, ValidatesTogetherWithTheBitsOfOneProcess) {
  const DecodedValidation validation;
  expect_equal_validations([&] {
    TranslationValidation held_out{batches(validation.model, 30, std::nullopt), kPairs.tgt,
                                   validation.decoding(2, 1.0f)};
    return std::make_unique<TranslationObjective>(validation.model,
                                                  batches(validation.model, 1000, std::nullopt),
                                                  TranslationLoss{}, std::move(held_out));
  });
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

}  // namespace
}  // namespace attend
