#include "attend/inspect/head_importance.h"

#include <gtest/gtest.h>

#include "attend/tasks/translation/scoring.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_classifier.h"
#include "tasks/small_model.h"

namespace attend {
namespace {

class HeadImportance : public FolderTest {
 protected:
  std::shared_ptr<const LoadedModel> base_of(const SavedModel& model) const {
    save_checkpoint(path("base.safetensors"), checkpoint_of(model));
    return LoadedModel::load(path("base.safetensors"));
  }

  static float log_probability(const SavedModel& saved, const GoldenInput& pair) {
    const auto& model = dynamic_cast<const TranslationModel&>(saved);
    return score_pairs(model, model.format.of({}), std::span(&pair[0], 1), std::span(&pair[1], 1))
        .front()
        .log_probability;
  }
};

TEST_F(HeadImportance, IsTheChangeOfTheLogProbabilityWithoutTheHead) {
  const TranslationModel model = small_model();
  const auto base = base_of(model);
  const GoldenInput pair{source_ids(model, "a cat"), model.tgt_tokenizer.encode("eine katze")};
  int done = 0;
  const auto effects = head_effects(*base, pair, 0, [&] { ++done; });
  ASSERT_EQ(effects.size(), 4u * (3 + 2 + 2));
  EXPECT_EQ(done, 28);
  EXPECT_EQ(effects[5].module, "encoder.layers.1.self_attn");
  EXPECT_EQ(effects[5].head, 1);
  for (const HeadEffect& effect : effects) {
    const AttentionChanges off{{{.modules = effect.module, .head = effect.head, .off = true}}};
    EXPECT_FLOAT_EQ(effect.change, log_probability(*base->with_attention(off), pair) -
                                       log_probability(*base->model(), pair));
    EXPECT_NE(effect.change, 0.0f) << effect.module << ":" << effect.head;
  }
}

TEST_F(HeadImportance, OfAClassifierIsThatForOneOfItsClasses) {
  const ClassificationModel model = small_classifier();
  const auto base = base_of(model);
  const GoldenInput text{model.ids("a good film")};
  const auto first = head_effects(*base, text, 0), second = head_effects(*base, text, 1);
  ASSERT_EQ(first.size(), 8u);
  EXPECT_NE(first[0].change, second[0].change);
}

}  // namespace
}  // namespace attend
