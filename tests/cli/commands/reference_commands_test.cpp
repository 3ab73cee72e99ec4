// attend help, attend man, attend completion: made from the options, so that all of them are in.
#include <CLI/CLI.hpp>

#include "attend/cli/commands/commands.h"
#include "attend/cli/reference/command_list.h"
#include "cli/started_program.h"

namespace attend {
namespace {

class ReferenceCommands : public StartedProgramTest {
 protected:
  ReferenceCommands() : app_("test", "attend") {
    app_.set_version_flag("--version", "as the program has it");
    add_commands(app_);
    program_ = list_commands(app_);
  }

  bool has_tool(const std::string& name) {
    return shell("command -v " + name + " >/dev/null") == 0;
  }

  // What bash offers for the last of these words.
  std::vector<std::string> completions(const std::string& words) {
    const std::string script = path("completion.bash");
    EXPECT_EQ(shell("$attend completion bash >" + script), 0) << error_;
    EXPECT_EQ(shell("bash -c 'source " + script + "; COMP_WORDS=(" + words +
                    "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _attend; "
                    "printf \"%s\\n\" \"${COMPREPLY[@]}\"'"),
              0)
        << error_;
    return lines_of_output();
  }

  // What zsh offers for the last of these words, without the descriptions. The functions of its
  // completion system that the script calls print their matches here.
  std::vector<std::string> zsh_completions(const std::string& words) {
    const std::string script = path("completion.zsh");
    EXPECT_EQ(shell("$attend completion zsh >" + script), 0) << error_;
    write("run.zsh", R"(matches() {
  local -i none=1
  for one; do [[ $one == $PREFIX* ]] && print -r -- $one && none=0; done
  return none
}
_describe() { matches "${(@)${(@P)argv[-1]}%%:*}"; }
compadd() { shift; matches "$@"; }
_files() { print FILES; }
compdef() { :; }
complete_words() { words=("$@") CURRENT=$# PREFIX=${argv[-1]}; _attend; }
)"
                     "source " +
                         script + "\ncomplete_words " + words + "\nexit 0\n");
    EXPECT_EQ(shell("zsh -f " + path("run.zsh")), 0) << error_;
    EXPECT_EQ(error_, "");
    return lines_of_output();
  }

  // What fish offers for an unfinished line, without the descriptions.
  std::vector<std::string> fish_completions(const std::string& line) {
    const std::string script = path("completion.fish");
    EXPECT_EQ(shell("$attend completion fish >" + script), 0) << error_;
    EXPECT_EQ(shell("HOME=" + folder_ + " fish --no-config -c \"source " + script +
                    "; complete -C '" + line + "'\" | cut -f1"),
              0)
        << error_;
    return lines_of_output();
  }

  std::vector<std::string> lines_of_output() const {
    std::istringstream lines(out_);
    std::vector<std::string> found;
    for (std::string line; std::getline(lines, line);)
      if (!line.empty()) found.push_back(line);
    return found;
  }

