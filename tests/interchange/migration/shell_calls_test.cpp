#include "attend/interchange/migration/shell_calls.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "attend/error.h"

namespace attend {
namespace {

std::vector<ShellCall> calls(const std::string& script) {
  return read_shell_calls(
      script, "x.sh", [](std::string_view name) { return name == "run" || name == "fairseq-x"; });
}
using Words = std::vector<std::string>;

Words words(const std::string& script) {
  const std::vector<ShellCall> found = calls(script);
  EXPECT_EQ(found.size(), 1u) << script;
  return found.empty() ? Words{} : found.front().words;
}

std::string error(const std::string& script) {
  try {
    calls(script);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(ShellCalls, ReadsWordsAsAShellDoes) {
  EXPECT_EQ(words("run a  b\tc"), (Words{"a", "b", "c"}));
  EXPECT_EQ(words("run \\\n  --a \\\r\n b"), (Words{"--a", "b"}));
  EXPECT_EQ(words("run 'a b' \"c \\\" d\" e\\ f ''"), (Words{"a b", "c \" d", "e f", ""}));
  EXPECT_EQ(words("run a'b'\"c\" # d\n"), (Words{"abc"}));
  EXPECT_EQ(words("run a#b"), (Words{"a#b"}));
  EXPECT_EQ(words("run '(0.9, 0.98)' '{\"beam\": 5}'"), (Words{"(0.9, 0.98)", "{\"beam\": 5}"}));
  EXPECT_EQ(words("run \"a\\\nb\" \"c\\d\""), (Words{"ab", "c\\d"}));
}

TEST(ShellCalls, EndsACallWhereItsCommandEnds) {
  EXPECT_EQ(words("run a > out b 2>&1 | tee c"), (Words{"a", "b"}));
  EXPECT_EQ(words("cd x; run a; other b"), (Words{"a"}));
  EXPECT_EQ(words("(cd x && run a) &\n"), (Words{"a"}));
  EXPECT_EQ(words("run a < in"), (Words{"a"}));
  EXPECT_EQ(words("run 2 3"), (Words{"2", "3"}));
}

TEST(ShellCalls, FindsProgramsByTheLastPartOfTheirPath) {
  EXPECT_EQ(calls("X=1 nohup /usr/bin/run a").front().program, "run");
  EXPECT_EQ(calls("$HERE/build/run a").front().program, "run");
  EXPECT_EQ(calls("python -m fairseq_cli.x a").front().program, "fairseq-x");
  EXPECT_EQ(calls("python fairseq/fairseq_cli/x.py a").front().program, "fairseq-x");
  EXPECT_EQ(calls("walk a\n\nrun b").front().line, 3);
  EXPECT_TRUE(calls("echo 'run a'; walk\nRUN=run").empty());
}

TEST(ShellCalls, KnowsVariablesThatTheScriptSets) {
  EXPECT_EQ(words("A=x/y\nexport B='c d'\nrun $A/z ${A}q \"$B\" $B"),
            (Words{"x/y/z", "x/yq", "c d", "c", "d"}));
  EXPECT_EQ(words("A=$HOME/x\nrun '$A'"), (Words{"$A"}));
  EXPECT_NE(error("A=$HOME/x\nrun $A").find("x.sh, line 2: expected words, found '$HOME'"),
            std::string::npos)
      << error("A=$HOME/x\nrun $A");
  for (const std::string open : {"$A", "${A:-b}", "$(cat a)", "`cat a`", "$1", "\"$A\""})
    EXPECT_NE(error("run " + open).find("whose value the file does not say"), std::string::npos)
        << open;
}

TEST(ShellCalls, RefusesAQuoteThatDoesNotEnd) {
  EXPECT_EQ(error("walk\nrun 'a"), "x.sh, line 2: expected a closing quote");
  EXPECT_EQ(error("run a\nrun \"b\n\nc"), "x.sh, line 2: expected a closing quote");
}

constexpr MigrationRule kShellRules[] = {
    {"flag", is_same, "", Takes::none}, {"one", is_same}, {"some", is_same, "", Takes::list}};
constexpr std::span<const MigrationRule> kShellTables[] = {kShellRules};
constexpr std::pair<char, std::string_view> kShellLetters[] = {{'o', "one"}};

std::vector<std::string> options(const std::string& script) {
  std::vector<std::string> spelled_options;
  for (const ForeignOption& option :
       read_call_options(calls(script).front(), {kShellTables, kShellLetters, "data"}, "x.sh"))
    spelled_options.push_back(spelled(option, OptionStyle::command_line));
  return spelled_options;
}

TEST(ShellCalls, GiveOptionsAsManyWordsAsTheyTake) {
  EXPECT_EQ(options("run a --flag b --one c d --some e f --one c"),
            (Words{"--flag", "--one c", "--some e f", "data: a b d"}));
  EXPECT_EQ(options("run -o -1 --some=a --other b c"),
            (Words{"--one -1", "--some a", "--other b c"}));
}

}  // namespace
}  // namespace attend
