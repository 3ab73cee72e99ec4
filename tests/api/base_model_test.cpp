#include "attend/base_model.h"

#include "api/small_models.h"
#include "attend/error.h"
#include "tasks/small_adapter.h"

namespace attend {
namespace {

class BaseModelTest : public ApiTest {
 protected:
  // The run "base", and adapters of it: "first", and "second" with a head for other labels.
  void make_adapters() {
    train(classification_job("base", 3));
    const Checkpoint base = load_checkpoint(path("base"));
    const std::string weight = "encoder.layers.0.self_attn.v_proj.weight";
    save_checkpoint(path("first"), small_adapter(base, {weight}, {}, 1));
    Checkpoint second = small_adapter(base, {weight}, {"output.weight"}, 2);
    second.metadata["attend.labels"] = R"(["no","yes"])";
    save_checkpoint(path("second"), second);
  }
  const std::vector<std::string> texts_{"the old dog sleeps", "fish and more bread"};
};

TEST_F(BaseModelTest, GivesAModelForEveryAdapter) {
  make_adapters();
  const auto base = BaseModel::load(path("base"));
  const Classifier plain = base.classifier(), first = base.classifier(path("first")),
                   second = base.classifier(path("second"));
  EXPECT_EQ(plain.classify(texts_)[0].probabilities,
            Classifier::load(path("base")).classify(texts_)[0].probabilities);
  EXPECT_EQ(first.labels(), plain.labels());
  EXPECT_EQ(second.labels(), (std::vector<std::string>{"no", "yes"}));
  EXPECT_NE(first.classify(texts_)[0].probabilities, plain.classify(texts_)[0].probabilities);
  EXPECT_NE(first.classify(texts_)[0].probabilities, second.classify(texts_)[0].probabilities);
  EXPECT_NE(base.embedder(path("first")).embed(texts_)[0].values,
            base.embedder().embed(texts_)[0].values);
}

TEST_F(BaseModelTest, RefusesAnotherKindOfModel) {
  make_adapters();
  const auto base = BaseModel::load(path("base"));
  EXPECT_THROW(base.translator(path("first")), DataError);
  EXPECT_THROW(base.generator(), DataError);
  EXPECT_THROW(base.tagger(), DataError);
  EXPECT_THROW(base.classifier(path("base")), DataError) << "no adapter";
  EXPECT_THROW(base.classifier(path("nothing")), IoError);
  EXPECT_THROW(BaseModel::load(path("first")), DataError) << "an adapter";
}

TEST_F(BaseModelTest, NamesItsTaskAsATrainingDoes) {
  for (const TrainingJob& job : {translation_job("a", 1), language_job("b", 1),
                                 classification_job("c", 1), tagging_job("d", 1)})
    EXPECT_EQ(BaseModel::load(train(job).model).task(), job.task);
}

TEST_F(BaseModelTest, TakesModelsOfOtherTasks) {
  train(translation_job("translator", 2));
  train(language_job("generator", 2));
  const std::vector<std::string> source{"the dog sleeps"};
  EXPECT_EQ(BaseModel::load(path("translator")).translator().translate(source)[0].text(),
            Translator::load(path("translator")).translate(source)[0].text());
  EXPECT_EQ(BaseModel::load(path("generator")).generator().tokenizer().vocab_size(),
            Generator::load(path("generator")).tokenizer().vocab_size());
}

}  // namespace
}  // namespace attend
