// Models that come, go and change while a server runs.
#include "attend/server/models/models.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "attend/checkpoint/checkpoint.h"
#include "attend/error.h"
#include "attend/model_file.h"
#include "attend/server/http/message.h"
#include "server/models/served_folder.h"
#include "tasks/small_adapter.h"
#include "tasks/small_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Names = std::vector<std::string>;

TEST_F(ModelsTest, OfAFolderAreFoundByName) {
  put("lm", "b.safetensors");
  put("en-de", "a.safetensors");
  std::ofstream(folder_ / "notes.txt") << "none";
  std::filesystem::create_directory(folder_ / "run");
  std::filesystem::copy_file(model_of("classes"), folder_ / "run" / "model.safetensors");
  const Models found = models();
  EXPECT_EQ(names(found), (Names{"a", "b", "run"}));
  EXPECT_EQ(found.find<Generator>("")->name, "b");
  EXPECT_EQ(found.find<Classifier>("run")->name, "run");
  EXPECT_THROW(found.find<Generator>("a"), HttpError);
  EXPECT_THROW(found.find<Embedder>(""), HttpError);
}

TEST_F(ModelsTest, AreCalledAsTheirFilesSay) {
  put("en-de", "a.safetensors");
  const std::string file = (folder_ / "a.safetensors").string();
  set_model_settings(file, {{"name", "small"}, {"description", "of the old dog"}, {"src", "fr"}});
  serve({}, {.models_dir = folder_.string()});
  const auto json = json_of(get("/models"));
  EXPECT_EQ(json[0]["name"], "small");
  EXPECT_EQ(json[0]["description"], "of the old dog");
  EXPECT_EQ(json[0]["sources"], Names{"fr"});
  EXPECT_EQ(json_of(get("/v1/models"))["data"][0]["id"], "small");
  stop();
  // The command line has the last word.
  const Models named({{.path = file, .name = "mine", .source = "en"}}, "", make_runtime());
  EXPECT_EQ(names(named), Names{"mine"});
  EXPECT_EQ(named.all().front()->sources, Names{"en"});
}

