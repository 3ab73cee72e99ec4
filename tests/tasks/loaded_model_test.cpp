// Several adapters on one model in memory: the answers of merged models, and one copy of what they
// share.
#include "attend/tasks/loaded_model.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "attend/error.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tensor/allocator.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_adapter.h"
#include "tasks/small_classifier.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

const std::string kLayer = "encoder.layers.0.";

class LoadedModelTest : public FolderTest {
 protected:
  std::shared_ptr<const LoadedModel> base_of(const Checkpoint& model) const {
    save_checkpoint(path("base.safetensors"), model);
    return LoadedModel::load(path("base.safetensors"));
  }

  static std::vector<std::vector<float>> outputs(const SavedModel& model) {
    Random random({5, 1});
    std::vector<GoldenInput> inputs;
    for (int i = 0; i < 4; ++i) inputs.push_back(model.random_input(random));
    return model.golden_outputs(inputs);
  }

  // Whether the two have the parameter in one place.
  static bool is_shared(const SavedModel& one, const SavedModel& two, const std::string& name) {
    const auto place = [&](const SavedModel& model) -> const std::byte* {
      for (const ParameterSet::Entry& entry : model.parameters().entries())
        if (entry.name == name) return model.parameters().value(entry).bytes();
      return nullptr;
    };
    return place(one) != nullptr && place(one) == place(two);
  }

  void expect_answers_of_merged(const Checkpoint& model, const std::vector<std::string>& weights) {
    const auto base = base_of(model);
    const auto before = outputs(*base->model());
    const Checkpoint one = small_adapter(model, weights, {}, 1),
                     two = small_adapter(model, {weights.front()}, {}, 2);
    const auto first = base->with_adapter(one), second = base->with_adapter(two);
    EXPECT_EQ(outputs(*first->model()), outputs(*load_model(merge_adapter(model, one))));
    EXPECT_EQ(outputs(*second->model()), outputs(*load_model(merge_adapter(model, two))));
    EXPECT_NE(outputs(*first->model()), before);
    EXPECT_NE(outputs(*first->model()), outputs(*second->model()));
    EXPECT_EQ(outputs(*base->model()), before) << "the base stays as it is";
  }
};

TEST_F(LoadedModelTest, GivesTheAnswersOfMergedModels) {
  expect_answers_of_merged(small_classifier_checkpoint(), {kLayer + "self_attn.q_proj.weight",
                                                           kLayer + "feed_forward.linear2.weight"});
  expect_answers_of_merged(
      finished_checkpoint_of(small_model()),
      {"decoder.layers.0.cross_attn.v_proj.weight", kLayer + "self_attn.k_proj.weight"});
  expect_answers_of_merged(finished_checkpoint_of(small_language_model()),
                           {"decoder.layers.0.self_attn.out_proj.weight"});
}

TEST_F(LoadedModelTest, SharesWhatTheAdapterLeavesAsItIs) {
  const Checkpoint model = small_classifier_checkpoint();
  const auto base = base_of(model);
  save_checkpoint(path("adapter.safetensors"),
                  small_adapter(model, {kLayer + "self_attn.q_proj.weight"}, {"output.weight"}));
  const std::int64_t before = memory_statistics().bytes_in_use;
  const auto adapted = base->with_adapter(path("adapter.safetensors"));
  const std::int64_t more = memory_statistics().bytes_in_use - before;
  std::set<std::string> own;
  std::int64_t own_bytes = 0;
  for (const ParameterSet::Entry& entry : adapted->model()->parameters().entries()) {
    if (is_shared(*adapted->model(), *base->model(), entry.name)) continue;
    own.insert(entry.name);
    own_bytes += entry.shape.size() * 4;
  }
  // The queries, keys and values of a layer are one matrix, so all three are its own.
  EXPECT_EQ(own, (std::set<std::string>{"output.weight", kLayer + "self_attn.q_proj.weight",
                                        kLayer + "self_attn.k_proj.weight",
                                        kLayer + "self_attn.v_proj.weight"}));
  EXPECT_LE(more, own_bytes + 1024);
  EXPECT_LT(more, adapted->model()->parameters().size() * 4 / 4);
}

