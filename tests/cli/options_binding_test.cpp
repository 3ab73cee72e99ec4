#include "attend/cli/options_binding.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <fstream>

#include "attend/cli/config_file.h"
#include "attend/core/error.h"

namespace attend {
namespace {

enum class Norm { post, pre };
std::span<const std::string_view> enum_names(Norm) {
  static constexpr std::array<std::string_view, 2> kNames{"post", "pre"};
  return kNames;
}

struct Example {
  bool tie_all = true;
  bool quiet = false;
  int d_model = 512;
  float dropout = 0.1f;
  std::string out = "run";
  std::vector<std::string> references;
  Norm norm = Norm::post;
};
template <class Visitor>
void fields(Example& o, Visitor&& visit) {
  visit("tie-all", o.tie_all, "tie the embeddings");
  visit("quiet", o.quiet, "say less");
  visit("d-model", o.d_model, "width of the model");
  visit("dropout", o.dropout, "share of zeros");
  visit("out", o.out, "folder of the run");
  visit("references", o.references, "files to compare with");
  visit("norm", o.norm, "where the norms are");
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

  std::string path_ =
      testing::TempDir() + "config_" + testing::UnitTest::GetInstance()->current_test_info()->name() + std::to_string(getpid()) + ".toml";
};

TEST(OptionBinding, KeepsDefaultsWithoutFlags) {
  Program program;
  const Example& options = program.parse({"train"});
  EXPECT_EQ(options.d_model, 512);
  EXPECT_TRUE(options.tie_all);
  EXPECT_FALSE(program.binding.is_set("d-model"));
}

TEST(OptionBinding, SetsOptionsFromFlags) {
  Program program;
  const Example& options = program.parse(
      {"train", "--d-model", "64", "--no-tie-all", "--quiet", "--dropout=2e-1", "--norm", "pre", "--out", "", "--references", "a", "b"});
  EXPECT_EQ(options.d_model, 64);
  EXPECT_FALSE(options.tie_all);
  EXPECT_TRUE(options.quiet);
  EXPECT_EQ(options.dropout, 0.2f);
  EXPECT_EQ(options.norm, Norm::pre);
  EXPECT_EQ(options.out, "");
  EXPECT_EQ(options.references, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(program.binding.is_set("d-model"));
}

TEST(OptionBinding, TakesSnakeCaseAndTheLastOfRepeatedFlags) {
  Program program;
  const Example& options = program.parse({"train", "--d_model", "64", "--d-model=128", "--no_tie_all", "--tie-all", "--references", "a",
                                          "--quiet=false", "--references", "b"});
  EXPECT_EQ(options.d_model, 128);
  EXPECT_TRUE(options.tie_all);
  EXPECT_FALSE(options.quiet);
  EXPECT_EQ(options.references, (std::vector<std::string>{"a", "b"}));
}

TEST(OptionBinding, TakesNegativeNumbersAsValues) {
  Program program;
  EXPECT_EQ(program.parse({"train", "--d-model", "-3"}).d_model, -3);
}

TEST(OptionBinding, NamesTheFlagAtFault) {
  EXPECT_EQ(error_of({"train", "--d-model", "wide"}), "--d-model: expected a whole number, got wide");
  EXPECT_EQ(error_of({"train", "--norm", "middle"}), "--norm: expected one of post, pre, got middle");
  EXPECT_EQ(error_of({"train", "--quiet=maybe"}), "--quiet: expected true or false, got maybe");
  EXPECT_NE(error_of({"train", "--d-model"}).find("--d-model"), std::string::npos);
}

TEST(OptionBinding, SuggestsTheNearestFlagOrCommand) {
  EXPECT_EQ(error_of({"train", "--d-modle", "5"}), "unknown flag --d-modle; did you mean --d-model?");
  EXPECT_EQ(error_of({"train", "--drop_out=5"}), "unknown flag --drop_out; did you mean --dropout?");
  EXPECT_EQ(error_of({"train", "--nothing-like-it"}), "unknown flag --nothing-like-it; attend train --help lists what there is");
  EXPECT_EQ(error_of({"trian"}), "unexpected argument trian; did you mean train?");
  EXPECT_EQ(error_of({"train", "what"}), "unexpected argument what; attend train --help lists what there is");
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
}

TEST(OptionBinding, LetsHelpThrough) {
  Program program;
  EXPECT_THROW(program.parse({"train", "--help"}), CLI::Success);
}

TEST_F(ConfigFile, SetsOptionsAndLosesToFlags) {
  write(
      "# a comment\n\n[model]\nd_model = 64  # wide\ntie-all=false\n[data.more]\nout = \"a b, #c\"\nreferences = [\"x, y\" , 'z' , # one\n "
      " \"w\",\n]\nnorm = 'pre'\n"
      "dropout = 0.25\n");
  Program program;
  const Example& options = program.parse({"train", "--dropout", "0.5", "--config", path_.c_str()});
  EXPECT_EQ(options.d_model, 64);
  EXPECT_FALSE(options.tie_all);
  EXPECT_EQ(options.out, "a b, #c");
  EXPECT_EQ(options.references, (std::vector<std::string>{"x, y", "z", "w"}));
  EXPECT_EQ(options.norm, Norm::pre);
  EXPECT_EQ(options.dropout, 0.5f);
  EXPECT_TRUE(program.binding.is_set("out"));
  EXPECT_FALSE(program.binding.is_set("quiet"));
}

TEST_F(ConfigFile, NamesFileAndLine) {
  EXPECT_EQ(error_of_file("out = 'x'\nd_modle = 64\n"), "c.toml:2: unknown key d_modle; did you mean d-model?");
  EXPECT_EQ(error_of_file("\nd-model = 'wide'\n"), "c.toml:2: d-model: expected a whole number, got wide");
  EXPECT_EQ(error_of_file("d-model = [1, 2]\n"), "c.toml:1: d-model: expected a whole number, got 2 values");
  EXPECT_EQ(error_of_file("norm = middle\n"), "c.toml:1: norm: expected one of post, pre, got middle");
  EXPECT_EQ(error_of_file("d-model = 1\n[a]\nd_model = 2\n"), "c.toml:3: d_model is set twice, first on line 1; keep one of them");
}

TEST_F(ConfigFile, SaysWhatIsNoEntry) {
  EXPECT_EQ(error_of_file("d-model\n"), "c.toml:1: expected key = value, got d-model");
  EXPECT_EQ(error_of_file("d-model =\n"), "c.toml:1: expected a value after d-model =");
  EXPECT_EQ(error_of_file("= 3\n"), "c.toml:1: expected key = value, got =3");
  EXPECT_EQ(error_of_file("out = \"x\n"), "c.toml:1: expected a closing \" before the end of the line");
  EXPECT_EQ(error_of_file("references = [\"x\",\n"), "c.toml:1: expected a closing ] at the end of the list");
  EXPECT_EQ(error_of_file("[model\n"), "c.toml:1: expected a closing ] after the name of the section");
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
  written.references = {"", "a b", "x,y", "it's", "a \"q\" #"};
  written.norm = Norm::pre;
  for (const char* out : {"", "a", "#1", "a = b", "[x]", "it's", "say \"so\"", "back\\slash", "ü , ü", "true", "  "}) {
    written.out = out;
    write(to_toml(written, "options"));
    Program program;
    EXPECT_EQ(to_toml(program.parse({"train", "--config", path_.c_str()})), to_toml(written));
  }
}

}  // namespace
}  // namespace attend
