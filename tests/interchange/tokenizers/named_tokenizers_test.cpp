// Directories as AutoTokenizer reads them (tools/make_tokenizer_class_goldens.py).
#include "attend/interchange/tokenizers/named_tokenizers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "attend/error.h"
#include "attend/interchange/tokenizers/tokenizer_directory.h"
#include "attend/text/token_places.h"
#include "interchange/fixture_files.h"

namespace attend {
namespace {

using GoldenJson = nlohmann::json;
using GoldenIds = std::vector<std::int32_t>;

GoldenJson class_goldens() { return GoldenJson::parse(fixture_bytes("tokenizer_classes.json")); }

ForeignTokenizer read_members(const GoldenJson& files) {
  return read_tokenizer_directory(
      [&](std::string_view name) -> std::optional<std::string> {
        const auto found = files.find(std::string(name));
        return found == files.end() ? std::nullopt : std::optional(found->get<std::string>());
      },
      "model");
}

GoldenJson files_of_case(const GoldenJson& goldens, const GoldenJson& one) {
  const bool bare = one["bare"].get<bool>();
  GoldenJson files = goldens["files"][one["vocabulary"].get<std::string>()][bare ? "bare" : "json"];
  files["config.json"] = one["config"].dump();
  if (one.contains("settings")) files["tokenizer_config.json"] = one["settings"].dump();
  return files;
}

TEST(NamedTokenizers, GiveTheIdsOfTheirClass) {
  const GoldenJson goldens = class_goldens();
  ASSERT_GT(goldens["cases"].size(), 30u);
  for (const GoldenJson& one : goldens["cases"]) {
    GoldenJson shown = one;
    shown.erase("ids");
    SCOPED_TRACE(shown.dump());
    const ForeignTokenizer foreign = read_members(files_of_case(goldens, one));
    for (std::size_t i = 0; i < goldens["texts"].size(); ++i)
      EXPECT_EQ(
          foreign.tokenizer.encode(goldens["texts"][i].get<std::string>(), SpecialText::as_tokens),
          one["ids"][i].get<GoldenIds>())
          << goldens["texts"][i];
    GoldenIds marks = foreign.prefix;
    marks.insert(marks.end(), foreign.suffix.begin(), foreign.suffix.end());
    EXPECT_EQ(marks, one["marks"].get<GoldenIds>());
  }
}

TEST(NamedTokenizers, NameTheirUsualSpecialPieces) {
  const GoldenJson goldens = class_goldens();
  GoldenJson files = goldens["files"]["roberta"]["bare"];
  files["config.json"] = R"({"model_type": "roberta"})";
  const ForeignTokenizer foreign = read_members(files);
  EXPECT_EQ(foreign.prefix, GoldenIds{0});
  EXPECT_EQ(foreign.suffix, GoldenIds{2});
  EXPECT_EQ(foreign.tokenizer.bos_id(), 0);
  EXPECT_EQ(foreign.tokenizer.eos_id(), 2);
  EXPECT_EQ(foreign.tokenizer.pad_id(), 1);
}

TEST(NamedTokenizers, TrimPlacesOfTokensAsTheSettingsSay) {
  GoldenJson files = class_goldens()["files"]["roberta"]["bare"];
  files["config.json"] = R"({"model_type": "roberta"})";
  const auto places = [&](const char* settings) {
    files["tokenizer_config.json"] = settings;
    const Tokenizer tokenizer = read_members(files).tokenizer;
    const std::string_view text = "  a";
    auto found = TokenPlaces::untrimmed(tokenizer, text, SpecialText::as_text);
    TokenPlaces::trim(tokenizer, text, tokenizer.encode(text), found);
    std::string all;
    for (const TokenSpan& one : found) all += fmt::format("{}-{} ", one.begin, one.end);
    return all;
  };
  EXPECT_EQ(places(R"({"trim_offsets": false})"), "0-1 1-2 2-3 ");
  EXPECT_EQ(places("{}"), "1-1 2-2 2-3 ");
  EXPECT_EQ(places(R"({"add_prefix_space": true})"), "0-0 2-2 2-3 ");
}

// transformers 5.24 compares with the strings of tokenizer_config.json, not with its objects.
TEST(NamedTokenizers, NormalizeAddedTokensThatNoStringCallsSpecial) {
  const GoldenJson goldens = class_goldens();
  GoldenJson files = goldens["files"]["bert"]["bare"];
  files["config.json"] = R"({"model_type": "bert"})";
  files["added_tokens.json"] = R"({"A B": 144})";
  const auto ids_with = [&](const char* extra) {
    files["tokenizer_config.json"] = std::string(R"({"extra_special_tokens": [)") + extra + "]}";
    return read_members(files).tokenizer.encode("x a b", SpecialText::as_tokens);
  };
  EXPECT_EQ(ids_with(""), (GoldenIds{1, 144}));
  EXPECT_EQ(ids_with(R"({"content": "A B", "lstrip": true, "__type": "AddedToken"})"),
            (GoldenIds{1, 144}));
  EXPECT_EQ(ids_with(R"("A B")"), (GoldenIds{1, 21, 1}));
}

TEST(NamedTokenizers, RefuseAClassThatOnlyTransformersBuilds) {
  const GoldenJson goldens = class_goldens();
  GoldenJson files = goldens["files"]["gpt2"]["json"];
  files["config.json"] = R"({"model_type": "llama"})";
  for (const char* name : {"BigBirdTokenizer", "HerbertTokenizer", "LukeTokenizerFast"}) {
    files["tokenizer_config.json"] = GoldenJson{{"tokenizer_class", name}}.dump();
    try {
      read_members(files);
      ADD_FAILURE() << name;
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find("PreTrainedTokenizerFast"), std::string::npos);
    }
  }
  // A class that transformers does not know takes the file as it is.
  files["tokenizer_config.json"] = R"({"tokenizer_class": "OurOwnTokenizer"})";
  EXPECT_NO_THROW(read_members(files));
}

TEST(NamedTokenizers, RefuseTextsWithoutSpecialTokensAsTheirDefault) {
  const GoldenJson goldens = class_goldens();
  GoldenJson files = goldens["files"]["gpt2"]["json"];
  files["tokenizer_config.json"] = R"({"split_special_tokens": false})";
  EXPECT_NO_THROW(read_members(files));
  files["tokenizer_config.json"] = R"({"split_special_tokens": true})";
  try {
    read_members(files);
    ADD_FAILURE();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("split_special_tokens"), std::string::npos);
  }
}

TEST(NamedTokenizers, RefuseAModelOfAnotherKind) {
  const GoldenJson goldens = class_goldens();
  GoldenJson files = goldens["files"]["gpt2"]["json"];
  files["config.json"] = R"({"model_type": "bert"})";
  try {
    read_members(files);
    ADD_FAILURE();
  } catch (const DataError& error) {
    EXPECT_EQ(std::string(error.what()),
              "model: the BertTokenizer of its tokenizer_config.json or config.json has a "
              "WordPiece model, found 'BPE'");
  }
}

TEST(NamedTokenizers, RefuseSettingsOfAnotherType) {
  GoldenJson files = class_goldens()["files"]["bert"]["bare"];
  files["tokenizer_config.json"] = R"({"do_lower_case": "yes"})";
  EXPECT_THROW(read_members(files), DataError);
  files["tokenizer_config.json"] = "{}";
  files["config.json"] = R"({"model_type": 3})";
  EXPECT_THROW(read_members(files), DataError);
}

}  // namespace
}  // namespace attend