TEST_F(ModelsTest, OfAdaptersShareTheirBase) {
  const std::string base = SmallModels::shared().file("classes");
  const Checkpoint model = load_checkpoint(base);
  const auto adapter = [&](const std::string& name, std::uint64_t seed) {
    const std::string file = (folder_ / name).string();
    save_checkpoint(file, small_adapter(model, {"encoder.layers.0.self_attn.v_proj.weight"},
                                        {"output.weight"}, seed));
    return file;
  };
  const std::string mood = adapter("mood.safetensors", 1), topic = adapter("topic", 2);
  Models served({{.path = base},
                 {.path = base, .adapter = mood},
                 {.path = base, .name = "other", .adapter = topic}},
                "", make_runtime({.threads = 1}));
  EXPECT_EQ(names(served), (Names{"classes", "mood", "other"}));
  const std::vector<std::string> text{"a dog sleeps"};
  const auto answer = [&](const char* name) {
    return served.find<Classifier>(name)->as<Classifier>()->classify(text)[0].probabilities;
  };
  EXPECT_EQ(answer("classes"), Classifier::load(base).classify(text)[0].probabilities);
  EXPECT_EQ(answer("mood"), BaseModel::load(base).classifier(mood).classify(text)[0].probabilities);
  EXPECT_NE(answer("mood"), answer("other"));
  EXPECT_NE(answer("mood"), answer("classes"));

  // An adapter that is written again replaces its model alone.
  const auto plain = served.find<Classifier>("classes"), other = served.find<Classifier>("other");
  const auto before = answer("mood");
  adapter("mood.safetensors", 3);
  std::filesystem::last_write_time(
      mood, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
  EXPECT_EQ(served.reload(), std::vector<std::string>{});
  EXPECT_NE(answer("mood"), before);
  EXPECT_EQ(served.find<Classifier>("classes"), plain);
  EXPECT_EQ(served.find<Classifier>("other"), other);
  EXPECT_THROW(Models({{.path = mood}}, "", make_runtime({.threads = 1})), DataError);
  EXPECT_THROW(Models({{.path = base, .adapter = base}}, "", make_runtime({.threads = 1})),
               DataError);
}

TEST_F(ModelsTest, AreLoadedAgainOnlyIfTheirFileChanged) {
  put("en-de", "a.safetensors");
  put("lm", "b.safetensors");
  Models all = models();
  const auto before = all.all();
  EXPECT_EQ(all.reload(), Names{});
  EXPECT_EQ(all.all()[0], before[0]);
  put("classes", "b.safetensors");
  put("lm", "c.safetensors");
  EXPECT_EQ(all.reload(), Names{});
  EXPECT_EQ(names(all), (Names{"a", "b", "c"}));
  EXPECT_EQ(all.all()[0], before[0]);
  EXPECT_NE(all.find<Classifier>("b"), nullptr);
  std::filesystem::remove(folder_ / "c.safetensors");
  EXPECT_EQ(all.reload(), Names{});
  EXPECT_EQ(names(all), (Names{"a", "b"}));
}

TEST_F(ModelsTest, KeepTheirNamesWhenTheyAreLoadedAgain) {
  put("lm", "a.safetensors");
  const std::string file = (folder_ / "a.safetensors").string();
  Models twice({{.path = file, .name = "one"}, {.path = file, .name = "two"}}, "",
               make_runtime({.threads = 1}));
  Models named = models();
  named.load({.path = "a.safetensors", .name = "mine"});
  named.drop("a");
  put("lm", "a.safetensors");
  EXPECT_EQ(twice.reload(), Names{});
  EXPECT_EQ(names(twice), (Names{"one", "two"}));
  EXPECT_EQ(named.reload(), Names{});
  EXPECT_EQ(names(named), Names{"mine"});
}

TEST_F(ModelsTest, StayInPlaceOfThoseThatTheyReplaced) {
  put("lm", "a.safetensors");
  Models all({{.path = model_of("lm"), .name = "small"}}, folder_.string(),
             make_runtime({.threads = 1}));
  put("en-de", "new.safetensors");
  all.load({.path = "new.safetensors", .name = "small"});
  const auto before = all.all();
  EXPECT_EQ(all.reload(), Names{});
  EXPECT_EQ(all.all(), before);
  EXPECT_EQ(names(all), (Names{"small", "a"}));
  EXPECT_EQ(all.find<Translator>("small"), before[0]);
  // Without it, the one of the command line is served again.
  std::filesystem::remove(folder_ / "new.safetensors");
  EXPECT_EQ(all.reload(), Names{});
  EXPECT_EQ(names(all), (Names{"small", "a"}));
  EXPECT_EQ(all.find<Generator>("small")->place.path, model_of("lm"));
}

TEST_F(ModelsTest, StayThoughTheFolderDoesNotListThem) {
  put("lm", "a.safetensors");
  std::filesystem::create_directory(folder_ / "sub");
  put("classes", "sub/x.safetensors");
  Models all = models();
  EXPECT_EQ(names(all), Names{"a"}) << "a folder without model.safetensors is no run";
  all.load({.path = "sub/x.safetensors"});
  all.load({.path = "a.safetensors", .name = "second"});
  const auto before = all.all();
  EXPECT_EQ(all.reload(), Names{});
  EXPECT_EQ(all.all(), before);
  EXPECT_EQ(names(all), (Names{"a", "x", "second"}));
  put("en-de", "sub/x.safetensors");
  EXPECT_EQ(all.reload(), Names{});
  EXPECT_EQ(all.find<Translator>("")->name, "x");
  std::filesystem::remove(folder_ / "sub" / "x.safetensors");
  EXPECT_EQ(all.reload(), Names{});
  EXPECT_EQ(names(all), (Names{"a", "second"}));
}

TEST_F(ModelsTest, WithTheNameOfAnotherAreNotLoaded) {
  put("lm", "a.safetensors");
  Models all = models();
  const auto before = all.all();
  put("en-de", "b.safetensors");
  set_model_settings((folder_ / "b.safetensors").string(), {{"name", "a"}});
  const Names failures = all.reload();
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_NE(failures[0].find("not loaded: another model is called"), std::string::npos)
      << failures[0];
  EXPECT_EQ(all.all(), before);
}

TEST_F(ModelsTest, OfAdaptersComeBackBesideTheirBase) {
  put("classes", "base.safetensors");
  const std::string base = (folder_ / "base.safetensors").string(),
                    mood = (folder_ / "mood").string();
  save_checkpoint(mood,
                  small_adapter(load_checkpoint(base), {"encoder.layers.0.self_attn.v_proj.weight"},
                                {"output.weight"}));
  Models all({{.path = base, .adapter = mood}}, folder_.string(), make_runtime({.threads = 1}));
  EXPECT_EQ(names(all), (Names{"mood", "base"}));
  all.load({.path = "base.safetensors", .name = "plain"});
  all.drop("mood");
  EXPECT_EQ(all.reload(), Names{});
  EXPECT_EQ(names(all), (Names{"mood", "base", "plain"}));
}

TEST_F(ModelsTest, NoticeAnOlderFileInPlaceOfTheBaseOfAnAdapter) {
  const std::string base = (folder_ / "base").string(), adapter = (folder_ / "adapter").string();
  std::ofstream(base) << "a base";
  std::ofstream(adapter) << "an adapter";
  const ModelPlace place{.path = base, .adapter = adapter};
  const FileState before = file_state(place);
  EXPECT_TRUE(file_state(place) == before);
  std::filesystem::last_write_time(base, before.base_written - std::chrono::hours(1));
  EXPECT_FALSE(file_state(place) == before);
}

// Only what splits text finds that two of its pieces are the same.
TEST_F(ModelsTest, WithATokenizerThatCannotSplitTextAreRefused) {
  const TranslationModel model = small_model();
  Checkpoint checkpoint = checkpoint_of(model);
  std::string tokenizer = model.tgt_tokenizer.bytes();
  const std::size_t piece = tokenizer.find("\x0A\x01h");
  ASSERT_NE(piece, std::string::npos);
  tokenizer[piece + 2] = 'k';
  for (NamedTensor& named : checkpoint.tensors)
    if (named.name == "tokenizer.tgt") named.tensor = bytes_tensor(tokenizer);
  const std::string file = (folder_ / "a.safetensors").string(), begin = file + ": tokenizer: ";
  save_checkpoint(file, checkpoint);
  EXPECT_NO_THROW(Translator::load(file));
  expect_error<DataError>([this] { models(); }, {begin, "k is already defined"});
}

TEST_F(ModelsTest, ThatCannotBeLoadedStayAsTheyWere) {
  put("en-de", "a.safetensors");
  Models all = models();
  const auto before = all.all();
  std::ofstream(folder_ / "a.safetensors") << "broken";
  std::ofstream(folder_ / "b.safetensors") << "broken";
  const Names failures = all.reload();
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_TRUE(failures[0].starts_with("a: kept as it was: ")) << failures[0];
  EXPECT_NE(failures[1].find("not loaded"), std::string::npos) << failures[1];
  EXPECT_EQ(all.all(), before);
}

TEST_F(ModelsTest, StayAsTheyWereIfTheirFolderCannotBeRead) {
  put("lm", "a.safetensors");
  ServingOptions options;
  options.models_dir = folder_.string();
  serve({}, options);
  std::filesystem::remove_all(folder_);
  const std::vector<std::string> failures = server_->reload();
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_NE(failures[0].find("cannot read"), std::string::npos) << failures[0];
  EXPECT_EQ(server_->models().size(), 1u);
}

TEST_F(ModelsTest, AreLoadedFromTheirFolderOnly) {
  put("en-de", "a.safetensors");
  Models all = models();
  put("lm", "b.safetensors");
  EXPECT_EQ(all.load({.path = "b.safetensors", .name = "x"})->name, "x");
  EXPECT_EQ(names(all), (Names{"a", "x"}));
  for (const std::string& outside :
       {model_of("lm"), std::string("../b.safetensors"), std::string("x/../../b"), std::string("")})
    EXPECT_THROW(all.load({.path = outside}), HttpError) << outside;
  EXPECT_THROW(all.load({.path = "none"}), IoError);
  Models without({{.path = model_of("lm")}}, "", make_runtime({.threads = 1}));
  EXPECT_THROW(without.load({.path = "b.safetensors"}), HttpError);
}

TEST_F(ModelsTest, AreDroppedButForTheLast) {
  put("en-de", "a.safetensors");
  put("lm", "b.safetensors");
  Models all = models();
  EXPECT_THROW(all.drop("x"), HttpError);
  all.drop("a");
  EXPECT_EQ(names(all), Names{"b"});
  EXPECT_THROW(all.drop("b"), HttpError);
}

TEST_F(ModelsTest, NeedAtLeastOne) {
  EXPECT_THROW(models(), ConfigError);
  EXPECT_THROW(Models({}, "", nullptr), ConfigError);
  EXPECT_THROW(Models({}, "/nowhere", nullptr), IoError);
}

TEST_F(ModelsTest, AreSwappedWithoutAFailingRequest) {
  put("en-de", "a.safetensors");
  ServingOptions options;
  options.models_dir = folder_.string();
  serve({}, options);
  std::atomic<bool> swapping{true};
  std::atomic<int> answered{0};
  const auto ask = [&] {
    RawClient own(server_->port());
    while (swapping) {
      const RawResponse response =
          own.post("/translate", R"({"q": "the dog sleeps", "source": "en", "target": "de"})");
      EXPECT_EQ(response.status, 200) << response.body;
      ++answered;
    }
  };
  std::vector<std::thread> clients;
  for (int i = 0; i < 6; ++i) clients.emplace_back(ask);
  for (int i = 0; i < 5; ++i) {
    put("en-de", "a.safetensors");
    EXPECT_EQ(server_->reload(), Names{});
  }
  while (answered < 20) std::this_thread::yield();
  swapping = false;
  for (std::thread& client : clients) client.join();
}

}  // namespace
}  // namespace attend