  CLI::App app_;
  ListedCommand program_;
};

using Words = std::vector<std::string>;

TEST_F(ReferenceCommands, HelpSaysWhatTheFlagSays) {
  for (const ListedCommand* command : all_commands(program_)) {
    const Words words = [&] {
      std::istringstream all(command->path);
      return Words{std::istream_iterator<std::string>(all), {}};
    }();
    Words asked = words, named{"help"};
    asked.push_back("--help");
    named.insert(named.end(), words.begin(), words.end());
    ASSERT_EQ(run(asked), 0) << error_;
    const std::string by_flag = out_;
    ASSERT_EQ(run(named), 0) << error_;
    EXPECT_EQ(out_, by_flag) << command->path;
    EXPECT_FALSE(by_flag.empty());
  }
}

TEST_F(ReferenceCommands, HelpForACommandThatDoesNotExistIsRefused) {
  expect_usage_error({"help", "trian"}, {"attend has no command trian", "did you mean train"});
  expect_usage_error({"help", "train", "lmm"}, {"attend train has no command lmm", "mean lm"});
}

TEST_F(ReferenceCommands, ManualPageHasEveryCommandAndOption) {
  ASSERT_EQ(run({"man"}), 0) << error_;
  EXPECT_NE(out_.find("\\-\\-beam\\-size"), std::string::npos) << "minus signs, not hyphens";
  std::string page;
  for (std::size_t i = 0; i < out_.size(); ++i)
    if (out_.compare(i, 2, "\\-") != 0) page += out_[i];
  for (const ListedCommand* command : all_commands(program_)) {
    if (command->path.empty()) continue;
    const std::size_t begin = page.find(".SS attend " + command->path + "\n");
    ASSERT_NE(begin, std::string::npos) << command->path;
    const std::string section = page.substr(begin, page.find("\n.SS ", begin) - begin);
    for (const ListedOption& option : command->options)
      EXPECT_NE(section.find((option.negatable ? "--[no-]" : "--") + option.name + "\\fR"),
                std::string::npos)
          << command->path << " --" << option.name;
  }
  for (const char* part : {".SH EXIT STATUS", "2 wrong usage"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST_F(ReferenceCommands, ManualPageRendersWithoutWarnings) {
  if (!has_tool("groff")) GTEST_SKIP() << "there is no groff to render the page";
  ASSERT_EQ(shell("$attend man | groff -man -Tutf8 -P-cbou -ww -rLL=100n"), 0) << error_;
  EXPECT_EQ(error_, "");
  for (const char* part : {"ATTEND(1)", "EXIT STATUS", "--beam-size"})
    EXPECT_NE(out_.find(part), std::string::npos) << part;
}

TEST_F(ReferenceCommands, BashCompletesCommands) {
  EXPECT_EQ(completions("attend tra"), (Words{"train", "translate"}));
  EXPECT_EQ(completions("attend train \"\""),
            (Words{"translation", "lm", "classification", "tagging", "embedding"}));
  EXPECT_EQ(completions("attend embed ne"), Words{"nearest"});
  EXPECT_EQ(completions("attend help tra"), (Words{"train", "translate"}));
  EXPECT_EQ(completions("attend help train cl"), Words{"classification"});
}

TEST_F(ReferenceCommands, BashCompletesOptions) {
  EXPECT_EQ(completions("attend translate model --beam"), (Words{"--beam-tree", "--beam-size"}));
  EXPECT_EQ(completions("attend embed nearest model --cor"), Words{"--corpus"});
  EXPECT_EQ(completions("attend embed model --corp"), Words{});
  EXPECT_EQ(completions("attend generate --no-e"), Words{"--no-echo"});
}

TEST_F(ReferenceCommands, BashCompletesValues) {
  EXPECT_EQ(completions("attend translate model --format \"\""), (Words{"text", "json"}));
  EXPECT_EQ(completions("attend translate model --format = j"), Words{"json"});
  EXPECT_EQ(completions("attend train lm --positions le"), Words{"learned"});
  EXPECT_EQ(completions("attend completion f"), Words{"fish"});
  EXPECT_EQ(completions("attend translate model --config t"), Words{}) << "files, by bash itself";
}

TEST_F(ReferenceCommands, BashCompletesEveryOptionOfEveryCommand) {
  for (const ListedCommand* command : all_commands(program_)) {
    if (command->path == "help") continue;  // what follows it is completed as if it were not there
    const Words found = completions("attend " + command->path + " --");
    std::size_t expected = 0;
    for (const ListedOption& option : command->options) {
      for (const std::string& spelling : option.spellings())
        EXPECT_NE(std::find(found.begin(), found.end(), spelling), found.end())
            << command->path << " " << spelling;
      expected += option.spellings().size();
    }
    EXPECT_EQ(found.size(), expected) << command->path;
  }
}

TEST_F(ReferenceCommands, OtherShellsGetEveryOption) {
  ASSERT_EQ(run({"completion", "zsh"}), 0) << error_;
  const std::string zsh = out_;
  ASSERT_EQ(run({"completion", "fish"}), 0) << error_;
  const std::string fish = out_;
  EXPECT_TRUE(zsh.starts_with("#compdef attend\n")) << zsh.substr(0, 40);
  for (const ListedCommand* command : all_commands(program_)) {
    const std::size_t at = zsh.find("\n    '" + command->path + "')\n      names=(");
    ASSERT_NE(at, std::string::npos) << command->path;
    const std::string here = zsh.substr(at, zsh.find(";;\n", at) - at);
    for (const ListedOption& option : command->options) {
      for (const std::string& spelling : option.spellings()) {
        EXPECT_NE(here.find("'" + spelling + ":"), std::string::npos) << spelling;
        EXPECT_NE(fish.find("'" + command->path + "'\" -l " + spelling.substr(2) + " -d "),
                  std::string::npos)
            << spelling;
      }
    }
  }
}

TEST_F(ReferenceCommands, ZshCompletesCommandsOptionsAndValues) {
  if (!has_tool("zsh")) GTEST_SKIP() << "there is no zsh";
  EXPECT_EQ(zsh_completions("attend tra"), (Words{"train", "translate"}));
  EXPECT_EQ(zsh_completions("attend train ''"),
            (Words{"translation", "lm", "classification", "tagging", "embedding"}));
  EXPECT_EQ(zsh_completions("attend embed ne"), Words{"nearest"});
  EXPECT_EQ(zsh_completions("attend help train cl"), Words{"classification"});
  EXPECT_EQ(zsh_completions("attend translate model --beam-s"), Words{"--beam-size"});
  EXPECT_EQ(zsh_completions("attend embed model --corp"), Words{});
  EXPECT_EQ(zsh_completions("attend generate --no-e"), Words{"--no-echo"});
  EXPECT_EQ(zsh_completions("attend translate model --format ''"), (Words{"text", "json"}));
  EXPECT_EQ(zsh_completions("attend completion f"), Words{"fish"});
  EXPECT_EQ(zsh_completions("attend info ''"), Words{"FILES"});
  EXPECT_EQ(zsh_completions("attend embed runs/"), Words{"FILES"}) << "no command begins like that";
  EXPECT_EQ(zsh_completions("attend translate model --config ''"), Words{"FILES"});
  EXPECT_EQ(zsh_completions("attend translate model --beam-size ''"), Words{}) << "a number";
}

TEST_F(ReferenceCommands, FishCompletesCommandsOptionsAndValues) {
  if (!has_tool("fish")) GTEST_SKIP() << "there is no fish";
  EXPECT_EQ(fish_completions("attend tra"), (Words{"train", "translate"}));
  EXPECT_EQ(fish_completions("attend train "),
            (Words{"classification", "embedding", "lm", "tagging", "translation"}));
  EXPECT_EQ(fish_completions("attend embed ne"), Words{"nearest"});
  EXPECT_EQ(fish_completions("attend help train cl"), Words{"classification"});
  EXPECT_EQ(fish_completions("attend translate model --beam-s"), Words{"--beam-size"});
  EXPECT_EQ(fish_completions("attend embed model --corp"), Words{});
  EXPECT_EQ(fish_completions("attend generate --no-e"), Words{"--no-echo"});
  EXPECT_EQ(fish_completions("attend translate model --format "), (Words{"json", "text"}));
  EXPECT_EQ(fish_completions("attend completion f"), Words{"fish"});
  EXPECT_EQ(fish_completions("attend translate --config " + path("run.")), Words{});
  const std::string file = write("settings.toml", "");
  EXPECT_EQ(fish_completions("attend translate --config " + path("sett")), Words{file});
  EXPECT_EQ(fish_completions("attend translate model --beam-size "), Words{}) << "a number";
}

TEST_F(ReferenceCommands, OtherShellsTakeTheirScripts) {
  bool tried = false;
  for (const std::string name : {"zsh", "fish"}) {
    if (!has_tool(name)) continue;
    tried = true;
    const std::string script = path("completion." + name);
    ASSERT_EQ(shell("$attend completion " + name + " >" + script), 0) << error_;
    EXPECT_EQ(shell(name + " -n " + script), 0) << error_;
    EXPECT_EQ(error_, "");
  }
  if (!tried) GTEST_SKIP() << "there is neither zsh nor fish";
}

TEST_F(ReferenceCommands, CompletionsForAnUnknownShellAreRefused) {
  expect_usage_error({"completion", "csh"}, {"one of bash, zsh, fish", "csh"});
}

}  // namespace
}  // namespace attend
