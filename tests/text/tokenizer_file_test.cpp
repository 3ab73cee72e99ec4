// Tokenizers of our own engines as bytes, and bytes that are made to harm.
#include "attend/text/tokenizer_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "attend/error.h"
#include "text/small_engines.h"

namespace attend {
namespace {

using Json = nlohmann::json;

std::string refusal_of(const std::string& bytes) {
  try {
    Tokenizer::from_bytes(bytes);
  } catch (const DataError& error) {
    return error.what();
  }
  return "nothing is refused";
}

void expect_refused(const Json& json, std::string_view complaint) {
  const std::string message = refusal_of(json.dump());
  EXPECT_NE(message.find(complaint), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

Json wordpiece_json() { return Json::parse(detail::tokenizer_bytes(small_wordpiece())); }

Json byte_bpe_json() {
  detail::ByteBpeDescription d = small_byte_bpe();
  add_merge(d, "h", "e");
  return Json::parse(detail::tokenizer_bytes(d));
}

TEST(TokenizerFile, GivesTheSameTokenizerBack) {
  detail::ByteBpeDescription d = small_byte_bpe();
  add_merge(d, "h", "e");
  d.prefix_space = d.ignore_merges = true;
  d.normalization = {detail::UnicodeForm::nfkc, true, true};
  for (const std::string& bytes :
       {detail::tokenizer_bytes(d), detail::tokenizer_bytes(small_wordpiece())}) {
    const auto read = detail::read_tokenizer_file(bytes);
    EXPECT_EQ(std::visit([](const auto& one) { return detail::tokenizer_bytes(one); }, read),
              bytes);
    EXPECT_EQ(Tokenizer::from_bytes(bytes).bytes(), bytes);
  }
}

TEST(TokenizerFile, RefusesWhatItDoesNotKnow) {
  for (Json json : {wordpiece_json(), byte_bpe_json()}) {
    for (const auto& [name, value] : json.items()) {
      Json without = json;
      without.erase(name);
      expect_refused(without, name);
      Json other = json;
      other[name] = Json::array({Json::object()});
      EXPECT_NE(refusal_of(other.dump()), "nothing is refused") << name;
    }
    json["unheard"] = 1;
    expect_refused(json, "'unheard' is not known");
    json.erase("unheard");
    json["engine"] = "other";
    expect_refused(json, "'other' is not known");
  }
  EXPECT_NE(refusal_of("{"), "nothing is refused");
  EXPECT_NE(refusal_of("{}").find("engine"), std::string::npos);
}

TEST(TokenizerFile, RefusesPiecesThatAreNone) {
  for (const Json& good : {wordpiece_json(), byte_bpe_json()}) {
    const auto with = [&](const Json& piece) {
      Json json = good;
      json["pieces"].push_back(piece);
      return json;
    };
    expect_refused(with(""), "a piece is empty");
    expect_refused(with(good["pieces"][0]), "appears twice");
    expect_refused(with(std::string(5000, 'a')), "5000 bytes");
    expect_refused(with(7), "pieces");
    Json none = good;
    none["pieces"] = Json::array();
    expect_refused(none, "found 0");
  }
  Json json = byte_bpe_json();
  json["pieces"].push_back("a b");
  expect_refused(json, "'a b' is not made of bytes");
}

TEST(TokenizerFile, RefusesIdsOutsideTheVocabulary) {
  for (const Json& good : {wordpiece_json(), byte_bpe_json()}) {
    for (const char* name : {"bos", "eos", "pad", "unk"}) {
      Json json = good;
      json["special"][name] = 5000;
      expect_refused(json, "id 5000");
    }
    Json json = good;
    json["controls"].push_back(5000);
    expect_refused(json, "id 5000");
    json = good;
    json["controls"] = Json::array();
    expect_refused(json, "is no control piece");
  }
  for (const char* name : {"merges", "added"}) {
    Json json = byte_bpe_json();
    json[name] = {5000, 4};
    expect_refused(json, "id 5000");
  }
}

TEST(TokenizerFile, RefusesMergesThatMakeNoPiece) {
  Json json = byte_bpe_json();
  json["merges"].push_back(4);
  expect_refused(json, "one side");
  json["merges"].push_back(4);
  expect_refused(json, "no piece is what a merge makes");
  json = byte_bpe_json();
  for (const std::size_t side : {0u, 1u}) json["merges"].push_back(json["merges"][side]);
  expect_refused(json, "of the same pieces");
  json = byte_bpe_json();
  json["pieces"].push_back("a<unk>");
  json["merges"] = {4 + 'a', 3};
  expect_refused(json, "'<unk>' is part of a merge");
}

TEST(TokenizerFile, NeedsAWayToWriteEveryText) {
  Json json = wordpiece_json();
  json["special"]["unk"] = -1;
  expect_refused(json, "no unknown token");
  json = byte_bpe_json();
  json["special"]["unk"] = -1;
  json["controls"].push_back(3);
  EXPECT_EQ(Tokenizer::from_bytes(json.dump()).unk_id(), -1) << "bytes write everything";
  json["merges"] = Json::array();
  json["controls"].push_back(4 + 'q');
  expect_refused(json, "no piece is the byte 0x71");
}

TEST(TokenizerFile, RefusesPatternsThatAreNone) {
  Json json = byte_bpe_json();
  json["patterns"] = {"("};
  expect_refused(json, "pattern");
  json["patterns"] = std::vector<std::string>(17, "a");
  expect_refused(json, "more than 16 patterns");
}

TEST(TokenizerFile, IsReadInTimeWhateverItsMembers) {
  std::string json = "{\"a\":0";
  for (int i = 0; i < 200'000; ++i) json += ",\"member" + std::to_string(i) + "\":0";
  const std::clock_t begin = std::clock();
  EXPECT_NE(refusal_of(json + "}"), "nothing is refused");
  EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace attend
