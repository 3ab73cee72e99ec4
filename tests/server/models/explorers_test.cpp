// Which models are explored: those that serve, with their adapters, and few of them at once.
#include "attend/server/models/explorers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "attend/api/views.h"
#include "attend/checkpoint/checkpoint.h"
#include "attend/tasks/loaded_model.h"
#include "server/explored_models.h"
#include "tasks/small_adapter.h"

namespace attend {
namespace {

using ExploredModels = Exploring;

TEST_F(ExploredModels, CountsTheMemoryOfTheTwoLargestModels) {
  serve({"en-de", "lm", "classes"});
  std::vector<std::uint64_t> sizes;
  for (const auto& model : server_->models()) sizes.push_back(model->state.bytes);
  std::sort(sizes.rbegin(), sizes.rend());
  EXPECT_EQ(server_->explorer_memory(), sizes[0] + sizes[1]);
}

TEST_F(ExploredModels, ComparesTwoModelsWithoutLoadingThemAgain) {
  const std::string copy = file("second.safetensors");
  std::filesystem::copy_file(model_file_of(file("en-de")), copy);
  serve({"en-de", "second.safetensors", "lm"});
  const Answer second = explored({{"model", "second"}}), first = explored({{"model", "en-de"}});
  EXPECT_EQ(first["attention"], second["attention"]);
  // A file that is gone cannot be read again.
  std::filesystem::remove(copy);
  EXPECT_EQ(explored({{"model", "en-de"}}), first);
  EXPECT_EQ(explored({{"model", "second"}}), second) << "which was read first";
  explored({{"model", "lm"}});  // in place of the first, which was asked longer ago
  EXPECT_EQ(explored({{"model", "second"}}), second);
}

TEST_F(ExploredModels, ExploresAModelWithAnAdapter) {
  const Checkpoint base = load_checkpoint(file("en-de"));
  const Checkpoint adapter = small_adapter(base, {"encoder.layers.0.self_attn.v_proj.weight"});
  save_checkpoint(file("adapter.safetensors"), adapter);
  save_checkpoint(file("merged.safetensors"), merge_adapter(base, adapter));
  serve({"en-de,name=adapted,adapter=" + file("adapter.safetensors"), "merged.safetensors"});
  const Answer request{{"heads_off", "encoder.layers.0.self_attn:1"}, {"translation", "der hund"}};
  const auto answer_of = [&](const char* model) {
    Answer named = request;
    named["model"] = model;
    Answer answer = explored(named);
    answer.erase("model");
    return answer;
  };
  EXPECT_EQ(answer_of("adapted"), answer_of("merged"));
}

// A reload replaces it; until then, answers are those of the model that serves.
TEST_F(ExploredModels, ExploresTheModelThatServesAlthoughItsFileWasReplaced) {
  const std::string path = file("replaced.safetensors");
  std::filesystem::copy_file(file("en-de") + "/model.safetensors", path);
  serve({"replaced.safetensors"});
  const Answer request{{"heads_off", "encoder.*"}, {"translation", "der hund"}};
  const Answer before = explored(request);
  std::filesystem::copy_file(file("lm") + "/model.safetensors", path + ".new");
  std::filesystem::rename(path + ".new", path);
  EXPECT_EQ(explored(request), before);
}

TEST_F(ExploredModels, KeepsNoModelThatIsNoLongerServed) {
  const std::string path = file("reloaded.safetensors");
  std::filesystem::copy_file(file("en-de") + "/model.safetensors", path);
  serve({"reloaded.safetensors"});
  explored({{"heads_off", "encoder.*"}});
  const std::weak_ptr<const LoadedModel> old =
      ModelAccess::loaded(server_->models()[0]->loaded().base);
  std::filesystem::last_write_time(
      path, std::filesystem::last_write_time(path) + std::chrono::seconds(2));
  EXPECT_TRUE(server_->reload().empty());
  for (int i = 0; i < 200 && !old.expired(); ++i)  // the last call may still end
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(old.expired());
}

TEST_F(ExploredModels, ChangesNoModelWhoseFileWasWrittenOver) {
  const std::string path = file("overwritten.safetensors");
  std::filesystem::copy_file(file("en-de") + "/model.safetensors", path);
  serve({"overwritten.safetensors"});
  std::filesystem::last_write_time(
      path, std::filesystem::last_write_time(path) + std::chrono::seconds(2));
  EXPECT_EQ(explored({{"translation", "der hund"}})["translation"], "der hund");
  EXPECT_NE(explored({{"heads_off", "encoder.*"}}, 503).dump().find("load it again"),
            std::string::npos);
  EXPECT_TRUE(server_->reload().empty());
  explored({{"heads_off", "encoder.*"}});
}

}  // namespace
}  // namespace attend
