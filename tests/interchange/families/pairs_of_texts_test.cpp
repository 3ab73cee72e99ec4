// How an imported classifier joins two texts: as its tokenizer does in transformers
// (tools/make_pair_goldens.py).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/writing/model_export.h"
#include "attend/tasks/classification/model.h"
#include "interchange/damaged_directory.h"
#include "interchange/fixtures.h"

namespace attend {
namespace {

using GoldenJson = nlohmann::json;

class PairsOfTexts : public DamagedDirectory {
 protected:
  static std::string text_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // The directory of a case.
  void prepare(const GoldenJson& golden) const {
    copy(golden["fixture"]);
    if (golden.contains("tokenizer_config.json"))
      write("tokenizer_config.json", golden["tokenizer_config.json"]);
    if (!golden.contains("post_processor")) return;
    GoldenJson tokenizer = GoldenJson::parse(text_of(folder_ / "tokenizer.json"));
    tokenizer["post_processor"] = golden["post_processor"];
    write("tokenizer.json", tokenizer.dump());
  }
  static void expect_joined(const GoldenJson& golden, const ImportedModel& imported) {
    ClassificationModel model = classification_model(imported.checkpoint);
    model.pairs = true;
    if (golden["ids"].is_null()) {
      expect_error<ConfigError>([&] { model.input("A man\tis walking"); }, {"reads no pairs"});
      return;
    }
    const PairInput input = model.input("A man\tis walking");
    EXPECT_EQ(GoldenJson(input.ids), golden["ids"]) << golden;
    const auto count = static_cast<std::int32_t>(input.ids.size());
    const Ragged one(Ids(input.ids), Ids(std::vector<std::int32_t>{0, count}));
    const Ids types = model.token_types(one, std::vector{input.second});
    const std::vector<std::int32_t> none(input.ids.size(), 0);
    EXPECT_EQ(GoldenJson(types ? std::vector(types->begin(), types->end()) : none), golden["types"])
        << golden;
  }
};

TEST_F(PairsOfTexts, AreJoinedAsTheTokenizerJoinsThem) {
  const GoldenJson goldens = GoldenJson::parse(text_of(fixture("pairs_of_texts.json")));
  ASSERT_GT(goldens.size(), 10u);
  for (const GoldenJson& golden : goldens) {
    prepare(golden);
    expect_joined(golden, imported());
  }
}

TEST_F(PairsOfTexts, AreJoinedInTheSameWayAfterAnExport) {
  const GoldenJson goldens = GoldenJson::parse(text_of(fixture("pairs_of_texts.json")));
  for (const GoldenJson& golden : goldens) {
    prepare(golden);
    const std::filesystem::path exported = scratch("exported pairs");
    std::filesystem::remove_all(exported);
    write_model_directory(export_model(imported().checkpoint), exported);
    expect_joined(golden, import_model(ModelDirectory(exported)));
    std::filesystem::remove_all(exported);
  }
}

}  // namespace
}  // namespace attend
