// Random patterns with what the tokenizers library makes of them, from tools/fuzz_patterns.py.
// ATTEND_PATTERN_CASES names another file of cases.
#include "attend/text/huggingface/patterns/oniguruma.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attend/error.h"
#include "attend/text/huggingface/pre_tokenizers.h"
#include "attend/text/huggingface/text_normalizers.h"

namespace attend::detail {
namespace {

using PatternJson = nlohmann::json;

std::string pattern_cases_file() {
  const char* const named = std::getenv("ATTEND_PATTERN_CASES");
  return named != nullptr ? named : ATTEND_SOURCE_DIR "/tests/text/data/pattern_cases.jsonl";
}

std::vector<std::string> parts_of(const PreTokenizerStep& split, const std::string& text) {
  CutText cut;
  cut.text.append(AlignedText(text), 0, text.size());
  if (!text.empty()) cut.parts.push_back({0, text.size()});
  split(cut);
  std::vector<std::string> parts;
  for (const CutText::Part& part : cut.parts)
    parts.emplace_back(cut.text.bytes(part.begin, part.end));
  return parts;
}

std::string replaced_in(const NormalizerStep& replace, const std::string& text) {
  AlignedText changed(text);
  if (!text.empty()) replace(changed);
  return std::string(changed.bytes());
}

TEST(Oniguruma, PatternsFindWhatTheirOwnLibraryFinds) {
  std::ifstream file(pattern_cases_file());
  ASSERT_TRUE(file) << pattern_cases_file();
  int patterns = 0, refused = 0, texts = 0;
  for (std::string line; std::getline(file, line); ++patterns) {
    const PatternJson one = PatternJson::parse(line);
    try {
      const auto split = read_pre_tokenizers(PatternJson::array({one["split"]}), "split").front();
      const auto replace =
          read_normalizers(PatternJson::array({one["replace"]}), "replace").front();
      for (const PatternJson& wanted : one["texts"]) {
        const auto text = wanted["text"].get<std::string>();
        try {
          EXPECT_EQ(parts_of(split, text), wanted["parts"].get<std::vector<std::string>>())
              << one["split"] << " " << wanted["text"];
          EXPECT_EQ(replaced_in(replace, text), wanted["replaced"].get<std::string>())
              << one["replace"] << " " << wanted["text"];
        } catch (const DataError& error) {  // it takes too long
          ++refused;
          break;
        }
        ++texts;
      }
    } catch (const DataError& error) {
      ++refused;
      if (std::getenv("ATTEND_PATTERN_CASES") != nullptr) std::cerr << error.what() << "\n";
    }
  }
  EXPECT_GT(texts, 0);
  EXPECT_LT(refused, patterns / 2) << "of " << patterns;
  if (std::getenv("ATTEND_PATTERN_CASES") != nullptr)
    std::cout << "compared " << texts << " texts; refused " << refused << " of " << patterns
              << " patterns\n";
}

}  // namespace
}  // namespace attend::detail
