#include "attend/interchange/tokenizers/tokenizer_json.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "attend/error.h"
#include "interchange/tokenizer_goldens.h"

namespace attend {
namespace {

using Ids = std::vector<std::int32_t>;
using Json = nlohmann::json;

const Json& golden_json(std::string_view name) {
  static const auto all = [] {
    std::map<std::string, Json, std::less<>> jsons;
    for (const auto& golden : goldens::kForeignTokenizers)
      jsons[golden.name] = Json::parse(golden.json);
    return jsons;
  }();
  return all.find(name)->second;
}

ForeignTokenizer read_foreign(const Json& json, const SpecialPieces& names = {}) {
  return read_tokenizer_json(json.dump(), names, "tokenizer.json");
}

void expect_foreign_refused(const Json& json, std::string_view complaint) {
  try {
    read_foreign(json);
    ADD_FAILURE() << "not refused: " << complaint;
  } catch (const DataError& error) {
    EXPECT_NE(std::string_view(error.what()).find(complaint), std::string_view::npos)
        << error.what();
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
  }
}

TEST(TokenizerJson, GivesTheIdsThatItsOwnLibraryGives) {
  for (const auto& golden : goldens::kForeignTokenizers) {
    const ForeignTokenizer foreign = read_tokenizer_json(golden.json, {}, golden.name);
    const Tokenizer saved = Tokenizer::from_bytes(foreign.tokenizer.bytes());
    for (std::size_t i = 0; i < goldens::kTokenizedTexts.size(); ++i) {
      EXPECT_EQ(foreign.tokenizer.encode(goldens::kTokenizedTexts[i]), golden.ids[i])
          << golden.name << ", text " << i;
      EXPECT_EQ(saved.encode(goldens::kTokenizedTexts[i]), golden.ids[i]) << golden.name;
    }
    Ids whole = foreign.prefix;
    for (const std::int32_t id : foreign.tokenizer.encode("The small dog reads."))
      whole.push_back(id);
    whole.insert(whole.end(), foreign.suffix.begin(), foreign.suffix.end());
    EXPECT_EQ(whole, golden.with_special_tokens) << golden.name;
  }
}

TEST(TokenizerJson, TakesSpecialTokensFromTheNamesAndTheMarks) {
  const ForeignTokenizer bert = read_foreign(golden_json("wordpiece, lower-cased"));
  const SpecialTokens& special = bert.tokenizer.special_tokens();
  EXPECT_EQ((Ids{special.pad, special.unk, special.bos, special.eos}), (Ids{0, 1, 2, 3}));
  const ForeignTokenizer roberta = read_foreign(
      golden_json("RoBERTa"), {.bos = "<s>", .eos = "</s>", .pad = "<pad>", .unk = "<unk>"});
  const SpecialTokens& other = roberta.tokenizer.special_tokens();
  EXPECT_EQ((Ids{other.bos, other.pad, other.eos, other.unk}), (Ids{0, 1, 2, 3}));
  const ForeignTokenizer gpt2 =
      read_foreign(golden_json("GPT-2"),
                   {.bos = "<|endoftext|>", .eos = "<|endoftext|>", .unk = "<|endoftext|>"});
  EXPECT_EQ(gpt2.tokenizer.bos_id(), gpt2.tokenizer.eos_id());
  EXPECT_EQ(gpt2.tokenizer.unk_id(), -1) << "one token for everything";
  EXPECT_EQ(gpt2.tokenizer.decode(Ids{gpt2.tokenizer.eos_id()}), "");
}

TEST(TokenizerJson, ReadsSpecialTokensInTextAsText) {
  const Tokenizer bert = read_foreign(golden_json("wordpiece, lower-cased")).tokenizer;
  const Tokenizer roberta = read_foreign(golden_json("RoBERTa")).tokenizer;
  for (const std::int32_t id : bert.encode("[CLS] [SEP] [MASK]")) EXPECT_TRUE(id == 1 || id > 4);
  for (const std::int32_t id : roberta.encode("<s> </s> <mask>")) EXPECT_GT(id, 4);
}

TEST(TokenizerJson, IgnoresPaddingAndTruncation) {
  Json json = golden_json("wordpiece, lower-cased");
  json["padding"] = {{"strategy", {{"Fixed", 128}}}};
  json["truncation"] = {{"max_length", 2}};
  EXPECT_GT(read_foreign(json).tokenizer.encode("the small dog reads a red house").size(), 2u);
}

TEST(TokenizerJson, FillsIdsThatNoPieceHas) {
  Json json = golden_json("GPT-2");
  const auto size = static_cast<std::int32_t>(json["model"]["vocab"].size());
  json["added_tokens"].push_back({{"id", size + 2}, {"content", "<tool>"}, {"special", false}});
  const Tokenizer tokenizer = read_foreign(json).tokenizer;
  EXPECT_EQ(tokenizer.vocab_size(), size + 3);
  EXPECT_EQ(tokenizer.encode("<tool>"), Ids{size + 2});
  EXPECT_EQ(tokenizer.decode(Ids{size, size + 2, size + 1}), "<tool>");
}

TEST(TokenizerJson, NamesWhatItDoesNotKnow) {
  const auto with = [](std::string_view golden, const std::function<void(Json&)>& change) {
    Json json = golden_json(golden);
    change(json);
    return json;
  };
  const Json foo{{"type", "Foo"}};
  for (const auto& golden : goldens::kForeignTokenizers) {
    for (const char* part : {"normalizer", "pre_tokenizer", "post_processor", "decoder", "model"})
      expect_foreign_refused(with(golden.name, [&](Json& j) { j[part] = foo; }),
                             "'Foo' is not supported");
    expect_foreign_refused(with(golden.name, [&](Json& j) { j["foo"] = 1; }), "'foo' is not known");
    expect_foreign_refused(with(golden.name, [&](Json& j) { j["model"]["foo"] = 1; }),
                           "'foo' is not known");
    expect_foreign_refused(with(golden.name, [&](Json& j) { j["model"].erase("vocab"); }), "vocab");
  }
  expect_foreign_refused(
      with("wordpiece, lower-cased", [](Json& j) { j["model"]["max_input_chars_per_word"] = 0; }),
      "max_input_chars_per_word: expected");
  expect_foreign_refused(
      with("wordpiece, lower-cased", [](Json& j) { j["model"]["unk_token"] = "zzz"; }),
      "unk_token: 'zzz' is not in the vocabulary");
  expect_foreign_refused(with("GPT-2", [](Json& j) { j["model"]["dropout"] = 0.1; }), "dropout");
  expect_foreign_refused(with("GPT-2", [](Json& j) { j["model"]["merges"].push_back("a b c"); }),
                         "expected two pieces");
  expect_foreign_refused(with("GPT-2", [](Json& j) { j["model"]["merges"].push_back("Āa zz"); }),
                         "is not in the vocabulary");
  expect_foreign_refused(
      with("Llama 3", [](Json& j) { j["pre_tokenizer"]["pretokenizers"][0]["behavior"] = "Foo"; }),
      "behavior: expected Removed, Isolated");
  expect_foreign_refused(
      with("Llama 3",
           [](Json& j) { j["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "("; }),
      "its pattern '('");
  expect_foreign_refused(with("Unigram", [](Json& j) { j["model"]["unk_id"] = 100000; }), "unk_id");
  expect_foreign_refused(
      with("Unigram",
           [](Json& j) {
             j["normalizer"] = {{"type", "Precompiled"}, {"precompiled_charsmap", "!!!!"}};
           }),
      "base64");
}

TEST(TokenizerJson, RefusesIdsThatAreNone) {
  for (const Json& id : {Json(-1), Json(1 << 30), Json("a"), Json(4)}) {
    Json json = golden_json("GPT-2");
    json["model"]["vocab"]["newpiece"] = id;
    EXPECT_THROW(read_foreign(json), DataError) << id.dump();
  }
  Json json = golden_json("GPT-2");
  json["added_tokens"][0]["id"] = 5;
  expect_foreign_refused(json, "have the same id");
  EXPECT_THROW(read_tokenizer_json("", {}, "x"), DataError);
  EXPECT_THROW(read_tokenizer_json("[]", {}, "x"), DataError);
  EXPECT_THROW(read_foreign(golden_json("GPT-2"), {.bos = "<begin>"}), DataError);
}

}  // namespace
}  // namespace attend
