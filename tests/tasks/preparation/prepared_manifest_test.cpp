#include "attend/tasks/preparation/prepared_manifest.h"

#include <functional>
#include <nlohmann/json.hpp>

#include "checkpoint/test_folder.h"

namespace attend {
namespace {

class PreparedManifests : public FolderTest {
 protected:
  static PreparedManifest manifest() {
    PreparedManifest m;
    m.task = "translation";
    m.vocabulary = {
        .joint = false, .pretokenized = true, .checksum = 0xFFFFFFFF, .tgt_checksum = 7};
    m.length = {.max_length = 99, .over_long = OverLong::truncate};
    m.pairs = {.pairs = 10, .empty_src = 1, .over_long = 3, .truncated = 2, .kept = 8};
    m.pairs.first_over_long = "train.en:4";
    m.text_kinds = {{"src", {.language = "en", .lowercased = true, .unknown = 1.0 / 3}},
                    {"tgt", {}}};
    m.format = {.sequences = 2, .id_bytes = 2};
    m.shards = {{5, 70, 123}, {3, 30, 0xFFFFFFFF}};
    return m;
  }
  // The error about a manifest that `change` has been made to.
  static std::string error_after(const std::function<void(nlohmann::json&)>& change) {
    nlohmann::json json = nlohmann::json::parse(manifest_json(manifest()));
    change(json);
    return data_error([&] { read_manifest(json.dump(), "manifest.json"); });
  }
};

TEST_F(PreparedManifests, AreReadAsTheyWereWritten) {
  const std::string json = manifest_json(manifest());
  const PreparedManifest read = read_manifest(json, "manifest.json");
  EXPECT_EQ(manifest_json(read), json);
  EXPECT_EQ(read.samples(), 8);
  EXPECT_EQ(read.text_kinds.at("src").unknown, 1.0 / 3);
  EXPECT_EQ(read.shards[1].checksum, 0xFFFFFFFFu);
}

TEST_F(PreparedManifests, SayWhatIsWrong) {
  EXPECT_CONTAINS(data_error([] { read_manifest("{", "manifest.json"); }), "manifest.json");
  EXPECT_CONTAINS(error_after([](auto& json) { json["attend_prepared"] = 2; }), "attend_prepared");
  EXPECT_CONTAINS(error_after([](auto& json) { json.erase("shards"); }), "shards");
  EXPECT_CONTAINS(error_after([](auto& json) { json["shards"].clear(); }), "at least one");
  EXPECT_CONTAINS(error_after([](auto& json) { json["more"] = 1; }), "more");
  EXPECT_CONTAINS(error_after([](auto& json) { json["text_kinds"]["other"] = {}; }), "text_kinds");
  EXPECT_CONTAINS(error_after([](auto& json) { json["text_kinds"] = 7; }), "text_kinds");
  EXPECT_CONTAINS(error_after([](auto& json) { json["format"]["id_bytes"] = 3; }), "2 or 4 bytes");
  EXPECT_CONTAINS(error_after([](auto& json) { json["format"]["sequences"] = 5; }), "sequences");
}

TEST_F(PreparedManifests, RefuseShardsOfImpossibleSizes) {
  const auto shard = [](const char* name, auto value) {
    return error_after([&](auto& json) { json["shards"][1][name] = value; });
  };
  EXPECT_CONTAINS(shard("samples", -1), "shard 1");
  EXPECT_CONTAINS(shard("samples", 1LL << 40), "shard 1");
  EXPECT_CONTAINS(shard("ids", 1LL << 31), "shard 1");
  EXPECT_CONTAINS(shard("ids", -5), "shard 1");
  EXPECT_CONTAINS(shard("checksum", 1LL << 32), "shard 1");
  EXPECT_CONTAINS(shard("checksum", "x"), "shard 1");
  EXPECT_CONTAINS(error_after([](auto& json) { json["shards"][0].erase("samples"); }), "shards");
}

TEST_F(PreparedManifests, AreInFoldersThatWerePrepared) {
  try {
    load_manifest(folder_);
    FAIL() << "there is none";
  } catch (const IoError& error) {
    EXPECT_CONTAINS(std::string(error.what()), "attend prepare");
  }
}

}  // namespace
}  // namespace attend
