#include "attend/cli/binding/options_binding.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <fstream>

#include "attend/core/options/config_file.h"
#include "attend/error.h"

namespace attend {
namespace {

enum class NormPlace { post, pre };
std::span<const std::string_view> enum_names(NormPlace) {
  static constexpr std::array<std::string_view, 2> kNames{"post", "pre"};
  return kNames;
}

struct Example {
  bool tie_all = true;
  bool quiet = false;
  int d_model = 512;
  std::uint64_t seed = 1;
  float dropout = 0.1f;
  std::string out = "run";
  std::vector<std::string> references;
  NormPlace norm = NormPlace::post;
  int magic = 0;
};
template <class Visitor>
void fields(Example& o, Visitor&& visit) {
  visit("tie-all", o.tie_all, "tie the embeddings");
  visit("quiet", o.quiet, "say less");
  visit("d-model", o.d_model, between(-100, 65536), "width of the model");
  visit("seed", o.seed, any_seed(), "of the random numbers");
  visit("dropout", o.dropout, below_one(), "share of zeros");
  visit("out", o.out, "folder of the run");
  visit("references", o.references, "files to compare with");
  visit("norm", o.norm, "where the norms are");
  visit("magic", o.magic, between(0, 9), experimental("tricks tried"));
}

// `attend train --config FILE ...`, with one option of its own besides a bound struct.
struct Program {
  CLI::App app{"a program", "attend"};
  Example options;
  CLI::App* train = app.add_subcommand("train", "train a model");
  OptionBinding binding{*train};

  Program() {
    app.require_subcommand(1);
    binding.add(options, "Model");
  }
  Example& parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "attend");
    parse_command_line(app, static_cast<int>(arguments.size()), arguments.data());
    return options;
  }
};

std::string error_of(const std::vector<const char*>& arguments) {
  Program program;
  try {
    program.parse(arguments);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

class ConfigFile : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    std::ofstream(path_) << text;
    return path_;
  }
  std::string error_of_file(const std::string& text) {
    write(text);
    std::string message = error_of({"train", "--config", path_.c_str()});
    const auto at = message.find(path_);
    return at == std::string::npos ? message : message.replace(at, path_.size(), "c.toml");
  }
  ~ConfigFile() override { std::filesystem::remove(path_); }

  std::string path_ = testing::TempDir() + "config_" +
                      testing::UnitTest::GetInstance()->current_test_info()->name() +
                      std::to_string(getpid()) + ".toml";
};

TEST(OptionBinding, KeepsDefaultsWithoutFlags) {
  Program program;
  const Example& options = program.parse({"train"});
  EXPECT_EQ(options.d_model, 512);
  EXPECT_TRUE(options.tie_all);
  EXPECT_FALSE(program.binding.is_set("d-model"));
}

TEST(OptionBinding, LeavesTheDefaultsOfAModelWhereNothingIsSet) {
  Program program;
  Example& options = program.parse({"train", "--d-model", "64", "--tie-all", "--norm", "post"});
  program.binding.use_defaults(Example{.tie_all = false,
                                       .quiet = true,
                                       .d_model = 8,
                                       .dropout = 1 / 3.0f,
                                       .references = {"a", "b"},
                                       .norm = NormPlace::pre},
                               options);
  EXPECT_EQ(options.d_model, 64);
  EXPECT_TRUE(options.tie_all);
  EXPECT_EQ(options.norm, NormPlace::post) << "a default that was given";
  EXPECT_TRUE(options.quiet);
  EXPECT_EQ(options.dropout, 1 / 3.0f);
  EXPECT_EQ(options.references, (std::vector<std::string>{"a", "b"}));
}

