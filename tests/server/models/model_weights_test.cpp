#include "attend/server/models/model_weights.h"

#include <gtest/gtest.h>

#include "attend/api/views.h"
#include "attend/error.h"
#include "server/served_models.h"

namespace attend {
namespace {

ModelInMemory small_model_in_memory() {
  const BaseModel base =
      BaseModel::load(SmallModels::shared().file("en-de") + "/model.safetensors");
  return {base, std::make_shared<const Explorer>(ModelAccess::loaded(base)), base.translator()};
}

TEST(ModelWeights, AreLoadedAgainWhenTheyAreNeeded) {
  int loads = 0, prepared = 0;
  ModelWeights weights(small_model_in_memory(), [&] {
    ++loads;
    return small_model_in_memory();
  });
  weights.before_loading([&] { ++prepared; });
  EXPECT_TRUE(weights.is_loaded());
  EXPECT_TRUE(weights.can_leave());
  const auto before = weights.last_use();
  weights.get();
  EXPECT_GE(weights.last_use(), before);
  EXPECT_EQ(loads, 0);
  weights.unload();
  EXPECT_FALSE(weights.is_loaded());
  EXPECT_TRUE(std::holds_alternative<Translator>(weights.get().model));
  EXPECT_TRUE(weights.is_loaded());
  weights.get();
  EXPECT_EQ(loads, 1);
  EXPECT_EQ(prepared, 1);
}

TEST(ModelWeights, AreTriedAgainAfterAFailure) {
  bool fails = true;
  ModelWeights weights(small_model_in_memory(), [&]() -> ModelInMemory {
    if (fails) throw DataError("gone");
    return small_model_in_memory();
  });
  weights.unload();
  EXPECT_THROW(weights.get(), DataError);
  EXPECT_FALSE(weights.is_loaded());
  fails = false;
  weights.get();
  EXPECT_TRUE(weights.is_loaded());
  EXPECT_FALSE(ModelWeights(small_model_in_memory(), nullptr).can_leave());
}

}  // namespace
}  // namespace attend
