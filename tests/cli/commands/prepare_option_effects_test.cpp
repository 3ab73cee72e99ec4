// Every option of `attend prepare`, alone: what it changes in what is printed and written, and that
// it changes nothing else.
#include "cli/commands/command_option_effects.h"

namespace attend {
namespace {

class PrepareOptionEffects : public CommandOptionEffects {
 protected:
  PrepareOptionEffects() {
    for (const std::string name : {"train.en", "train.de"}) {
      std::vector<std::string> lines = lines_of(name);
      for (std::size_t i = 1; i < lines.size(); i += 2)
        lines[i].replace(lines[i].size() - 1, 1, "\uFF0E");  // a wide stop: normalized away
      write(name, fmt::format("{}\n", fmt::join(lines, "\n")));
      std::reverse(lines.begin(), lines.end());
      write("other_" + name, fmt::format("{}\n", fmt::join(lines, "\n")));
    }
  }

  // A name relative to the folder of --data is the name of the same file.
  void expect_data_folder(const std::string& command) {
    std::vector<std::string> relative = with_paths(command);
    for (std::string& word : relative)
      if (word.starts_with(folder_ + "/") && word.find("/made") == std::string::npos)
        word = word.substr(folder_.size() + 1);
    EXPECT_EQ(observe(joined(relative, {"--data", folder_})), observe(with_paths(command)));
    EXPECT_EQ(observe(relative).at("status"), "1");
  }
};

const std::vector<OptionCase> kPreparation{
    {"out", "@made/other", "", "out"},
    {"sample-lines", "100", "", "out files"},
    {"seed", "2", "--sample-lines 100", "out? files"},
    {"seed", "2", "", ""},
    {"format", "json", "", "out"},
    {"threads", "2", "", ""},
};
const std::vector<OptionCase> kPreparedVocabulary{
    {"tokenizer", "word", "", "out files"},
    {"vocab-size", "200", "", "out files"},
    {"character-coverage", "0.98", "", "out? files"},
    {"byte-fallback", "yes", "--vocab-size 400", "out? files"},
    {"normalization", "identity", "", "out? files"},
    {"pretokenized", "yes", "--tokenizer word", "out? files"},
    {"user-symbols", "<bt>", "", "out? files"},
};

TEST_F(PrepareOptionEffects, OfTranslation) {
  const std::string command =
      "prepare translation --src-train @train.en --tgt-train @train.de --out @made/corpus "
      "--vocab-size 300";
  const std::vector<OptionCase> cases{
      {"src-train", "@other_train.en", "", "out? files"},
      {"tgt-train", "@other_train.de", "", "out? files"},
      {"src-language", "fr", "", "files"},
      {"tgt-language", "fr", "", "files"},
      {"max-length", "24", "", "out files"},
      {"over-long", "truncate", "--max-length 24", "out files"},
      {"joint-vocabulary", "no", "", "out files"},
      {"shard-samples", "100", "", "out files"},
  };
  expect_cases(command, cases);
  expect_cases(command, kPreparation);
  expect_cases(command, kPreparedVocabulary);
  expect_data_folder(command);
  expect_config_file(command, "--max-length 24", "max-length = 24\n");
  expect_a_case_for_every_option("prepare translation", {cases, kPreparation, kPreparedVocabulary},
                                 {"config", "data", "tokenizer-from"});
}

TEST_F(PrepareOptionEffects, OfLanguageModels) {
  const std::string command = "prepare lm --train @train.en --out @made/corpus --vocab-size 300";
  const std::vector<OptionCase> cases{
      {"train", "@train.de", "", "out files"},
      {"language", "fr", "", "files"},
      {"shard-samples", "1", "", "out files"},
  };
  expect_cases(command, cases);
  expect_cases(command, kPreparation);
  expect_cases(command, kPreparedVocabulary);
  expect_data_folder(command);
  expect_config_file(command, "--language fr", "language = \"fr\"\n");
  // documents: tasks/language/preparation_test.cpp
  expect_a_case_for_every_option("prepare lm", {cases, kPreparation, kPreparedVocabulary},
                                 {"config", "data", "tokenizer-from", "documents", "document-end"});
}

}  // namespace
}  // namespace attend
