// Every option of training, alone: what it changes in the steps, the validations, the model and the
// files, and that it changes nothing else. Taggers have a file of their own.
#include "cli/commands/training_option_effects.h"
#include "cli/commands/training_option_cases.h"

namespace attend {
namespace {

// ---- translation
const std::string kTwoCorpora = "--src-train @other_train.en --tgt-train @other_train.de";
const Cases kTranslationData{
    {"src-train", "@other_train.en", "", kPlan + "tokenizer config? text_kind?"},
    {"tgt-train", "@other_train.de", "", kPlan + "tokenizer config? text_kind?"},
    {"src-language", "fr", "", "text_kind"},
    {"tgt-language", "fr", "", "text_kind"},
    {"src-valid", "@other_valid.en", "", "validation score? parameters? state?"},
    {"tgt-valid", "@other_valid.de", "", "validation score? parameters? state?"},
    {"max-length", "36", "", kPlan},
    {"context", "1", "", kPlan + "pair_format"},
    {"inline-terms", "@terms.tsv", "--inline-share 1", kPlan + "pair_format"},
    {"inline-share", "1", "--inline-terms @terms.tsv", kPlan},
    {"over-long", "truncate", "--max-length 36", kPlan},
    {"source-noise", "1", "", kPlan},
    {"batch-tokens", "80", "", kPlan},
    {"mix-weights", "1 4", kTwoCorpora, kPlan},
    {"mix-temperature", "3", kTwoCorpora + " --mix-weights 1 4", kPlan},
};
const Cases kTranslationVocabulary{
    {"joint-vocabulary", "no", "--tie-embeddings target", kVocabulary},
    {"bpe-dropout", "0.4", "", kPlan},
};
const Cases kTranslationModel{
    {"layer-groups", "1", "--n-encoder-layers 2 --n-decoder-layers 2", kModel},
    {"arch", "rnn", "", kModel + "arch"},
    {"n-encoder-layers", "2", "", kModel},
    {"n-decoder-layers", "2", "", kModel},
    {"norm-first", "yes", "", kModel},
    {"tie-embeddings", "none", "", kModel},
    {"output-bias", "yes", "", kModel},
    {"decoder-autoreg", "ssru", "", kModel},
    {"decoder-d-model", "24", "--tie-embeddings target", kModel},
    {"decoder-n-heads", "4", "", kModel},
    {"decoder-n-key-heads", "1", "", kModel},
    {"decoder-d-ff", "12", "", kModel},
    {"decoder-attention-window", "2", "--attention-window 3", kModel},
    {"decoder-attention-layers", "global", "--attention-window 3", kModel},
    {"logit-cap", "0.5", "", kModel},
    {"output-scale", "0.5", "", kModel},
    {"tie-embeddings", "inputs", "", kModel},
    {"d-hidden", "12", "--arch rnn", kModel},
    {"d-attention", "12", "--arch rnn", kModel},
    {"d-hidden", "12", "", ""},
    {"dropout", "0.4", "--arch rnn", kModel},
    {"attention-scores", "dot", "--arch rnn", kModel},
    {"attention-choice", "hard", "--arch rnn", kModel},
    {"inverse-temperature", "2", "--arch rnn", kModel},
    {"tie-embeddings", "none", "--arch rnn", kModel},
    {"output-bias", "yes", "--arch rnn", kModel},
    {"logit-cap", "0.5", "--arch rnn", kModel},
};
const std::string kFluent =
    "--max-steps 60 --learning-rate 0.03 --valid-every 10 --save-every 0 --batch-tokens 300 "
    "--dropout 0";
const Cases kTranslationLoss{
    {"label-smoothing", "0.4", "", kLearning},
    {"label-smoothing", "0.4", "--r-drop 2", kLearning},
    {"r-drop", "2", "", kLearning},
    {"r-drop-after", "1", "--r-drop 2 --batch-tokens 600", kLearning},
    {"r-drop-after", "1", "", ""},
    {"guided-alignment", "0.5", "", kLearning + " alignment_layer"},
    {"valid-beam-size", "4", kFluent, "score parameters? state?"},
    {"beam-size", "3", "", "decoding"},
    {"length-penalty", "0", "", "decoding"},
    {"length-penalty", "4", kFluent + " --valid-beam-size 4", "decoding score parameters? state?"},
};
const std::string kOldText = "--src-replay @other_train.en --tgt-replay @other_train.de",
                  kOldValid =
                      "--src-replay-valid @other_valid.en --tgt-replay-valid @other_valid.de";
const Cases kTranslationReplay{
    {"src-replay", "@train.en", kOldText, kPlan},
    {"tgt-replay", "@train.de", kOldText, kPlan},
    {"replay-weight", "2", kOldText, kPlan},
    {"src-replay-valid", "@valid.en", kOldValid, "score"},
    {"tgt-replay-valid", "@valid.de", kOldValid, "score"},
};

TEST_F(TrainingOptionEffects, OfTranslationInTheRun) { expect_cases(translation(), kRun); }
TEST_F(TrainingOptionEffects, OfTranslationInTheData) {
  expect_cases(translation(), kTranslationData);
}
TEST_F(TrainingOptionEffects, OfTranslationInTheVocabulary) {
  expect_cases(translation(), kVocabularyOptions);
}
TEST_F(TrainingOptionEffects, OfTranslationInTwoVocabularies) {
  expect_cases(translation(), kTranslationVocabulary);
}
TEST_F(TrainingOptionEffects, OfTranslationInTheStacks) { expect_cases(translation(), kStack); }
TEST_F(TrainingOptionEffects, OfTranslationInTheModel) {
  expect_cases(translation(), kTranslationModel);
}
TEST_F(TrainingOptionEffects, OfTranslationInTheLoss) {
  expect_cases(translation(), kTranslationLoss);
}
TEST_F(TrainingOptionEffects, OfTranslationInTheReplay) {
  expect_cases(translation(), kTranslationReplay);
}
TEST_F(TrainingOptionEffects, OfTranslationInTheTraining) {
  expect_cases(translation(), kTraining);
}
TEST_F(TrainingOptionEffects, OfTranslationThatAreOfTheRunItself) {
  expect_run_options("translation", translation());
}
TEST_F(TrainingOptionEffects, OfTranslationAreAllTested) {
  std::set<std::string> by_hand = kByHand;
  by_hand.insert({"src-lang", "tgt-lang", "distill-weight", "prepared", "soft-targets"});
  expect_a_case_for_every_option(
      "train translation",
      {kRun, kTranslationData, kVocabularyOptions, kTranslationVocabulary, kStack,
       kTranslationModel, kTranslationLoss, kTranslationReplay, kTraining},
      by_hand);
}

// ---- language models
const std::string kTwoTexts = "--train @other_train.en";
const std::string kOtherWindows = kLearning + "batches?";
const Cases kLanguageData{
    {"train", "@other_train.en", "", kLearning + "batches? tokenizer config? text_kind?"},
    {"language", "fr", "", "text_kind"},
    {"valid", "@other_valid.en", "", "validation score? parameters? state?"},
    {"sequence-length", "9", "", kPlan + "context"},
    {"batch-tokens", "80", "", kLearning + "batches validation?"},
    {"mix-weights", "1 4", kTwoTexts, kOtherWindows},
    {"mix-temperature", "3", kTwoTexts + " --mix-weights 1 4", kOtherWindows},
};
const Cases kLanguageModel{
    {"rotary-long-factors", "3", kForEachPair + " --rotary-original-length 2", kModel},
    {"layer-groups", "1", "--n-layers 2", kModel},
    {"n-layers", "2", "", kModel},
    {"norm-first", "no", "", kModel},
    {"tied", "no", "", kModel},
    {"embedding-width", "8", "", kModel},
    {"previous-tokens", "2", "", kModel},
    {"output-dropout", "0.4", "", kModel},
    {"output-dropout", "0.4", "--output-sample 60", kModel},
    {"logit-cap", "0.5", "", kModel},
    {"output-scale", "0.5", "", kModel},
    {"output-bias", "yes", "", kModel},
};
const Cases kLanguageLoss{
    {"label-smoothing", "0.4", "", kLearning},
    {"output-sample", "60", "", kLearning},
    {"seed", "2", "--output-sample 60", kLearning},
    {"cache-tokens", "50", "", "cache"},
    {"cache-weight", "0.3", "--cache-tokens 50", "cache"},
    {"cache-beta", "2", "--cache-tokens 50", "cache"},
};

const Cases kLanguageReplay{
    {"replay", "@train.en", "--replay @other_train.en", kOtherWindows},
    {"replay-weight", "2", "--replay @other_train.en", kOtherWindows},
    {"replay-valid", "@valid.en", "--replay-valid @other_valid.en", "score"},
};

TEST_F(TrainingOptionEffects, OfLanguageModelsInTheRun) { expect_cases(language(), kRun); }
TEST_F(TrainingOptionEffects, OfLanguageModelsInTheData) {
  expect_cases(language(), kLanguageData);
}
TEST_F(TrainingOptionEffects, OfLanguageModelsInTheVocabulary) {
  expect_cases(language(), kVocabularyOptions);
}
TEST_F(TrainingOptionEffects, OfLanguageModelsInTheStack) { expect_cases(language(), kStack); }
TEST_F(TrainingOptionEffects, OfLanguageModelsInTheModel) {
  expect_cases(language(), kLanguageModel);
}
TEST_F(TrainingOptionEffects, OfLanguageModelsInTheLoss) {
  expect_cases(language(), kLanguageLoss);
}
TEST_F(TrainingOptionEffects, OfLanguageModelsInTheReplay) {
  expect_cases(language(), kLanguageReplay);
}
TEST_F(TrainingOptionEffects, OfLanguageModelsInTheTraining) {
  expect_cases(language(), kTraining);
}
TEST_F(TrainingOptionEffects, OfLanguageModelsThatAreOfTheRunItself) {
  expect_run_options("lm", language());
}
TEST_F(TrainingOptionEffects, OfLanguageModelsAreAllTested) {
  std::set<std::string> by_hand = kByHand;
  by_hand.insert({"prepared", "distill-weight", "documents", "document-end"});
  expect_a_case_for_every_option("train lm",
                                 {kRun, kLanguageData, kVocabularyOptions, kStack, kLanguageModel,
                                  kLanguageLoss, kLanguageReplay, kTraining},
                                 by_hand);
}

// ---- classifiers
const Cases kClassificationData{
    {"train", "@other_train.tsv", "", kPlan + "tokenizer config? text_kind?"},
    {"valid", "@other_valid.tsv", "", "validation score? parameters? state?"},
    {"label-column", "3", "", kLearning + "labels"},
    {"text-column", "3", "--tokenizer word --vocab-size 6", kVocabulary + "batches"},
    {"header", "yes", "", kPlan + "tokenizer? text_kind?"},
    {"language", "fr", "", "text_kind"},
    {"table", "tsv", "--train @both.csv", kVocabulary + "labels"},
    {"best-by", "loss", "", "state score? parameters?"},
    {"best-by", "macro_f1", "", "state score? parameters?"},
    {"second-column", "3", "", kPlan + "tokenizer? text_kind? pairs"},
    {"label-separator", "|", "--train @several.tsv --valid @several.tsv --problem-type multi_label",
     kLearning + "labels"},
    {"max-length", "8", "", kPlan + "text"},
    {"truncation", "left", "--max-length 8", kLearning + "text"},
    {"batch-tokens", "80", "", kPlan},
};
const Cases kClassificationModel{
    {"rotary-long-factors", "3", kForEachPair + " --rotary-original-length 2", kModel},
    {"layer-groups", "1", "--n-encoder-layers 2", kModel},
    {"n-encoder-layers", "2", "", kModel},
    {"norm-first", "yes", "", kModel},
    {"pooling", "mean", "", kModel},
    {"output-dropout", "0.4", "", kModel},
    {"head", "tanh", "", kModel},
    {"head-bias", "no", "--head tanh", kModel},
    {"head-bias", "no", "", "config"},
    {"head-norm", "yes", "--head tanh", kModel},
    {"token-types", "2", "", kModel},
    {"embedding-width", "8", "", kModel},
    {"causal", "yes", "", kModel + "parameters?"},
    {"distance-biases", "disentangled", "", kModel},
    {"uncounted-token", "5", "--positions learned", kModel},
    {"bigram-buckets", "50", "", kModel},
    {"embedding-deviation", "0.1", "", kModel},
    {"bos", "yes", "", kModel + "batches"},
    {"problem-type", "multi_label", "--train @several.tsv --valid @several.tsv",
     kModel + "labels score tensorboard"},
    {"separators", "2", "--second-column 3", kModel + "batches"},
};
const Cases kClassificationLoss{
    {"label-smoothing", "0.4", "", kLearning},
    {"label-smoothing", "0.4", "--r-drop 2", kLearning},
    {"r-drop", "2", "", kLearning},
    {"word-dropout", "0.4", "", kLearning},
    {"word-dropout", "0.4", "--r-drop 2", kLearning},
    {"class-weights", "the=3", "", kLearning},
    {"class-weights", "balanced", "", kLearning},
};

const Cases kClassificationReplay{
    {"replay", "@train.tsv", "--replay @other_train.tsv", kLearning + "batches?"},
    {"replay-weight", "2", "--replay @other_train.tsv", kLearning + "batches?"},
    {"replay-valid", "@valid.tsv", "--replay-valid @other_valid.tsv", "score"},
};

TEST_F(TrainingOptionEffects, OfClassifiersInTheRun) { expect_cases(classification(), kRun); }
TEST_F(TrainingOptionEffects, OfClassifiersInTheData) {
  expect_cases(classification(), kClassificationData);
}
TEST_F(TrainingOptionEffects, OfClassifiersInTheVocabulary) {
  expect_cases(classification(), kVocabularyOptions);
}
TEST_F(TrainingOptionEffects, OfClassifiersInTheStack) { expect_cases(classification(), kStack); }
TEST_F(TrainingOptionEffects, OfClassifiersInTheModel) {
  expect_cases(classification(), kClassificationModel);
}
TEST_F(TrainingOptionEffects, OfClassifiersInTheLoss) {
  expect_cases(classification(), kClassificationLoss);
}
TEST_F(TrainingOptionEffects, OfClassifiersInTheReplay) {
  expect_cases(classification(), kClassificationReplay);
}
TEST_F(TrainingOptionEffects, OfClassifiersInTheTraining) {
  expect_cases(classification(), kTraining);
}
TEST_F(TrainingOptionEffects, OfClassifiersThatAreOfTheRunItself) {
  expect_run_options("classification", classification());
}
TEST_F(TrainingOptionEffects, OfClassifiersAreAllTested) {
  std::set<std::string> by_hand = kByHand;
  by_hand.insert({"distill-weight", "soft-labels", "margins"});
  expect_a_case_for_every_option(
      "train classification",
      {kRun, kClassificationData, kVocabularyOptions, kStack, kClassificationModel,
       kClassificationLoss, kClassificationReplay, kTraining},
      by_hand);
}

// ---- embedders
const std::string kOfTexts = kPlan + "tokenizer? config? text_kind? ";
const std::string kLabels = "--texts labeled --train @train.tsv --valid @valid.tsv";
const Cases kEmbeddingData{
    {"train", "@other_pairs.tsv", "", kPlan + "tokenizer config? text_kind?"},
    {"valid", "@other_valid_pairs.tsv", "", "validation score? parameters? state?"},
    {"valid-scored", "@scored.tsv", "", "score tensorboard"},
    {"best-by", "loss", "", "state score? parameters?"},
    {"best-by", "mrr", "", "state score? parameters?"},
    {"best-by", "spearman", "--valid-scored @scored.tsv", "state score? parameters?"},
    {"texts", "labeled", "--train @train.tsv --valid @valid.tsv", kOfTexts},
    {"texts", "triplets", "", kOfTexts},
    {"anchor-column", "4", "", kOfTexts},
    {"positive-column", "3", "", kOfTexts},
    {"negative-column", "4", "--texts triplets", kOfTexts},
    {"score-column", "4", "--valid-scored @scored.tsv", "score tensorboard?"},
    {"label-column", "3", kLabels, kLearning + "batches?"},
    {"text-column", "4", kLabels, kOfTexts},
    {"header", "yes", "", kOfTexts},
    {"language", "fr", "", "text_kind"},
    {"table", "tsv", "--train @both.csv", kOfTexts},
    {"max-length", "8", "", kPlan + "text"},
    {"truncation", "left", "--max-length 8", kLearning + "text"},
    {"batch-tokens", "300", "", kPlan},
};
const Cases kEmbeddingModel{
    {"rotary-long-factors", "3", kForEachPair + " --rotary-original-length 2", kModel},
    {"layer-groups", "1", "--n-encoder-layers 2", kModel},
    {"n-encoder-layers", "2", "", kModel},
    {"norm-first", "yes", "", kModel},
    {"pooling", "max", "", kModel},
    {"more-pooling", "max last", "", kModel},
    {"dense-width", "12", "", kModel},
    {"second-dense-width", "6", "--dense-width 12", kModel},
    {"dense-activation", "relu", "--dense-width 12", kModel},
    {"dense-activation", "relu", "", "config"},
    {"dense-bias", "no", "--dense-width 12", kModel},
    {"dense-bias", "no", "", "config"},
    {"normalize", "no", "", "config losses? norms? validation? parameters? state? score?"},
    {"token-types", "2", "", kModel},
    {"embedding-width", "8", "", kModel},
    {"causal", "yes", "", kModel + "parameters?"},
    {"distance-biases", "disentangled", "", kModel},
    {"uncounted-token", "5", "--positions learned", kModel},
    {"bigram-buckets", "50", "", kModel},
    {"embedding-deviation", "0.1", "", kModel},
};
const Cases kEmbeddingLoss{
    {"temperature", "0.5", "", kLearning},
    {"symmetric", "yes", "", kLearning},
    {"matryoshka", "8 4", "", kLearning},
};

TEST_F(TrainingOptionEffects, OfEmbeddersInTheRun) { expect_cases(embedding(), kRun); }
TEST_F(TrainingOptionEffects, OfEmbeddersInTheData) { expect_cases(embedding(), kEmbeddingData); }
TEST_F(TrainingOptionEffects, OfEmbeddersInTheVocabulary) {
  expect_cases(embedding(), kVocabularyOptions);
}
TEST_F(TrainingOptionEffects, OfEmbeddersInTheStack) { expect_cases(embedding(), kStack); }
TEST_F(TrainingOptionEffects, OfEmbeddersInTheModel) { expect_cases(embedding(), kEmbeddingModel); }
TEST_F(TrainingOptionEffects, OfEmbeddersInTheLoss) { expect_cases(embedding(), kEmbeddingLoss); }
TEST_F(TrainingOptionEffects, OfEmbeddersInTheTraining) { expect_cases(embedding(), kTraining); }
TEST_F(TrainingOptionEffects, OfEmbeddersThatAreOfTheRunItself) {
  expect_run_options("embedding", embedding());
}
TEST_F(TrainingOptionEffects, OfEmbeddersAreAllTested) {
  std::set<std::string> by_hand = kByHand;
  by_hand.insert({"vectors", "vector-loss"});
  expect_a_case_for_every_option("train embedding",
                                 {kRun, kEmbeddingData, kVocabularyOptions, kStack, kEmbeddingModel,
                                  kEmbeddingLoss, kTraining},
                                 by_hand);
}

}  // namespace
}  // namespace attend
