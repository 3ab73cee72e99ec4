// Every option of training a tagger, alone: see training_option_effects_test.cpp.
#include "cli/commands/training_option_cases.h"
#include "cli/commands/training_option_effects.h"

namespace attend {
namespace {

const Cases kTaggingData{
    {"train", "@other_train.conll", "", kPlan + "tokenizer config? text_kind?"},
    {"valid", "@other_valid.conll", "", "validation score? parameters? state?"},
    {"language", "fr", "", "text_kind"},
    {"best-by", "loss", "", "state score? parameters?"},
    {"best-by", "accuracy", "", "state? score? parameters?"},
    {"max-length", "8", "", kPlan + "text"},
    {"batch-tokens", "80", "", kPlan},
};
const Cases kTaggingTables{
    {"label-column", "3", "", kLearning + "labels"},
    {"text-column", "4", "", kLearning + "batches? tokenizer? text_kind?"},
    {"header", "yes", "", kPlan + "tokenizer? text_kind?"},
};
const Cases kTaggingFormat{
    {"table", "tsv", "", kPlan + "labels units tokenizer? config? text_kind? score? tensorboard"}};
const Cases kTaggingModel{
    {"n-encoder-layers", "2", "", kModel},
    {"norm-first", "yes", "", kModel},
    {"output-dropout", "0.4", "", kModel},
    {"head", "gelu", "", kModel},
    {"head-bias", "no", "--head gelu", kModel},
    {"head-bias", "no", "", "config"},
    {"head-norm", "yes", "--head gelu", kModel},
    {"token-types", "2", "", kModel},
    {"embedding-width", "8", "", kModel},
    {"causal", "yes", "", kModel + "parameters?"},
    {"uncounted-token", "5", "--positions learned", kModel},
    {"bigram-buckets", "50", "", kModel},
    {"embedding-deviation", "0.1", "", kModel},
    {"bos", "no", "", kModel + "batches"},
};
const Cases kTaggingLoss{{"label-smoothing", "0.4", "", kLearning}};

TEST_F(TrainingOptionEffects, OfTaggersInTheRun) { expect_cases(tagging(), kRun); }
TEST_F(TrainingOptionEffects, OfTaggersInTheData) { expect_cases(tagging(), kTaggingData); }
TEST_F(TrainingOptionEffects, OfTaggersInTables) {
  expect_cases(tagging_in("--table tsv --train @train.tagged --valid @valid.tagged"),
               kTaggingTables);
  expect_cases(tagging_in("--train @train.tagged --valid @train.tagged --tokenizer chars"),
               kTaggingFormat);
}
TEST_F(TrainingOptionEffects, OfTaggersInTheModel) { expect_cases(tagging(), kTaggingModel); }
TEST_F(TrainingOptionEffects, OfTaggersInTheLoss) { expect_cases(tagging(), kTaggingLoss); }
TEST_F(TrainingOptionEffects, OfTaggersThatAreOfTheRunItself) {
  expect_run_options("tagging", tagging());
}
TEST_F(TrainingOptionEffects, OfTaggersAreAllTested) {
  expect_a_case_for_every_option(
      "train tagging",
      {kRun, kTaggingData, kTaggingTables, kTaggingFormat, kVocabularyOptions, kStack,
       kTaggingModel, kTaggingLoss, kTraining},
      kByHand);
}

}  // namespace
}  // namespace attend
