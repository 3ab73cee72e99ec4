#include "attend/tasks/model_file/model_summary.h"

#include <gtest/gtest.h>

#include "attend/checkpoint/quantization.h"
#include "attend/checkpoint/training_note.h"
#include "tasks/small_classifier.h"
#include "tasks/small_embedder.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"

namespace attend {
namespace {

std::string summary_with_note(const SavedModel& model, const std::string& note) {
  Checkpoint checkpoint = checkpoint_of(model);
  if (!note.empty()) checkpoint.metadata[std::string(kTrainingNote)] = note;
  return model_summary(checkpoint, model);
}

TEST(ModelSummary, SaysWhatATranslatorIs) {
  TranslationModel model = small_model();
  model.text_kinds["src"] = {.language = "en", .lowercased = true, .tokenized = true};
  model.text_kinds["tgt"] = {.language = "de", .lowercased = true, .tokenized = true};
  EXPECT_EQ(summary_with_note(model, "{\"step\":12000,\"loss\":2.5,\"nll\":1.5,\"bleu\":43.21}"),
            "translation (en to de), BPE 60+60, lower-cased tokenized text, step 12000, BLEU 43.2");
}

TEST(ModelSummary, LeavesOutWhatTheFileDoesNotSay) {
  EXPECT_EQ(summary_with_note(small_model(), ""), "translation, BPE 60+60");
  EXPECT_EQ(summary_with_note(small_model(), "no JSON"), "translation, BPE 60+60");
  EXPECT_EQ(summary_with_note(small_model(), "{\"step\":\"many\",\"bleu\":\"good\"}"),
            "translation, BPE 60+60");
}

TEST(ModelSummary, SaysOfALanguageModelItsPerplexity) {
  LanguageModel model = small_language_model();
  model.text_kinds["text"] = {.language = "", .lowercased = false, .tokenized = false};
  const std::string summary = summary_with_note(model, "{\"step\":3,\"nll\":3.0}");
  EXPECT_TRUE(summary.starts_with("language modeling, ")) << summary;
  EXPECT_TRUE(summary.ends_with(", text as it is written, step 3, perplexity 20.09")) << summary;
}

TEST(ModelSummary, SaysOfAClassifierItsAccuracyAndOfHowManyCheckpointsItIsTheMean) {
  const std::string summary = summary_with_note(
      small_classifier(), "{\"step\":3,\"nll\":3.0,\"accuracy\":0.8912,\"averaged\":5}");
  EXPECT_TRUE(summary.ends_with(", step 3 (mean of 5 checkpoints), accuracy 0.891")) << summary;
}

TEST(ModelSummary, SaysOfAnEmbedderHowWellItFinds) {
  const std::string found = summary_with_note(
      small_embedder(), R"({"step":3,"nll":3.0,"recall_at_1":0.5,"ndcg_at_10":0.6401})");
  EXPECT_TRUE(found.ends_with(", step 3, nDCG 0.640")) << found;
  const std::string scored =
      summary_with_note(small_embedder(), R"({"step":3,"nll":0.2,"spearman":0.8})");
  EXPECT_TRUE(scored.ends_with(", Spearman 0.800")) << scored;
}

TEST(ModelSummary, KnowsCheckpointsAndWeightsInEightBits) {
  const TranslationModel model = small_model();
  Checkpoint checkpoint = checkpoint_of(model);
  checkpoint.metadata["state.step"] = "500";
  EXPECT_EQ(model_summary(checkpoint, model), "translation, BPE 60+60, checkpoint of step 500");
  checkpoint.metadata.erase("state.step");
  EXPECT_EQ(model_summary(quantize_checkpoint(checkpoint, model.parameters()), model),
            "translation, BPE 60+60, weights in 8 bits");
  EXPECT_EQ(
      model_summary(quantize_checkpoint(checkpoint, model.parameters(), WeightBits::four), model),
      "translation, BPE 60+60, weights in 4 bits");
}

}  // namespace
}  // namespace attend
