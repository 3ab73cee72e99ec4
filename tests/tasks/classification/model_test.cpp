#include "attend/tasks/classification/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "attend/error.h"
#include "attend/tasks/translation/model.h"
#include "checkpoint/test_folder.h"
#include "ops/operands.h"
#include "tasks/small_classifier.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class ClassificationModelFile : public FolderTest {};

TEST_F(ClassificationModelFile, BringsBackTheSameModel) {
  for (const Pooling pooling : {Pooling::max, Pooling::mean, Pooling::first}) {
    save_checkpoint(path("model"), small_classifier_checkpoint(pooling));
    const ClassificationModel before = small_classifier(pooling),
                              after = load_classification_model(path("model"));
    EXPECT_EQ(after.labels, before.labels);
    EXPECT_EQ(after.tokenizer.bytes(), before.tokenizer.bytes());
    EXPECT_EQ(after.length.max_length, 20);
    EXPECT_EQ(after.length.truncation, Truncation::left);
    EXPECT_EQ(after.ids("a good film"), before.ids("a good film"));
    RaggedBuilder builder;
    for (const std::string& text : kFilms.texts) builder.add(before.ids(text));
    const Ragged texts = builder.build();
    EXPECT_TRUE(same_bits(class_scores(after, texts), class_scores(before, texts)));
  }
}

TEST_F(ClassificationModelFile, PutsAMarkInFrontOnlyWhereTheFirstTokenCounts) {
  const ClassificationModel first = small_classifier(Pooling::first),
                            max = small_classifier(Pooling::max);
  EXPECT_EQ(first.ids("film").front(), first.tokenizer.bos_id());
  EXPECT_NE(max.ids("film").front(), max.tokenizer.bos_id());
  EXPECT_EQ(max.ids("film").back(), max.tokenizer.eos_id());
}

TEST_F(ClassificationModelFile, IsRefusedWhenItIsForSomethingElse) {
  Checkpoint checkpoint = small_classifier_checkpoint();
  checkpoint.source = "film.safetensors";
  expect_error<DataError>([&] { translation_model(checkpoint); },
                          {"film.safetensors", "for translation", "for classification"});
  checkpoint.metadata["attend.task"] = "translation";
  expect_error<DataError>([&] { classification_model(checkpoint); },
                          {"film.safetensors", "for classification", "for translation"});
}

TEST_F(ClassificationModelFile, IsRefusedWhenSomethingIsMissingOrWrong) {
  const auto refuse = [](const char* key, const std::string& value, const std::string& message) {
    Checkpoint checkpoint = small_classifier_checkpoint();
    checkpoint.source = "film.safetensors";
    checkpoint.metadata[key] = value;
    expect_error<DataError>([&] { classification_model(checkpoint); },
                            {"film.safetensors", message});
  };
  refuse("attend.labels", "[\"good\"]", "attend.labels: expected a list of two or more");
  refuse("attend.labels", "[1, 2]", "attend.labels");
  refuse("attend.labels", "no", "attend.labels");
  refuse("attend.labels", "[\"a\", \"b\"]", "output");  // of another shape
  refuse("attend.labels", "[\"a\", \"b\", \"a\"]", "expected every class once, got 'a' twice");
  refuse("attend.labels", "[\"a\", \"\", \"b\"]",
         "expected names without tabs and line ends, got ''");
  refuse("attend.labels", "[\"a\", \" \", \"b\"]", "got ' '");
  refuse("attend.labels", "[\"a\", \"b\\tc\", \"d\"]", "got 'b\\tc'");
  refuse("attend.labels", "[\"a\", \"b\\nc\", \"d\"]", "got 'b\\nc'");
  refuse("attend.text", "{\"max_length\": 1}", "max_length");
  refuse("attend.config", "{\"n_encoder_layers\": 1000000}", "layers");
  refuse("attend.config", "{\"pooling\": \"min\"}", "pooling");
}

TEST_F(ClassificationModelFile, SaysWhatATextGetsAndWhetherItIsAPair) {
  for (const ProblemType problem : {ProblemType::multi_label, ProblemType::regression}) {
    const ClassificationModel before = small_classifier_for(problem, true);
    Checkpoint checkpoint = finished_checkpoint_of(before);
    save_checkpoint(path("model"), checkpoint);
    const ClassificationModel after = load_classification_model(path("model"));
    EXPECT_EQ(after.problem_type(), problem);
    EXPECT_TRUE(after.pairs);
    EXPECT_EQ(after.labels, before.labels);
    EXPECT_EQ(after.ids("a good film\tso good"), before.ids("a good film\tso good"));
    const Ragged texts = Ragged::one(before.ids("a good film\tso good"));
    EXPECT_TRUE(same_bits(class_scores(after, texts), class_scores(before, texts)));
  }
  EXPECT_FALSE(small_classifier_checkpoint().metadata.contains("attend.pairs"));
}

TEST_F(ClassificationModelFile, GivesTheSecondTextTheSecondType) {
  const ClassificationModel model = small_classifier_for(ProblemType::regression, true, 2);
  const std::vector<std::int32_t> ids = model.ids("good\tbad");
  const auto end = std::find(ids.begin(), ids.end(), model.tokenizer.eos_id());
  std::vector<std::int32_t> types(ids.size(), 0);
  std::fill(types.begin() + (end - ids.begin()) + 1, types.end(), 1);
  Pass pass = Pass::inference();
  const Ragged texts = Ragged::one(ids);
  const Tensor found = model.logits(texts, pass).value();
  EXPECT_TRUE(same_bits(found, model.network->forward(texts, pass, types).value()));
  EXPECT_FALSE(same_bits(found, model.network->forward(texts, pass).value()));
  EXPECT_TRUE(same_bits(model.features(texts, pass).value(),
                        model.network->features(texts, pass, types).value()));
  EXPECT_THROW(model.network->forward(texts, pass, {0, 1}), ShapeError);
}

TEST_F(ClassificationModelFile, TakesPairsWithOneTab) {
  const ClassificationModel model = small_classifier_for(ProblemType::regression, true);
  for (const auto& [text, found] : {std::pair{"good", "0 tabs"}, {"a\tb\tc", "2 tabs"}})
    expect_error<DataError>([&] { model.ids(text); },
                            {"expected a pair of texts with a tab between", found});
}

}  // namespace
}  // namespace attend