TEST(OptionBinding, SetsOptionsFromFlags) {
  Program program;
  const Example& options =
      program.parse({"train", "--d-model", "64", "--no-tie-all", "--quiet", "--dropout=2e-1",
                     "--norm", "pre", "--out", "", "--references", "a", "b"});
  EXPECT_EQ(options.d_model, 64);
  EXPECT_FALSE(options.tie_all);
  EXPECT_TRUE(options.quiet);
  EXPECT_EQ(options.dropout, 0.2f);
  EXPECT_EQ(options.norm, NormPlace::pre);
  EXPECT_EQ(options.out, "");
  EXPECT_EQ(options.references, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(program.binding.is_set("d-model"));
}

TEST(OptionBinding, TakesSnakeCaseAndTheLastOfRepeatedFlags) {
  Program program;
  const Example& options =
      program.parse({"train", "--d_model", "64", "--d-model=128", "--no_tie_all", "--tie-all",
                     "--references", "a", "--quiet=false", "--references", "b"});
  EXPECT_EQ(options.d_model, 128);
  EXPECT_TRUE(options.tie_all);
  EXPECT_FALSE(options.quiet);
  EXPECT_EQ(options.references, (std::vector<std::string>{"a", "b"}));
}

TEST(OptionBinding, TakesNegativeNumbersAsValues) {
  Program program;
  EXPECT_EQ(program.parse({"train", "--d-model", "-3"}).d_model, -3);
}

TEST(OptionBinding, TakesNoArgumentForTheValueOfAnEmptyOne) {
  Program program;
  const Example& options =
      program.parse({"train", "--out=", "--d-model=64", "--references=", "a", "--quiet"});
  EXPECT_EQ(options.out, "");
  EXPECT_EQ(options.d_model, 64);
  EXPECT_EQ(options.references, (std::vector<std::string>{"", "a"}));
  EXPECT_TRUE(options.quiet);
}

TEST(OptionBinding, RefusesEmptyValuesOfWhatIsNoText) {
  EXPECT_EQ(error_of({"train", "--d-model=", "64"}),
            "--d-model: expected a whole number from -100 to 65536, got nothing");
  EXPECT_EQ(error_of({"train", "--norm=", "pre"}),
            "--norm: expected one of post, pre, got nothing");
  EXPECT_EQ(error_of({"train", "--quiet="}), "--quiet: expected true or false, got nothing");
  EXPECT_EQ(error_of({"train", "--no-quiet="}), "--quiet: expected true or false, got nothing");
}

TEST(OptionBinding, TakesBracketsAsTheyAreWritten) {
  Program program;
  const Example& options = program.parse(
      {"train", "--references", "[PAD]", "[a,b]", "[", "--out=[x]", "--references=['c', d]"});
  EXPECT_EQ(options.references, (std::vector<std::string>{"[PAD]", "[a,b]", "[", "['c', d]"}));
  EXPECT_EQ(options.out, "[x]");
  EXPECT_EQ(error_of({"train", "[x]"}),
            "unexpected argument [x]; attend train --help shows the usage");
}

TEST(OptionBinding, NamesTheFlagAtFault) {
  EXPECT_EQ(error_of({"train", "--d-model", "wide"}),
            "--d-model: expected a whole number from -100 to 65536, got wide");
  EXPECT_EQ(error_of({"train", "--norm", "middle"}),
            "--norm: expected one of post, pre, got middle");
  EXPECT_EQ(error_of({"train", "--quiet=maybe"}), "--quiet: expected true or false, got maybe");
  EXPECT_NE(error_of({"train", "--d-model"}).find("--d-model"), std::string::npos);
}

TEST(OptionBinding, SuggestsTheNearestFlagOrCommand) {
  EXPECT_EQ(error_of({"train", "--d-modle", "5"}),
            "unknown option --d-modle; did you mean --d-model?");
  EXPECT_EQ(error_of({"train", "--drop_out=5"}),
            "unknown option --drop_out; did you mean --dropout?");
  EXPECT_EQ(error_of({"train", "--nothing-like-it"}),
            "unknown option --nothing-like-it; attend train --help lists the options");
  EXPECT_EQ(error_of({"trian"}), "unknown command trian; did you mean train?");
  EXPECT_EQ(error_of({"train", "what"}),
            "unexpected argument what; attend train --help shows the usage");
}

TEST(OptionBinding, ShowsDefaultsInTheHelp) {
  Program program;
  const std::string help = program.train->help();
  EXPECT_NE(help.find("--d-model INTEGER=512"), std::string::npos) << help;
  EXPECT_NE(help.find("--norm {post,pre}=post"), std::string::npos) << help;
  EXPECT_NE(help.find("--[no-]tie-all"), std::string::npos) << help;
  EXPECT_NE(help.find("(on by default)"), std::string::npos) << help;
  EXPECT_EQ(help.find("d_model"), std::string::npos) << help;
  EXPECT_NE(help.find("Model:"), std::string::npos) << help;
  const std::size_t trials = help.find("experimental (may change or be removed):");
  EXPECT_LT(trials, help.find("--magic INTEGER=0")) << help;
  EXPECT_LT(help.find("--norm"), trials) << help;
}

TEST(OptionBinding, LetsHelpThrough) {
  Program program;
  EXPECT_THROW(program.parse({"train", "--help"}), CLI::Success);
}

TEST_F(ConfigFile, SetsOptionsAndLosesToFlags) {
  write(
      "# a comment\n\n[model]\nd_model = 64  # wide\ntie-all=false\n[data.more]\nout = \"a b, "
      "#c\"\nreferences = [\"x, y\" , 'z' , # one\n "
      " \"w\",\n]\nnorm = 'pre'\n"
      "dropout = 0.25\n");
  Program program;
  const Example& options = program.parse({"train", "--dropout", "0.5", "--config", path_.c_str()});
  EXPECT_EQ(options.d_model, 64);
  EXPECT_FALSE(options.tie_all);
  EXPECT_EQ(options.out, "a b, #c");
  EXPECT_EQ(options.references, (std::vector<std::string>{"x, y", "z", "w"}));
  EXPECT_EQ(options.norm, NormPlace::pre);
  EXPECT_EQ(options.dropout, 0.5f);
  EXPECT_TRUE(program.binding.is_set("out"));
  EXPECT_FALSE(program.binding.is_set("quiet"));
}

TEST_F(ConfigFile, NamesFileAndLine) {
  EXPECT_EQ(error_of_file("out = 'x'\nd_modle = 64\n"),
            "c.toml:2: unknown key d_modle; did you mean d-model?");
  EXPECT_EQ(error_of_file("norm = 'middle'\n"),
            "c.toml:1: norm: expected one of post, pre, got middle");
  EXPECT_EQ(error_of_file("d-model = 1\n[a]\nd_model = 2\n"),
            "c.toml:3: d_model is set twice, first on line 1; keep one of them");
}

TEST_F(ConfigFile, RefusesValuesOfAWrongType) {
  EXPECT_EQ(error_of_file("\nd-model = 'wide'\n"),
            "c.toml:2: d-model: expected a whole number from -100 to 65536, got the string 'wide'");
  EXPECT_EQ(error_of_file("d-model = '64'\n"),
            "c.toml:1: d-model: expected a whole number from -100 to 65536, got the string '64'");
  EXPECT_EQ(error_of_file("d-model = 64.5\n"),
            "c.toml:1: d-model: expected a whole number from -100 to 65536, got the number 64.5");
  EXPECT_EQ(error_of_file("d-model = [1, 2]\n"),
            "c.toml:1: d-model: expected a whole number from -100 to 65536, got a list of 2");
  EXPECT_EQ(error_of_file("d-model = true\n"),
            "c.toml:1: d-model: expected a whole number from -100 to 65536, got true");
  EXPECT_EQ(error_of_file("d-model = 1979-05-27\n"),
            "c.toml:1: d-model: expected a whole number from -100 to 65536, got a date or a time");
  EXPECT_EQ(error_of_file("dropout = '0.1'\n"),
            "c.toml:1: dropout: expected a number from 0 to below 1, got the string '0.1'");
  EXPECT_EQ(error_of_file("quiet = 1\n"),
            "c.toml:1: quiet: expected true or false, got the number 1");
  EXPECT_EQ(error_of_file("quiet = 'true'\n"),
            "c.toml:1: quiet: expected true or false, got the string 'true'");
  EXPECT_EQ(error_of_file("out = 0.5\n"), "c.toml:1: out: expected a string, got the number 0.5");
  EXPECT_EQ(error_of_file("out = ['a']\n"), "c.toml:1: out: expected a string, got a list of 1");
  EXPECT_EQ(error_of_file("norm = true\n"), "c.toml:1: norm: expected one of post, pre, got true");
  EXPECT_EQ(error_of_file("references = ['a', 2]\n"),
            "c.toml:1: references: expected a list of strings, got the number 2");
  EXPECT_EQ(error_of_file("references = [['a']]\n"),
            "c.toml:1: references: expected a list of strings, got a list of 1");
  EXPECT_EQ(error_of_file("[[model]]\nd-model = 1\n"),
            "c.toml:1: expected [model] to begin a section, got [[model]]");
  const std::string message = error_of_file("d-model = '" + std::string(100000, 'x') + "'\n");
  EXPECT_LT(message.size(), 200u);
}

TEST_F(ConfigFile, RefusesWhatIsNotToml) {
  for (const char* line : {"d-model",
                           "d-model =",
                           "= 3",
                           "out = \"x",
                           "references = [\"x\",",
                           "[model",
                           "norm = middle",
                           "d-model = 1 2",
                           "out = my run",
                           "out = \"a\\q\"",
                           "out = 'a' 'b'",
                           "d-model = 3 norm = 'pre'",
                           "d-model = 1__0",
                           "out = \"a\x01z\"",
                           "dropout = .5",
                           "quiet = yes",
                           "d-model = 99999999999999999999",
                           "[model]\n[model]",
                           "d-model = 64\nd-model = 65",
                           "out = {x = 1,"}) {
    const std::string message = error_of_file("# first\n" + std::string(line) + "\n");
    EXPECT_TRUE(message.starts_with("c.toml:2: ") || message.starts_with("c.toml:3: "))
        << line << ": " << message;
    EXPECT_EQ(message.find_first_of("\n\x01"), std::string::npos) << message;
  }
}

TEST_F(ConfigFile, ReadsTomlAsItsStandardSays) {
  write(
      "\"d-model\" = 0x40\n model . 'dropout' = 0\nout = \"tab\\there \\\"q\\\" \\u00e4 \\\\\"\n"
      "references = ['''a\nb''', \"\"\"\nc \\\n  d\"\"\"]\nmore = {norm = 'pre', quiet = true}\n");
  Program program;
  const Example& options = program.parse({"train", "--config", path_.c_str()});
  EXPECT_EQ(options.d_model, 64);
  EXPECT_EQ(options.dropout, 0.0f);
  EXPECT_EQ(options.out, "tab\there \"q\" ä \\");
  EXPECT_EQ(options.references, (std::vector<std::string>{"a\nb", "c d"}));
  EXPECT_EQ(options.norm, NormPlace::pre);
  EXPECT_TRUE(options.quiet);
  write("references = 'one'\nout = '  my run '\n");
  Program other;
  EXPECT_EQ(other.parse({"train", "--config", path_.c_str()}).references,
            (std::vector<std::string>{"one"}));
  EXPECT_EQ(other.options.out, "  my run ");
}

// What versions before this one wrote: texts between " or '.
TEST_F(ConfigFile, ReadsWhatEarlierVersionsWrote) {
  write(
      "[run]\nout = 'a \"b\" # c'\nquiet = false\nd-model = -7\n\n[model]\ndropout = 1e-09\nnorm = "
      "\"pre\"\n"
      "references = [\"a b\", 'it\"s']\n");
  Program program;
  const Example& options = program.parse({"train", "--config", path_.c_str()});
  EXPECT_EQ(options.out, "a \"b\" # c");
  EXPECT_EQ(options.d_model, -7);
  EXPECT_EQ(options.dropout, 1e-9f);
  EXPECT_EQ(options.references, (std::vector<std::string>{"a b", "it\"s"}));
}

TEST_F(ConfigFile, RefusesWhatIsNestedTooDeep) {
  std::string dotted = "a";
  for (int i = 0; i < 300'000; ++i) dotted += ".a";
  for (const std::string& text :
       {dotted + " = 1\n", "[" + dotted + "]\n", dotted + " = \n", "x = {" + dotted + " = 1}\n",
        "x = ['''a'''', {" + dotted + " = 1}]\n", "x = " + std::string(300'000, '[') + "\n"}) {
    EXPECT_TRUE(error_of_file(text).starts_with("c.toml:1: expected keys of at most 32 parts"))
        << text.substr(0, 20);
  }
  EXPECT_EQ(error_of_file("out = \"" + dotted.substr(0, 200'000) + "\" # " +
                          dotted.substr(0, 200'000) + "\n"),
            "no error");
}

TEST_F(ConfigFile, RefusesAnEndlessFile) {
  std::string text;
  while (text.size() < (2 << 20)) text += "# a comment that says no more than the one before it\n";
  EXPECT_NE(error_of_file(text).find("expected a configuration of at most 1 MiB"),
            std::string::npos);
}

TEST_F(ConfigFile, MissingOrBinaryIsAnError) {
  Program program;
  EXPECT_THROW(program.parse({"train", "--config", "/nowhere/c.toml"}), IoError);
  write(std::string("\0\1\2", 3));
  Program other;
  EXPECT_THROW(other.parse({"train", "--config", path_.c_str()}), DataError);
}

TEST_F(ConfigFile, ReadsBackWhatToTomlWrote) {
  Example written;
  written.tie_all = false;
  written.d_model = -7;
  written.dropout = 1e-9f;
  written.seed = 18446744073709551615u;
  written.references = {"", "a b", "x,y", "it's", "a \"q\" #"};
  written.norm = NormPlace::pre;
  for (const char* out : {"",
                          "a",
                          "#1",
                          "a = b",
                          "[x]",
                          "it's",
                          "say \"so\"",
                          "back\\slash",
                          "ü , ü",
                          "true",
                          "  ",
                          "both ' and \"",
                          "two\nlines\r\n\t",
                          "\x1b[31m\x7f",
                          "\\u0041",
                          "\xC2\x85\xE2\x80\xAE",
                          "\xF0\x9F\x98\x80",
                          "a = \\\"",
                          "'''",
                          "\"\"\""}) {
    written.out = out;
    write(to_toml(written, "options"));
    Program program;
    EXPECT_EQ(to_toml(program.parse({"train", "--config", path_.c_str()})), to_toml(written));
  }
}

}  // namespace
}  // namespace attend
