// What --help says of every option of every command is understood alone: whoever looks for one
// option does not read those above.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "attend/cli/commands/commands.h"

namespace attend {
namespace {

struct HelpLine {
  std::string option;  // "attend train lm --dropout"
  std::string text;    // without the range and the default
};

class Help : public testing::Test {
 protected:
  Help() : app_("test", "attend") {
    add_commands(app_);
    collect(app_, "attend");
  }

  void collect(CLI::App& app, const std::string& name) {
    std::vector<HelpLine>& lines = commands_[name];
    static const std::regex added("( \\((from|above) [^()]*\\)| \\(on by default\\))$");
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_lnames().empty() || option->get_lnames().front() == "help") continue;
      lines.push_back({name + " --" + option->get_lnames().front(),
                       std::regex_replace(option->get_description(), added, "")});
    }
    for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
      collect(*command, name + " " + command->get_name());
  }

  CLI::App app_;
  std::map<std::string, std::vector<HelpLine>> commands_;
};

// Words that point to another line, and words that are not English for what is meant.
std::string forbidden_word(const std::string& text) {
  static const std::regex words(
      "\\b(it|them|they|latter|former|behind|so many|so much|anew|in the "
      "mean|beforehand|normalis\\w*|optimis\\w*|"
      "tokenis\\w*|memoris\\w*|honour|colour)\\b");
  std::smatch match;
  return std::regex_search(text, match, words) ? match.str() : "";
}

TEST_F(Help, FindsTheOptionsOfEveryCommand) {
  std::size_t options = 0;
  for (const auto& [name, lines] : commands_) options += lines.size();
  EXPECT_GT(options, 300u);
  EXPECT_GT(commands_["attend train translation"].size(), 60u);
}

TEST_F(Help, FindsWordsThatPointElsewhere) {
  EXPECT_EQ(forbidden_word("target side of it"), "it");
  EXPECT_EQ(forbidden_word("added to the root of the latter"), "latter");
  EXPECT_EQ(forbidden_word("average so many of the last checkpoints"), "so many");
  EXPECT_EQ(forbidden_word("units of splits with limits"), "");
}

TEST_F(Help, LinesStandAlone) {
  for (const auto& [name, lines] : commands_)
    for (const HelpLine& line : lines)
      EXPECT_EQ(forbidden_word(line.text), "") << line.option << ": " << line.text;
}

// An abbreviation or a name keeps its capitals.
TEST_F(Help, LinesBeginWithASmallLetter) {
  for (const auto& [name, lines] : commands_) {
    for (const HelpLine& line : lines) {
      ASSERT_FALSE(line.text.empty()) << line.option;
      const bool name_first = line.text.size() > 1 && std::isupper(line.text[1]) != 0;
      const bool named = line.text.starts_with("Transformer ") || line.text.starts_with("Unicode ");
      EXPECT_TRUE(std::islower(line.text[0]) != 0 || name_first || named)
          << line.option << ": " << line.text;
      EXPECT_NE(line.text.back(), '.') << line.option << ": " << line.text;
    }
  }
}

TEST_F(Help, LinesAreShort) {
  constexpr std::size_t kLongest = 150;
  for (const auto& [name, lines] : commands_)
    for (const HelpLine& line : lines)
      EXPECT_LE(line.text.size(), kLongest) << line.option << ": " << line.text;
}

TEST_F(Help, LinesOfACommandDiffer) {
  for (const auto& [name, lines] : commands_) {
    std::map<std::string, std::string> option_of;
    for (const HelpLine& line : lines) {
      const auto [at, is_new] = option_of.emplace(line.text, line.option);
      EXPECT_TRUE(is_new) << line.option << " says the same as " << at->second << ": " << line.text;
    }
  }
}

}  // namespace
}  // namespace attend
