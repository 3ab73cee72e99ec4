// Random tokenizers with what Hugging Face's tokenizers library makes of random texts, from
// tools/fuzz_tokenizers.py. ATTEND_TOKENIZER_CASES names another file of cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/interchange/tokenizers/tokenizer_json.h"
#include "attend/text/token_places.h"

namespace attend {
namespace {

using Ids = std::vector<std::int32_t>;
using Json = nlohmann::json;

std::string cases_file() {
  const char* const named = std::getenv("ATTEND_TOKENIZER_CASES");
  return named != nullptr ? named
                          : ATTEND_SOURCE_DIR "/tests/interchange/data/tokenizer_cases.jsonl";
}

// The tokenizer of a file without its vocabulary, for messages.
std::string outline(Json tokenizer) {
  for (const char* list : {"vocab", "merges"})
    if (tokenizer["model"].contains(list)) tokenizer["model"][list] = "...";
  return tokenizer.dump();
}

bool has_special(const Ids& ids, const Json& description, const Tokenizer& tokenizer) {
  return std::any_of(ids.begin(), ids.end(), [&](std::int32_t id) {
    return id != tokenizer.unk_id() &&
           std::any_of(description["added_tokens"].begin(), description["added_tokens"].end(),
                       [&](const Json& token) { return token["special"] && token["id"] == id; });
  });
}

// Places in characters.
using Offsets = std::vector<std::pair<std::size_t, std::size_t>>;
Offsets offsets_of(std::span<const TokenSpan> places, const std::string& text) {
  Offsets offsets;
  for (const TokenSpan span : places)
    offsets.emplace_back(count_code_points(std::string_view(text).substr(0, span.begin)),
                         count_code_points(std::string_view(text).substr(0, span.end)));
  return offsets;
}

void expect_case(const Tokenizer& tokenizer, const Json& wanted, const Json& description) {
  const auto text = wanted["text"].get<std::string>();
  const auto ids = wanted["ids"].get<Ids>();
  EXPECT_EQ(tokenizer.encode(text, SpecialText::as_tokens), ids) << wanted << "\n"
                                                                 << outline(description);
  EXPECT_EQ(tokenizer.spans(text, SpecialText::as_tokens).size(), ids.size()) << wanted;
  if (wanted.contains("offsets")) {
    auto places = TokenPlaces::untrimmed(tokenizer, text, SpecialText::as_tokens);
    EXPECT_EQ(offsets_of(places, text), wanted["offsets"].get<Offsets>()) << wanted << "\n"
                                                                          << outline(description);
    TokenPlaces::trim(tokenizer, text, ids, places);
    EXPECT_EQ(offsets_of(places, text),
              wanted[wanted.contains("trimmed") ? "trimmed" : "offsets"].get<Offsets>())
        << wanted << "\n"
        << outline(description);
  }
  // The library may find the string of a special token among the pieces of its model.
  const auto plain = wanted["plain"].get<Ids>();
  const Ids ours = tokenizer.encode(text);
  if (!has_special(plain, description, tokenizer)) {
    EXPECT_EQ(ours, plain) << wanted << "\n" << outline(description);
  }
  EXPECT_FALSE(has_special(ours, description, tokenizer)) << wanted << "\n" << outline(description);
  if (!wanted.contains("decoded")) return;
  std::string decoded = wanted["decoded"].get<std::string>();
  std::replace_if(
      decoded.begin(), decoded.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  EXPECT_EQ(tokenizer.decode(ids), decoded) << wanted << "\n" << outline(description);
}

TEST(TokenizerCases, AreWhatTheirOwnLibraryMakesOfThem) {
  std::ifstream file(cases_file());
  ASSERT_TRUE(file) << cases_file();
  std::optional<Tokenizer> tokenizer;
  Json description;
  int tokenizers = 0, refused = 0, texts = 0;
  for (std::string line; std::getline(file, line);) {
    Json json = Json::parse(line);
    if (!json.contains("tokenizer")) {
      if (!tokenizer) continue;
      expect_case(*tokenizer, json, description);
      ++texts;
      continue;
    }
    ++tokenizers;
    description = std::move(json["tokenizer"]);
    tokenizer.reset();
    try {
      tokenizer = read_tokenizer_json(description.dump(), {}, "tokenizer.json").tokenizer;
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(texts, 0);
  EXPECT_LT(refused, tokenizers / 4) << "of " << tokenizers;
  if (std::getenv("ATTEND_TOKENIZER_CASES") != nullptr)
    std::cout << "compared " << texts << " texts; refused " << refused << " of " << tokenizers
              << " tokenizers\n";
}

}  // namespace
}  // namespace attend
