// Options from a file: what TOML sets, and what is refused with its line.
#include "attend/core/options/config_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/binding/example_program.h"

namespace attend {
namespace {

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
