// Random directories with a SentencePiece model, with the tokens that AutoTokenizer of transformers
// gives, from tools/fuzz_tokenizer_directories.py. ATTEND_DIRECTORY_CASES names another file.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "attend/core/strings/base64.h"
#include "attend/error.h"
#include "attend/interchange/tokenizers/tokenizer_directory.h"

namespace attend {
namespace {

using CaseJson = nlohmann::json;
using CaseIds = std::vector<std::int32_t>;

std::string directory_cases_file() {
  const char* const named = std::getenv("ATTEND_DIRECTORY_CASES");
  return named != nullptr ? named
                          : ATTEND_SOURCE_DIR "/tests/interchange/data/tokenizer_directories.jsonl";
}

// "@3" stands for the SentencePiece model of the case 3.
std::string model_in(const std::vector<CaseJson>& cases, const CaseJson& files) {
  for (const auto& [name, content] : files.items()) {
    if (!name.ends_with(".model")) continue;
    const auto text = content.get<std::string>();
    return text.starts_with("@") ? model_in(cases, cases[std::stoul(text.substr(1))]["files"])
                                 : from_base64(text);
  }
  throw std::logic_error("no model");
}

ForeignTokenizer read_case(const std::vector<CaseJson>& cases, const CaseJson& one) {
  const CaseJson& files = one["files"];
  return read_tokenizer_directory(
      [&](std::string_view name) -> std::optional<std::string> {
        const auto found = files.find(std::string(name));
        if (found == files.end()) return std::nullopt;
        return name.ends_with(".model") ? model_in(cases, files) : found->get<std::string>();
      },
      "model", {.ids = one["size"].get<std::int64_t>()});
}

std::string shown_case(CaseJson one) {
  for (const char* file : {"spiece.model", "sentencepiece.bpe.model", "tokenizer.model",
                           "spm.model", "tokenizer.json"})
    if (one["files"].contains(file)) one["files"][file] = "...";
  for (const char* list : {"texts", "ids"}) one.erase(list);
  return one.dump();
}

TEST(TokenizerDirectoryCases, AreWhatAutoTokenizerMakesOfThem) {
  std::ifstream file(directory_cases_file());
  ASSERT_TRUE(file) << directory_cases_file();
  std::vector<CaseJson> cases;
  for (std::string line; std::getline(file, line);) cases.push_back(CaseJson::parse(line));
  int refused = 0, texts = 0;
  for (const CaseJson& one : cases) {
    if (one.contains("fails")) continue;
    SCOPED_TRACE(shown_case(one));
    try {
      const ForeignTokenizer foreign = read_case(cases, one);
      for (std::size_t i = 0; i < one["texts"].size(); ++i, ++texts)
        EXPECT_EQ(
            foreign.tokenizer.encode(one["texts"][i].get<std::string>(), SpecialText::as_tokens),
            one["ids"][i].get<CaseIds>())
            << one["texts"][i];
      CaseIds marks = foreign.prefix;
      marks.insert(marks.end(), foreign.suffix.begin(), foreign.suffix.end());
      EXPECT_EQ(marks, one["marks"].get<CaseIds>());
    } catch (const DataError& error) {
      ++refused;
      if (std::getenv("ATTEND_DIRECTORY_CASES") != nullptr)
        std::cerr << error.what() << "\n   " << shown_case(one) << "\n";
    }
  }
  EXPECT_GT(texts, 0);
  EXPECT_LT(refused, std::ssize(cases) / 4);
  if (std::getenv("ATTEND_DIRECTORY_CASES") != nullptr)
    std::cout << "compared " << texts << " texts; refused " << refused << " of " << cases.size()
              << " directories\n";
}

}  // namespace
}  // namespace attend
