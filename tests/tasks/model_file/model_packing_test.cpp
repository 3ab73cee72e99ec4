// Models of every kind whose file is used in place compute the same, to the bit.
#include "attend/tasks/model_file/model_packing.h"

#include <fmt/format.h>

#include "attend/checkpoint/average.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/explanation/attention_change.h"
#include "attend/tasks/loaded_model.h"
#include "attend/tasks/model_file/adapter.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/model_file/registry.h"
#include "backend/guarded_device.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_adapter.h"
#include "tasks/small_classifier.h"
#include "tasks/small_embedder.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"
#include "tasks/small_quality.h"
#include "tasks/small_tagger.h"

namespace attend {
namespace {

class ModelPacking : public FolderTest {
 protected:
  static std::vector<std::vector<float>> outputs(const SavedModel& model) {
    Random random({5, 1});
    std::vector<GoldenInput> inputs;
    for (int i = 0; i < 4; ++i) inputs.push_back(model.random_input(random));
    return model.golden_outputs(inputs);
  }
  std::filesystem::path saved(const std::string& name, const Checkpoint& model) const {
    save_checkpoint(path(name), model);
    return path(name);
  }
  static int in_place(const SavedModel& model) {
    int count = 0;
    for (const ParameterSet::Entry& entry : model.parameters().entries())
      count += entry.shared() ? 1 : 0;
    return count;
  }
};

Checkpoint recurrent() {
  TranslationModel model = small_model();
  RecurrentConfig config;
  config.d_model = 16;
  config.d_hidden = 24;
  config.src_vocab_size = model.src_tokenizer.vocab_size();
  config.tgt_vocab_size = model.tgt_tokenizer.vocab_size();
  model.network = make_encoder_decoder(config, 7);
  return finished_checkpoint_of(model);
}

TEST_F(ModelPacking, KeepsEveryBitOfWhatModelsOfAllKindsCompute) {
  for (const Checkpoint& model :
       {finished_checkpoint_of(small_model()), recurrent(), small_classifier_checkpoint(),
        finished_checkpoint_of(small_language_model()), finished_checkpoint_of(small_embedder()),
        finished_checkpoint_of(small_tagger()), finished_checkpoint_of(small_quality_model())}) {
    for (const Checkpoint& stored :
         {model, quantize_model(model, WeightBits::sixteen), quantize_model(model),
          quantize_model(model, WeightBits::four)}) {
      SCOPED_TRACE(fmt::format("{} in {} bits", model.text("attend.task"), weight_bits(stored)));
      const auto packed = load_model(saved("packed", optimize_model(stored)));
      EXPECT_EQ(outputs(*packed), outputs(*load_model(stored)));
      EXPECT_GT(in_place(*packed), 0);
      const auto check = read_checkpoint(
          path("packed"), [](const Checkpoint& checkpoint) { return check_model(checkpoint); });
      ASSERT_TRUE(check.has_value());
      EXPECT_EQ(check->deviation, 0.0);
    }
  }
}

TEST_F(ModelPacking, GivesTheSameFileOfAPackedModel) {
  const Checkpoint packed = optimize_model(finished_checkpoint_of(small_model()));
  saved("packed", packed);
  saved("again", optimize_model(load_checkpoint(path("packed"))));
  EXPECT_EQ(read(path("again")), read(path("packed")));
}

TEST_F(ModelPacking, LeavesTheModelToOthersAsItWas) {
  const Checkpoint model = finished_checkpoint_of(small_model());
  saved("packed", optimize_model(model));
  saved("rows", model);
  saved("loaded", load_checkpoint(path("packed")));
  EXPECT_EQ(read(path("loaded")), read(path("rows")));
  for (const WeightBits bits : {WeightBits::sixteen, WeightBits::eight, WeightBits::four}) {
    saved("a", quantize_model(model, bits));
    saved("b", quantize_model(load_checkpoint(path("packed")), bits));
    EXPECT_EQ(read(path("a")), read(path("b")));
  }
  saved("a", average_checkpoints(std::vector{path("rows"), path("rows")}));
  saved("b", average_checkpoints(std::vector{path("rows"), path("packed")}));
  EXPECT_EQ(read(path("a")), read(path("b")));
}

TEST_F(ModelPacking, TakesAdaptersAndChangesOfAttention) {
  const Checkpoint model = finished_checkpoint_of(small_model());
  const Checkpoint adapter = small_adapter(model, {"encoder.layers.0.self_attn.q_proj.weight"});
  const auto base = LoadedModel::load(saved("packed", optimize_model(model)));
  EXPECT_EQ(outputs(*base->with_adapter(adapter)->model()),
            outputs(*load_model(merge_adapter(model, adapter))));
  const AttentionChangeOptions off{{"encoder.layers.0.self_attn:1"}, {}};
  save_checkpoint(path("rows"), model);
  EXPECT_EQ(outputs(*load_model(path("packed"), off)), outputs(*load_model(path("rows"), off)));
  EXPECT_NE(outputs(*load_model(path("packed"), off)), outputs(*load_model(model)));
}

TEST_F(ModelPacking, IsCopiedToDevicesThatHaveTheirOwnMemory) {
  for (const Checkpoint& stored : {finished_checkpoint_of(small_model()),
                                   quantize_model(finished_checkpoint_of(small_model()))}) {
    saved("packed", optimize_model(stored));
    const auto expected = outputs(*load_model(stored));
    const RuntimeScope device({.device = guarded_device()});
    EXPECT_EQ(outputs(*load_model(path("packed"))), expected);
    EXPECT_EQ(outputs(*load_model(load_checkpoint(path("packed")))), expected);
  }
}

}  // namespace
}  // namespace attend
