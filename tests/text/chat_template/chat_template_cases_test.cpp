// Random templates, and what Jinja makes of them: written by tools/make_template_cases.py.
// ATTEND_TEMPLATE_CASES names another file of cases.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <optional>
#include <string>

#include "attend/core/json/json.h"
#include "attend/error.h"
#include "attend/text/chat_template/chat_template.h"

namespace attend {
namespace {

std::string path_of_cases() {
  const char* other = std::getenv("ATTEND_TEMPLATE_CASES");
  return other != nullptr ? other : ATTEND_SOURCE_DIR "/tests/text/data/template_cases.jsonl";
}

// 2026-11-27 21:05:09, a Friday.
std::tm time_of_cases() {
  std::tm now{};
  now.tm_year = 126;
  now.tm_mon = 10;
  now.tm_mday = 27;
  now.tm_hour = 21;
  now.tm_min = 5;
  now.tm_sec = 9;
  now.tm_wday = 5;
  now.tm_yday = 330;
  return now;
}

struct Outcome {
  std::optional<std::string> output, refusal = std::nullopt;
};

Outcome outcome_of(const nlohmann::ordered_json& one) {
  try {
    const ChatTemplate source(one["template"].get<std::string>());
    return {source.render(one["values"], time_of_cases())};
  } catch (const DataError& error) {
    return {std::nullopt, error.what()};
  }
}

TEST(ChatTemplateCases, AreEqualToJinjaOrRefused) {
  std::ifstream file(path_of_cases());
  int cases = 0, outputs = 0, refusals = 0;
  for (std::string line; std::getline(file, line); ++cases) {
    const auto one = parse_json(line, "case");
    const Outcome outcome = outcome_of(one);
    const std::string source = one["template"];
    if (!one.contains("output")) {
      EXPECT_FALSE(outcome.output) << source << "\nJinja: " << one["error"];
      continue;
    }
    ++outputs;
    if (outcome.output) {
      EXPECT_EQ(*outcome.output, one["output"].get<std::string>()) << source;
      continue;
    }
    ++refusals;
    EXPECT_NE(outcome.refusal->find("is not supported"), std::string::npos) << source << "\n"
                                                                            << *outcome.refusal;
  }
  EXPECT_GE(cases, 500) << path_of_cases();
  EXPECT_LE(refusals * 50, outputs) << "at most 2 %";
}

}  // namespace
}  // namespace attend
