// Every option of the commands that read and write model files, alone: what it changes, and that it
// changes nothing else.
#include "cli/commands/command_option_effects.h"
#include "interchange/families/gguf/written_llama.h"

namespace attend {
namespace {

const std::vector<OptionCase> kAverageOfTranslators{
    {"src", "@valid.en", "--tgt @valid.de", "out files status error"},
    {"tgt", "@valid.de", "--src @valid.en", "out files status error"},
    {"tokenize", "char", "--src @valid.en --tgt @valid.de", "out files?"}};
const std::vector<OptionCase> kAverageOfTexts{{"text", "@valid.en", "", "out files status error"}};

TEST_F(CommandOptionEffects, OfAverage) {
  train_classifier();
  const std::vector<OptionCase> cases{{"out", "@made/other", "", "out files"},
                                      {"last", "2", "", "out files"},
                                      {"format", "json", "", "out"}};
  expect_cases("average @run --out @made/mean", cases);
  expect_config_file("average @run --out @made/mean", "--last 1", "last = 1\n");
  write("held_out.tsv", read(path("train.tsv")).substr(std::string("label\ttext\ttone\n").size()));
  const std::vector<OptionCase> greedy{
      {"greedy", "yes", "--labeled @held_out.tsv", "out files status error"},
      {"labeled", "@held_out.tsv", "--greedy", "out files status error"},
      {"format", "json", "--greedy --labeled @held_out.tsv", "out"},
      {"threads", "2", "--greedy --labeled @held_out.tsv", ""}};
  expect_cases("average @run --out @made/mean", greedy);
  expect_a_case_for_every_option("average", {cases, greedy, kAverageOfTranslators, kAverageOfTexts},
                                 {"config"});
}

TEST_F(CommandOptionEffects, OfAverageOfTranslators) {
  train_translator();
  expect_cases("average @run --out @made/mean --greedy", kAverageOfTranslators);
}

TEST_F(CommandOptionEffects, OfAverageOfLanguageModels) {
  train_language_model();
  expect_cases("average @run --out @made/mean --greedy", kAverageOfTexts);
}

TEST_F(CommandOptionEffects, OfQuantize) {
  train_translator();
  const std::string text = "--src @valid.en --tgt @valid.de --max-bleu-drop 100";
  const std::vector<OptionCase> cases{
      {"out", "@made/other", "", "out files"},
      {"bits", "16", "", "out files"},
      {"bits", "4", "", "out files"},
      {"src", "@test.en", text + " --tokenize char", "out"},
      {"tgt", "@test.de", text + " --tokenize char", "out"},
      {"max-bleu-drop", "-101", text, "out status error files"},
      {"format", "json", "", "out"},
      {"format", "json", text, "out"},
      {"tokenize", "char", text, "out"},
      {"threads", "2", text, ""},
  };
  expect_cases("quantize @model --out @made/small", cases);
  expect_config_file("quantize @model", "--out @made/small",
                     fmt::format("out = \"{}\"\n", path("made/small")));
  expect_a_case_for_every_option("quantize", {cases}, {"config"});
}

TEST_F(CommandOptionEffects, OfPage) {
  train_translator();
  for (const std::string engine : {"engine", "other_engine"}) {
    std::filesystem::create_directories(path(engine));
    write(engine + "/attend.js", engine);
    write(engine + "/attend.wasm", "wasm");
  }
  const std::vector<OptionCase> cases{
      {"out", "@made/other", "", "out files"}, {"text", "dog", "", "out files"},
      {"bits", "16", "", "out files"},         {"engine", "@other_engine", "", "out files"},
      {"format", "json", "", "out"},           {"threads", "2", "", ""},
  };
  expect_cases("page @model --out @made/page --engine @engine", cases);
  expect_config_file("page @model --engine @engine", "--out @made/page",
                     fmt::format("out = \"{}\"\n", path("made/page")));
  expect_a_case_for_every_option("page", {cases}, {"config"});
}

TEST_F(CommandOptionEffects, OfOptimize) {
  train_translator();
  const std::vector<OptionCase> cases{{"out", "@made/other", "", "out files"},
                                      {"threads", "2", "", ""}};
  expect_cases("optimize @model --out @made/packed", cases);
  expect_config_file("optimize @model", "--out @made/packed",
                     fmt::format("out = \"{}\"\n", path("made/packed")));
  expect_a_case_for_every_option("optimize", {cases}, {"config"});
}

TEST_F(CommandOptionEffects, OfImport) {
  const std::string directory =
      std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/marian";
  const std::vector<OptionCase> cases{
      {"out", "@made/other", "", "out files"},
      {"golden", directory + "/golden.safetensors", "", "out"},
      {"format", "json", "", "out"},
      {"threads", "2", "", ""},
  };
  expect_cases("import " + directory + " --out @made/model", cases);
  expect_config_file("import " + directory, "--out @made/model",
                     fmt::format("out = \"{}\"\n", path("made/model")));
  const std::string multilingual =
      std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/nllb";
  const std::vector<OptionCase> languages{{"src-lang", "fra_Latn", "", "files"},
                                          {"tgt-lang", "fra_Latn", "", "files"}};
  expect_cases("import " + multilingual + " --out @made/model", languages);
  write("llama.gguf", written_gguf(written_wide_llama()));
  const std::vector<OptionCase> quantized{{"dequantize", "yes", "", "out files"}};
  expect_cases("import " + path("llama.gguf") + " --out @made/model", quantized);
  expect_a_case_for_every_option("import", {cases, languages, quantized}, {"config"});
}

TEST_F(CommandOptionEffects, OfExport) {
  train_translator();
  const std::vector<OptionCase> cases{
      {"out", "@made/other", "", "out files?"},
      {"format", "huggingface", "", ""},
      {"threads", "2", "", ""},
  };
  expect_cases("export @run --out @made/model", cases);
  expect_config_file("export @run", "--out @made/model",
                     fmt::format("out = \"{}\"\n", path("made/model")));
  const std::string directory =
      std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/gpt2";
  ASSERT_EQ(run({"import", directory, "--out", path("gpt2")}), 0) << error_;
  const std::vector<OptionCase> of_gguf{{"weights", "q8_0", "", "files"}};
  expect_cases("export " + path("gpt2") + " --format gguf --out @made/model", of_gguf);
  expect_a_case_for_every_option("export", {cases, of_gguf}, {"config", "base"});
}

TEST_F(CommandOptionEffects, OfMerge) {
  train_classifier();
  ASSERT_EQ(run(with_paths("train classification --init-from @run --lora-rank 2 --max-steps 2 "
                           "--train @train.tsv --header --out @adapter")),
            0)
      << error_;
  const std::vector<OptionCase> cases{{"out", "@made/other", "", "out files"},
                                      {"threads", "2", "", ""}};
  expect_cases("merge @run @adapter --out @made/model", cases);
  expect_config_file("merge @run @adapter", "--out @made/model",
                     fmt::format("out = \"{}\"\n", path("made/model")));
  expect_a_case_for_every_option("merge", {cases}, {"config"});
}

TEST_F(CommandOptionEffects, OfShortlist) {
  train_translator();
  const std::vector<OptionCase> cases{
      {"out", "@made/other", "", "out files"},
      {"src", "@valid.en", "--tgt @valid.de", "status out error files"},
      {"src", "@train.de", "", "out files"},
      {"tgt", "@train.en", "", "out files"},
      {"translations", "1", "", "out files"},
      {"frequent", "5", "", "out files"},
      {"format", "json", "", "out"},
      {"threads", "2", "", ""},
  };
  expect_cases("shortlist @run/model.safetensors --src @train.en --tgt @train.de --out @made/model",
               {cases.begin(), cases.begin() + 1});
  expect_cases("shortlist @run/model.safetensors --src @train.en --tgt @train.de --out @made/model",
               {cases.begin() + 2, cases.end()});
  expect_config_file(
      "shortlist @run/model.safetensors --src @train.en --tgt @train.de --out @made/model",
      "--frequent 5", "frequent = 5\n");
  expect_a_case_for_every_option("shortlist", {cases}, {"config"});
}

TEST_F(CommandOptionEffects, OfCalibrate) {
  train_translator();
  const std::string command =
      "calibrate @run/model.safetensors --src @train.en --tgt @train.de --out @made/model";
  const std::vector<OptionCase> cases{
      {"out", "@made/other", "", "out files"},
      {"pairs", "300", "", "out files"},
      {"seed", "2", "", "out files?"},
      {"format", "json", "", "out"},
      {"threads", "2", "", ""},
  };
  expect_cases(command, cases);
  const std::vector<OptionCase> texts{{"src", "@train.de", "", "out files"},
                                      {"tgt", "@train.en", "", "out files"}};
  expect_cases(command, texts);
  expect_config_file(command, "--seed 2", "seed = 2\n");
  import_languages();
  expect_cases("calibrate @languages --src @train.en --tgt @train.de --out @made/model --pairs 200",
               of_languages("out files"));
  expect_a_case_for_every_option("calibrate", {cases, texts, of_languages("")}, {"config"});
}

TEST_F(CommandOptionEffects, OfGlossary) {
  write("terms.tsv", "man\tMann\ndog\tHund\n");
  const std::string command =
      "glossary @terms.tsv --src @train.en --tgt @train.de --out @made/terms";
  const std::vector<OptionCase> cases{
      {"out", "@made/other", "", "out files"},
      {"format", "json", "", "out"},
      {"src", "@train.de", "", "out files"},
      {"tgt", "@train.en", "", "out files"},
  };
  expect_cases(command, cases);
  expect_config_file(command, "--format json", "format = \"json\"\n");
  expect_a_case_for_every_option("glossary", {cases}, {"config"});
}

TEST_F(CommandOptionEffects, OfInfo) {
  train_classifier();
  const std::vector<OptionCase> cases{{"all", "yes", "", "out"},
                                      {"all", "yes", "--format json", ""},
                                      {"format", "json", "", "out"},
                                      {"set", "name=small", "", "out"}};
  expect_cases("info @model", cases);
  expect_config_file("info @model", "--all", "all = true\n");
  expect_a_case_for_every_option("info", {cases}, {"config"});
}

}  // namespace
}  // namespace attend
