#include "attend/interchange/families/gguf/gguf_tokenizer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Json = nlohmann::json;

// A SentencePiece vocabulary: three control tokens, 256 bytes and pieces with scores.
Json sentencepiece_metadata(const std::vector<std::pair<std::string, double>>& pieces) {
  Json tokens{"<unk>", "<s>", "</s>"}, types{2, 3, 3}, scores{0, 0, 0};
  for (int byte = 0; byte < 256; ++byte) {
    tokens.push_back(fmt::format("<0x{:02X}>", byte));
    types.push_back(6);
    scores.push_back(0);
  }
  for (const auto& [piece, score] : pieces) {
    tokens.push_back(piece);
    types.push_back(1);
    scores.push_back(score);
  }
  return {{"tokenizer.ggml.model", "llama"},
          {"tokenizer.ggml.tokens", tokens},
          {"tokenizer.ggml.token_type", types},
          {"tokenizer.ggml.scores", scores}};
}

GgufTokenizer tokenizer_of(const Json& metadata) {
  ForeignConfig config(metadata, "file");
  GgufTokenizer read = read_gguf_tokenizer(config);
  config.require_all_known();
  return read;
}

void expect_refused_tokenizer(const Json& metadata,
                              std::initializer_list<std::string_view> fragments) {
  expect_error<DataError>([&] { tokenizer_of(metadata); }, fragments);
}

Json tokenizer_json(const Json& metadata) {
  return Json::parse(tokenizer_of(metadata).files.at("tokenizer.json"));
}

TEST(GgufTokenizer, JoinsThePairWithTheBestScoreFirst) {
  const Json metadata = sentencepiece_metadata(
      {{"a", -5}, {"b", -6}, {"c", -7}, {"bc", -1}, {"ab", -2}, {"abc", -0.5}});
  EXPECT_EQ(tokenizer_json(metadata)["model"]["merges"],
            Json::parse(R"([["ab", "c"], ["a", "bc"], ["b", "c"], ["a", "b"]])"));
  EXPECT_EQ(tokenizer_of(metadata).pieces, 265);
}

// As Llama's: llama.cpp joins the first pair of a text.
TEST(GgufTokenizer, LengthensRunsWithEqualScoresFromTheLeft) {
  EXPECT_EQ(tokenizer_json(
                sentencepiece_metadata({{"▁", -3}, {"▁▁", -9}, {"▁▁▁", -9}}))["model"]["merges"],
            Json::parse(R"([["▁▁", "▁"], ["▁", "▁"], ["▁", "▁▁"]])"));
  expect_refused_tokenizer(
      sentencepiece_metadata({{"a", -5}, {"b", -6}, {"ab", -2}, {"ba", -2}}),
      {"tokenizer.ggml.scores", "the pieces 'ab' and 'ba' have the same score"});
}

TEST(GgufTokenizer, PutsSpacesBeforeTextsUnlessTheFileSaysOtherwise) {
  Json metadata = sentencepiece_metadata({{"▁", -1}});
  EXPECT_EQ(tokenizer_json(metadata)["normalizer"]["normalizers"].size(), 2u);
  metadata["tokenizer.ggml.add_space_prefix"] = false;
  EXPECT_EQ(tokenizer_json(metadata)["normalizer"]["normalizers"].size(), 1u);
}

TEST(GgufTokenizer, NamesTheTokensAroundTexts) {
  Json metadata = sentencepiece_metadata({{"▁", -1}});
  const Json usual{{{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}},
                   {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}};
  EXPECT_EQ(tokenizer_json(metadata)["post_processor"]["single"], usual);
  metadata["tokenizer.ggml.add_bos_token"] = false;
  EXPECT_TRUE(tokenizer_json(metadata)["post_processor"].is_null());
  metadata["tokenizer.ggml.add_eos_token"] = true;
  EXPECT_EQ(tokenizer_json(metadata)["post_processor"]["single"][1]["SpecialToken"]["id"], "</s>");
  metadata["tokenizer.chat_template"] = "{{ messages }}";
  metadata["tokenizer.chat_template.tool_use"] = "other";
  const Json settings = Json::parse(tokenizer_of(metadata).files.at("tokenizer_config.json"));
  EXPECT_EQ(settings["chat_template"], "{{ messages }}");
  EXPECT_EQ(settings["unk_token"], "<unk>");
}

TEST(GgufTokenizer, WantsPiecesForEveryByteAndCharacter) {
  Json metadata = sentencepiece_metadata({{"▁", -1}});
  metadata["tokenizer.ggml.tokens"][3 + 10] = "other";
  expect_refused_tokenizer(metadata, {"found no <0x0A>"});
  expect_refused_tokenizer(sentencepiece_metadata({{"a", -1}, {"aé", -2}}),
                           {"'aé' is a piece, but a character of it is none"});
  expect_refused_tokenizer(sentencepiece_metadata({{std::string(1001, 'a'), -1}}),
                           {"piece 259 has 1001 bytes, more than 1000"});
  metadata = sentencepiece_metadata({{"▁", -1}});
  metadata["tokenizer.ggml.scores"] = {1, 2};
  expect_refused_tokenizer(metadata, {"expected 260 scores, found 2"});
}

}  // namespace
}  // namespace attend
