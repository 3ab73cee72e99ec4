#include "attend/cli/binding/options_binding.h"

#include <gtest/gtest.h>

#include "cli/binding/example_program.h"

namespace attend {
namespace {

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

}  // namespace
}  // namespace attend