TEST_F(LoadedModelTest, LivesAsLongAsAModelThatSharesIt) {
  const Checkpoint model = small_classifier_checkpoint(),
                   adapter = small_adapter(model, {kLayer + "self_attn.out_proj.weight"});
  const auto expected = outputs(*load_model(merge_adapter(model, adapter)));
  const std::shared_ptr<const SavedModel> adapted = base_of(model)->with_adapter(adapter)->model();
  std::filesystem::remove(path("base.safetensors"));
  EXPECT_EQ(outputs(*adapted), expected);
}

TEST_F(LoadedModelTest, ChangesTheAttentionOfAnAdaptedModel) {
  const Checkpoint model = small_classifier_checkpoint(),
                   adapter = small_adapter(model, {kLayer + "self_attn.q_proj.weight"}, {}, 1);
  save_checkpoint(path("merged.safetensors"), merge_adapter(model, adapter));
  save_checkpoint(path("adapter.safetensors"), adapter);
  const AttentionChanges off = attention_changes({{"encoder.layers.0.self_attn:1"}, {}});
  const auto expected = LoadedModel::load(path("merged.safetensors"))->with_attention(off);
  const auto adapted = base_of(model)->with_adapter(path("adapter.safetensors"));
  EXPECT_EQ(outputs(*adapted->with_attention(off)), outputs(*expected));
  EXPECT_NE(outputs(*adapted->with_attention(off)), outputs(*adapted->model()));
}

// The file under another name is the old one.
TEST_F(LoadedModelTest, RefusesAFileThatWasWrittenOver) {
  const Checkpoint model = small_classifier_checkpoint();
  const auto base = base_of(model);
  const AttentionChanges off = attention_changes({{"encoder.layers.0.self_attn:1"}, {}});
  const auto expected = outputs(*base->with_attention(off));
  save_checkpoint(path("base.safetensors"), finished_checkpoint_of(small_model()));  // renames
  EXPECT_EQ(outputs(*base->with_attention(off)), expected);
  const auto second = LoadedModel::load(path("base.safetensors"));
  std::ofstream(path("base.safetensors"), std::ios::app) << "more";
  expect_error<IoError>([&] { second->with_attention(off); },
                        {"base.safetensors", "written to since it was loaded"});
}

TEST_F(LoadedModelTest, MakesAModelOfAnotherKindWithTheHeadOfTheAdapter) {
  const Checkpoint model = small_classifier_checkpoint();
  const auto base = base_of(model);
  Checkpoint adapter = small_adapter(model, {kLayer + "self_attn.q_proj.weight"});
  adapter.metadata["attend.labels"] = R"(["yes","no"])";
  adapter.tensors.push_back({"output.weight", random_tensor({2, 32}, 1)});
  adapter.tensors.push_back({"output.bias", random_tensor({2}, 2)});
  const auto adapted = base->with_adapter(adapter);
  EXPECT_EQ(outputs(*adapted->model()).front().size(), 2u);
  EXPECT_EQ(outputs(*adapted->model()), outputs(*load_model(merge_adapter(model, adapter))));
}

TEST_F(LoadedModelTest, RefusesWhatIsNoAdapterOfTheModel) {
  const Checkpoint model = small_classifier_checkpoint();
  const auto base = base_of(model);
  expect_error<DataError>([&] { base->with_adapter(model); },
                          {"expected an adapter", "found a model"});
  const Checkpoint stranger =
      small_adapter(finished_checkpoint_of(small_model()), {kLayer + "self_attn.q_proj.weight"});
  expect_error<DataError>([&] { base->with_adapter(stranger); },
                          {"expected the model that it adapts", "base.safetensors"});
  Checkpoint elsewhere = small_adapter(model, {kLayer + "self_attn.q_proj.weight"});
  for (NamedTensor& tensor : elsewhere.tensors) tensor.name.insert(0, "x.");
  expect_error<DataError>([&] { base->with_adapter(elsewhere); }, {"x.encoder", "no such matrix"});
  save_checkpoint(path("adapter.safetensors"),
                  small_adapter(model, {kLayer + "self_attn.q_proj.weight"}));
  expect_error<DataError>([&] { LoadedModel::load(path("adapter.safetensors")); },
                          {"adapter.safetensors", "found an adapter"});
}

}  // namespace
}  // namespace attend
