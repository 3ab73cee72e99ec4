// Models that leave the memory of a server, and come back.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "attend/error.h"
#include "server/models/served_folder.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class ModelsInMemory : public ModelsTest {};

// Whether models are in memory, by name.
std::map<std::string, bool> in_memory(const nlohmann::ordered_json& list) {
  std::map<std::string, bool> all;
  for (const auto& model : list) all[model["name"]] = model["in_memory"];
  return all;
}
using InMemory = std::map<std::string, bool>;

TEST_F(ModelsInMemory, LeaveTheMemoryWhenIdleAndComeBackTheSame) {
  const std::string text = R"({"q": "the dog", "source": "en", "target": "de"})";
  serve({"en-de", "classes"});
  const std::string expected = post("/translate", text).body;
  EXPECT_EQ(in_memory(json_of(get("/models"))), (InMemory{{"en-de", true}, {"classes", true}}));
  stop();
  serve({"en-de", "classes"}, {.idle = 0.05});
  const auto wait = [&] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end)
      if (in_memory(json_of(get("/models"))) == InMemory{{"en-de", false}, {"classes", false}})
        return true;
    return false;
  };
  for (int time = 0; time < 3; ++time) {
    ASSERT_TRUE(wait()) << "listing the models does not load them";
    json_of(get("/languages"));
    json_of(get("/v1/models"));
    EXPECT_FALSE(in_memory(json_of(get("/models")))["en-de"]);
    EXPECT_EQ(post("/translate", text).body, expected);
    EXPECT_FALSE(in_memory(json_of(get("/models")))["classes"]);
  }
}

TEST_F(ModelsInMemory, LeaveTheMemoryForOthers) {
  put("en-de", "a.safetensors");
  put("classes", "b.safetensors");
  put("lm", "c.safetensors");
  std::uint64_t most = 0;
  for (const char* const name : {"a", "b", "c"})
    most =
        std::max(most, std::filesystem::file_size(folder_ / (std::string(name) + ".safetensors")));
  const Models served({}, folder_.string(), make_runtime({.threads = 1}),
                      {.idle = 0, .most_bytes = most + 1});
  const auto loaded = [&] {
    std::string names;
    for (const ServedModelPointer& model : served.all())
      if (model->weights->is_loaded()) names += model->name;
    return names;
  };
  EXPECT_EQ(loaded(), "c") << "the last one";
  EXPECT_NE(served.find<Translator>("a")->as<Translator>(), nullptr);
  EXPECT_EQ(loaded(), "a");
  {
    const ServedModelPointer used = served.find<Translator>("a");
    EXPECT_NE(served.find<Generator>("c")->as<Generator>(), nullptr);
    EXPECT_EQ(loaded(), "ac") << "what is in use stays";
  }
  EXPECT_NE(served.find<Classifier>("b")->as<Classifier>(), nullptr);
  EXPECT_EQ(loaded(), "b");
  EXPECT_EQ(served.find<Classifier>("b")->as<Translator>(), nullptr);
}

TEST_F(ModelsInMemory, ThatLeaveTheMemoryAnswerAllRequests) {
  const Models served({{.path = SmallModels::shared().file("en-de")},
                       {.path = SmallModels::shared().file("classes")}},
                      "", make_runtime({.threads = 1}), {.idle = 0.001, .most_bytes = 1});
  const std::vector<std::string> text{"the dog"};
  const std::string translation =
      served.find<Translator>("")->as<Translator>()->translate(text)[0].text();
  const auto label = served.find<Classifier>("")->as<Classifier>()->classify(text)[0].probabilities;
  std::vector<std::thread> clients;
  std::atomic<int> wrong = 0;
  for (int client = 0; client < 4; ++client)
    clients.emplace_back([&, client] {
      for (int i = 0; i < 50; ++i) {
        if ((i + client) % 2 == 0) {
          const ServedModelPointer model = served.find<Translator>("");
          if (model->as<Translator>()->translate(text)[0].text() != translation) ++wrong;
        } else {
          const ServedModelPointer model = served.find<Classifier>("");
          if (model->as<Classifier>()->classify(text)[0].probabilities != label) ++wrong;
        }
      }
    });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(ModelsInMemory, AreNotReadFromAnotherFileThanBefore) {
  put("en-de", "a.safetensors");
  put("en-de", "b.safetensors");
  Models served({}, folder_.string(), make_runtime({.threads = 1}), {.idle = 0, .most_bytes = 1});
  EXPECT_FALSE(served.all().front()->weights->is_loaded());
  put("classes", "a.safetensors");
  const ServedModelPointer old = served.find<Translator>("a");
  expect_error<DataError>([&] { old->as<Translator>(); }, {"a.safetensors", "written again"});
  EXPECT_TRUE(served.reload().empty());
  EXPECT_NE(served.find<Classifier>("a")->as<Classifier>(), nullptr);
}

}  // namespace
}  // namespace attend
