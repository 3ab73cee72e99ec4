#include "attend/interchange/weights/foreign_weights.h"

#include "checkpoint/test_folder.h"
#include "core/memory_file.h"
#include "interchange/fixtures.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

TEST(ForeignWeights, KnowsFormatsByTheirFirstBytes) {
  for (const auto& [file, name] : std::vector<std::pair<const char*, const char*>>{
           {"torch_zip.bin", "base.row"},
           {"torch_legacy.bin", "base.row"},
           {"arrays.npz", "special:model.yml"},
           {"arrays_deflated.npz", "special:model.yml"},
           {"marian.bin", "special:model.yml"},
           {"all_types.safetensors", "bf16"}})
    EXPECT_TRUE(open_foreign_weights(open_fixture(file)).contains(name)) << file;
}

TEST(ForeignWeights, ReadsEveryTypeOfSafetensors) {
  TensorTable table = open_foreign_weights(open_fixture("all_types.safetensors"));
  expect_typed_tensors(table);
  table.require_all_used({}, "a test");
}

TEST(ForeignWeights, RefusesElementsThatItCannotConvert) {
  const std::string file =
      with_header(R"({"w":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}})", "12");
  EXPECT_CONTAINS(data_error([&] { open_foreign_weights(memory_file(file)); }),
                  "tensor 'w': expected elements F64, F32, F16, BF16, I64, I32, I16, I8, U8 or "
                  "BOOL, found F8_E4M3 [2]");
}

TEST(ForeignWeights, RefusesWhatIsNoModel) {
  for (const char* const bytes : {"", "hello", "\x80\x02", "PK", "GGUF", "\x93NUMPY"})
    EXPECT_THROW(open_foreign_weights(memory_file(bytes)), DataError) << bytes;
}

class ShardedWeights : public FolderTest {
 protected:
  void copy(std::string_view fixture_folder) {
    std::filesystem::copy(fixture(fixture_folder), path("model"));
  }
  TensorTable open() const { return open_huggingface_weights(ModelDirectory(path("model"))); }
  std::string error() const {
    return data_error([&] { open(); });
  }
  void replace(std::string_view name, std::string_view old, std::string_view with) {
    std::string text = read(path("model") / name);
    text.replace(text.find(old), old.size(), with);
    write(path("model") / name, text);
  }
};

TEST_F(ShardedWeights, AreOneTable) {
  for (const char* const folder : {"sharded_safetensors", "sharded_torch"}) {
    SCOPED_TRACE(folder);
    std::filesystem::remove_all(path("model"));
    copy(folder);
    TensorTable table = open();
    EXPECT_EQ(table.tensors().size(), 3u);
    expect_tensor(table, "a.weight", ElementType::f32, {2, 3}, ramp(6));
    expect_tensor(table, "a.bias", ElementType::f32, {3}, ramp(3));
    expect_tensor(table, "b.weight", ElementType::f16, {3, 2}, ramp(6));
  }
}

TEST_F(ShardedWeights, HoldWhatTheirListSays) {
  copy("sharded_safetensors");
  const std::string index = "model.safetensors.index.json";
  replace(index, "\"b.weight\"", "\"c.weight\"");
  EXPECT_CONTAINS(error(), "model-00002-of-00002.safetensors: tensor 'b.weight' is not listed");
  replace(index, "\"c.weight\"",
          "\"b.weight\": \"model-00002-of-00002.safetensors\", \"c.weight\"");
  EXPECT_CONTAINS(error(),
                  "tensor 'c.weight' is listed in 'model-00002-of-00002.safetensors', "
                  "which does not have it");
}

TEST_F(ShardedWeights, AreInTheShardThatTheirListSays) {
  copy("sharded_safetensors");
  replace("model.safetensors.index.json", "\"a.weight\": \"model-00001",
          "\"a.weight\": \"model-00002");
  EXPECT_CONTAINS(
      error(), "model-00001-of-00002.safetensors: tensor 'a.weight' is not listed for this file");
}

TEST_F(ShardedWeights, StayInTheirDirectory) {
  copy("sharded_safetensors");
  const std::string index = "model.safetensors.index.json",
                    shard = "model-00002-of-00002.safetensors";
  std::filesystem::rename(path("model") / shard, path(shard));
  EXPECT_CONTAINS(error(), shard + ": cannot open");
  replace(index, shard, "../" + shard);
  EXPECT_CONTAINS(error(), "expected the name of a file in this directory, found '../model-");
  replace(index, "../" + shard, path(shard).string());
  EXPECT_CONTAINS(error(), "expected the name of a file in this directory, found '/");
  replace(index, path(shard).string(), shard);
  std::filesystem::create_symlink(path(shard), path("model") / shard);
  EXPECT_CONTAINS(error(), "found a link that leads out of it");
}

TEST_F(ShardedWeights, AreFoundInAnOrder) {
  std::filesystem::create_directory(path("model"));
  EXPECT_CONTAINS(error(),
                  "expected weights in model.safetensors or pytorch_model.bin, or in shards "
                  "that <name>.index.json lists");
  std::filesystem::copy_file(fixture("torch_legacy.bin"), path("model/pytorch_model.bin"));
  EXPECT_TRUE(open().contains("base.row"));
  std::filesystem::copy_file(fixture("all_types.safetensors"), path("model/model.safetensors"));
  EXPECT_FALSE(open().contains("base.row"));
}

TEST(WeightMap, IsAnObjectOfNames) {
  EXPECT_EQ(
      parse_weight_map(R"({"metadata": {}, "weight_map": {"a": "x", "b": "y"}})", "f").at("b"),
      "y");
  for (const char* const text :
       {"[]", "{}", R"({"weight_map": []})", R"({"weight_map": {"a": 1}})", "{", ""})
    EXPECT_NE(data_error([&] { parse_weight_map(text, "index"); }), "no DataError") << text;
}

TEST(WeightMap, MayBeLong) {
  std::string text = "{\"weight_map\":{";
  for (int i = 0; i < 200'000; ++i) text += "\"" + std::to_string(i) + "\":\"f\",";
  EXPECT_EQ(parse_weight_map(text + "\"last\":\"f\"}}", "index").size(), 200'001u);
}

}  // namespace
}  // namespace attend
