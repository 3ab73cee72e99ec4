// Every option of the commands that use models, alone: what it changes in what they print and
// write, and that it changes nothing else.
#include "cli/commands/command_option_effects.h"
#include "tasks/small_quality.h"

namespace attend {
namespace {

// What the text is made into before it is read. `with`: so that every change of it shows.
std::vector<OptionCase> of_preparation(const std::string& with) {
  return {{"lowercase", "yes", with, "out error?"},
          {"normalize-punctuation", "yes", with + " --language en", "out error?"},
          {"tokenize", "moses", with + " --language en", "out error?"},
          {"language", "fr", with + " --language en --tokenize moses", "out error?"},
          {"language", "fr", with, ""}};
}
const std::string kToPrepare = "The man ( sees the dog's ) .\n";

TEST_F(CommandOptionEffects, OfTranslate) {
  train_translator("--context 1");
  input_ += kToPrepare;
  write("page.html", "<p>A dog sleeps.");
  write("table.csv", "a,b\nA dog sleeps.,A dog sleeps.\n");
  write("terms.tsv", "man|men\tHund\n");
  write("prefixes", "Ein Hund\n\n\n\n\n\n\n\nDer Mann\n");
  save_quality_models();
  const std::vector<OptionCase> cases{
      {"text", "yes", "", "out?"},
      {"html", "yes", "", "out"},
      {"file", "@page.html", "--out-file @made/page.html", "out files error status"},
      {"columns", "b", "--file @table.csv --out-file @made/table.csv", "out files"},
      {"out-file", "@made/other.html", "--file @page.html", "out files error status"},
      {"format", "json", "", "out"},
      {"sample", "yes", "", "out"},
      {"prefix", "@prefixes", "", "out"},
      {"beam-tree", "@made/tree", "", "files"},
      {"ensemble", "@run/checkpoints/step-00000020.safetensors", "--format json", "out"},
      {"context", "0", "", "out"},
      {"must-contain", "Hund", "", "out"},
      {"must-not-contain", "Die", "", "out"},
      {"glossary", "@terms.tsv", "", "out"},
      {"protect", "[A-Z]\\w+", "", "out"},
      {"heads-off", "*.cross_attn", "--format json", "out"},
      {"attention-beta", "0", "--format json", "out"},
      {"positions-off", "yes", "--format json", "out"},
      {"mask-off", "yes", "", "out error status"},
      {"prefix", "@prefixes", "--sample", "out"},
      {"prefix-weight", "0.01", "--prefix @prefixes --format json", "out"},
      {"threads", "2", "", ""},
      {"threads", "2", "--sample", ""},
      {"beam-size", "1", "", "out"},
      {"length-penalty", "0", "", "out"},
      {"n-best", "3", "", "out"},
      {"n-best", "3", "--sample", "out"},
      {"max-length", "3", "", "out"},
      {"max-length", "3", "--sample", "out"},
      {"min-length", "30", "", "out"},
      {"no-repeat-ngram", "1", "--min-length 30", "out"},
      {"repetition-penalty", "5", "", "out"},
      {"patience", "3", "--beam-size 2 --n-best 2", "out"},
      {"forbid-unknown", "yes", "--sample --temperature 50 --max-length 40", "out"},
      {"min-length", "30", "--sample", "out"},
      {"no-repeat-ngram", "1", "--sample", "out"},
      {"repetition-penalty", "5", "--sample", "out"},
      {"must-not-contain", "W", "--sample --top-k 1", "out"},
      {"mbr", "chrf", "--beam-size 8", "out?"},
      {"mbr", "bleu", "--samples 8", "out error status"},
      {"samples", "8", "--mbr chrf", "out"},
      {"samples", "8", "", "out error status"},
      {"mbr", "comet", "--beam-size 8", "out error status"},
      {"comet", "@comet", "--beam-size 8", "out error status"},
      {"comet", "@other-comet", "--samples 8 --mbr comet --comet @comet", "out"},
      {"rerank", "@kiwi", "--beam-size 8", "out"},
      {"samples", "8", "--rerank @kiwi", "out"},
      {"batch-size", "1", "--samples 4 --rerank @kiwi", ""},
      {"threads", "2", "--samples 4 --mbr comet --comet @comet", ""},
      {"batch-size", "1", "", ""},
      {"batch-size", "1", "--sample", ""},
      {"batch-size", "1", "--samples 4 --mbr bleu", ""},
      {"window", "2", "", ""},
      {"window", "2", "--sample", ""},
      {"shortlist", "yes", "", "out"},
      {"shortlist", "yes", "--sample", "out"},
      {"max-source-tokens", "12", "", "out error"},
      {"on-error", "skip", "--max-source-tokens 12", "out error"},
      {"on-error", "stop", "--max-source-tokens 12", "out error status"},
      {"on-error", "stop", "", ""},
      {"alignment", "yes", "", "out"},
      {"alignment", "yes", "--format json", "out"},
      {"alignment", "yes", "--sample", "out"},
      {"trust", "yes", "", "error"},
      {"trust", "yes", "--text", "error"},
      {"trust", "yes", "--format json", "out error"},
      {"temperature", "0.2", "--sample", "out"},
      {"top-k", "1", "--sample", "out"},
      {"top-p", "0.1", "--sample", "out"},
      {"seed", "2", "--sample", "out"},
  };
  expect_cases("translate @model", cases);
  const std::vector<OptionCase> preparation = of_preparation("--format json");
  expect_cases("translate @model", preparation);
  expect_config_file("translate @model", "--beam-size 1", "beam-size = 1\n");
  import_languages();
  expect_cases("translate @languages --format json", of_languages("out"));
  const std::vector<OptionCase> between{{"via", "fra_Latn", "", "out"},
                                        {"then", "@languages", "", "out"}};
  expect_cases("translate @languages --format json", between);
  expect_a_case_for_every_option("translate", {cases, preparation, between, of_languages("")},
                                 {"config", "detokenize", "tgt-language"});
}

TEST_F(CommandOptionEffects, OfGenerate) {
  train_language_model();
  input_ = "The man";
  const std::vector<OptionCase> cases{
      {"prompt", "A", "", "out"},
      {"echo", "no", "", "out"},
      {"format", "json", "", "out"},
      {"n-best", "2", "--format json", "out"},
      {"max-tokens", "7", "", "out"},
      {"one-line", "yes", "--max-tokens 200", "out"},
      {"temperature", "0.2", "", "out"},
      {"top-k", "1", "", "out"},
      {"top-p", "0.1", "", "out"},
      {"seed", "2", "", "out"},
      {"seed", "2", "--top-k 1", ""},
      {"repetition-penalty", "5", "", "out"},
      {"no-repeat-ngram", "1", "", "out"},
      {"no-repeat-ngram", "1", "--beam-size 3", "out"},
      {"min-tokens", "100", "--one-line --max-tokens 200", "out"},
      {"patience", "0.3", "--beam-size 3 --n-best 2", "out error status"},
      {"beam-size", "3", "", "out"},
      {"beam-size", "4", "--beam-size 1", "out"},
      {"n-best", "2", "--beam-size 3", "out"},
      {"n-best", "2", "", "out"},
      {"length-penalty", "0", "--beam-size 4 --one-line --format json", "out"},
      {"context", "4", "", "out"},
      {"cache-tokens", "20", "", "out"},
      {"cache-weight", "0.9", "--cache-tokens 20", "out"},
      {"cache-beta", "9", "--cache-tokens 20 --cache-weight 0.6 --format json", "out"},
      {"threads", "2", "", ""},
  };
  expect_cases("generate @model --max-tokens 40", cases);
  expect_config_file("generate @model", "--max-tokens 5", "max-tokens = 5\n");
  input_ = "L'a…";
  const std::vector<OptionCase> preparation = of_preparation("--format json");
  expect_cases("generate @model --max-tokens 40 --context 40", preparation);
  expect_a_case_for_every_option("generate", {cases, preparation}, {"config", "special-tokens"});
}

const std::vector<OptionCase> kGivenLabels{{"threshold", "0.0001", "", "out"}};

TEST_F(CommandOptionEffects, OfClassify) {
  train_classifier();
  input_ += "\nThe man sleeps.\n" + kToPrepare;
  const std::vector<OptionCase> cases{{"format", "json", "", "out"},
                                      {"on-error", "skip", "", "out error"},
                                      {"on-error", "stop", "--format json", "out error status"},
                                      {"threads", "2", "", ""},
                                      {"batch-tokens", "5", "", ""},
                                      {"window", "2", "", ""},
                                      {"pairs", "yes", "", "out error"}};
  expect_cases("classify @model", cases);
  expect_config_file("classify @model", "--format json", "format = \"json\"\n");
  const std::vector<OptionCase> preparation = of_preparation("--format json");
  expect_cases("classify @model", preparation);
  expect_a_case_for_every_option("classify", {cases, preparation, kGivenLabels},
                                 // of imported models: interchange/families/pipelines_test.cpp
                                 {"config", "aggregation-strategy", "function-to-apply",
                                  "ignore-labels", "split-special-tokens", "stride"});
}

TEST_F(CommandOptionEffects, OfClassifyWithSeveralLabels) {
  train_several_labels();
  input_ = "The man sleeps.\nThe dog sees the man.\n";
  expect_cases("classify @model", kGivenLabels);
}

const std::vector<OptionCase> kScoresOfQuality{{"ref", "@second", "", "out"},
                                               {"src", "@second", "", "out"},
                                               {"tgt", "@second", "", "out"},
                                               {"format", "json", "", "out"},
                                               {"threads", "2", "", ""}};

TEST_F(CommandOptionEffects, OfScore) {
  train_translator();
  const std::vector<OptionCase> cases{
      {"src", "@test.en", "", "out"},
      {"tgt", "@test.de", "", "out"},
      {"tokens", "yes", "", "out"},
      {"ensemble", "@run/checkpoints/step-00000020.safetensors", "", "out"},
      {"heads-off", "encoder.*:0", "", "out"},
      {"attention-beta", "decoder.*=3", "", "out"},
      {"positions-off", "yes", "", "out"},
      {"mask-off", "yes", "", "out"},
      {"max-tokens", "12", "", "out error"},
      {"on-error", "stop", "--max-tokens 12", "out error status"},
      {"format", "json", "", "out"},
      {"tokens", "yes", "--format json", "out"},
      {"trust", "yes", "", "out error"},
      {"trust", "yes", "--format json", "out error"},
      {"threads", "2", "", ""}};
  expect_cases("score @model --src @valid.en --tgt @valid.de", cases);
  expect_config_file("score @model --src @valid.en --tgt @valid.de", "--tokens", "tokens = true\n");
  import_languages();
  expect_cases("score @languages --src @valid.en --tgt @valid.de", of_languages("out"));
  write("raw.en", kToPrepare);
  write("raw.de", "Der Mann ( sieht l'Hund ) .\n");
  std::vector<OptionCase> preparation = of_preparation("");
  preparation.push_back({"tgt-language", "fr", "--tokenize moses", "out"});
  expect_cases("score @model --src @raw.en --tgt @raw.de", preparation);
  expect_a_case_for_every_option(
      "score", {cases, of_text(), preparation, of_languages(""), kScoresOfQuality}, {"config"});
}

TEST_F(CommandOptionEffects, OfScoreWithAModelOfQuality) {
  save_checkpoint(path("unified"),
                  finished_checkpoint_of(small_quality_model(QualityReading::joined)));
  write("source", "a bad film\nso good\n");
  write("first", "a good film\nnot good\n");
  write("second", "so good\ngood and bad\n");
  expect_cases("score @unified --src @source --tgt @first", kScoresOfQuality);
}

TEST_F(CommandOptionEffects, OfScoreWithALanguageModel) {
  train_language_model();
  expect_cases("score @model", of_text());
  EXPECT_EQ(observe(with_paths("score @model --text " + write("input", input_))),
            observe(with_paths("score @model")));
}

TEST_F(CommandOptionEffects, OfEmbed) {
  train_translator();
  write("others.tsv",
        "one\tThe dog.\none\tThe dog sees the man.\ntwo\tA dog sleeps.\ntwo\tThe dog sleeps.\n");
  write("uses.tsv",
        "one\tThe man sees the dog.\none\tThe dog sees the man.\ntwo\tA dog sleeps.\ntwo\tThe old "
        "dog sleeps here.\n");
  input_ = "The man sees the dog.\n\xff\nA child sleeps.\n" + kToPrepare;
  const std::vector<OptionCase> cases{
      {"on-error", "skip", "", "out error"},
      {"on-error", "skip", "--npy @made/vectors.npy", "error files"},
      {"npy", "@made/vectors.npy", "", "out files"},
      {"context", "no", "", "out"},
      {"threads", "2", "", ""},
      {"layer", "1", "", "out"},
      {"pooling", "max", "", "out"},
      {"pooling", "first", "--no-context", "out"},
      {"batch-size", "1", "", ""},
      {"window", "1", "", ""},
      {"prompt", "query", "", "status error out"},
  };
  expect_cases("embed @model", cases);
  expect_config_file("embed @model", "--layer 0", "layer = 0\n");
  const std::vector<OptionCase> preparation = of_preparation("");
  expect_cases("embed @model", preparation);
  expect_a_case_for_every_option("embed", {cases, preparation}, {"config", "split-special-tokens"});

  const std::string nearest = "embed nearest @model --word dog --corpus @train.en";
  const std::vector<OptionCase> nearest_cases{
      {"word", "sees", "", "out"}, {"corpus", "@test.en", "", "out"}, {"count", "2", "", "out"},
      {"layer", "1", "", "out"},   {"threads", "2", "", ""},          {"format", "json", "", "out"},
  };
  expect_cases(nearest, nearest_cases);
  expect_config_file(nearest, "--count 2", "count = 2\n");
  expect_a_case_for_every_option("embed nearest", {nearest_cases}, {"config"});

  const std::string senses = "embed senses @model --uses @uses.tsv --word dog";
  const std::vector<OptionCase> sense_cases{
      {"uses", "@others.tsv", "", "out"},
      {"word", "man", "", "status error out"},  // not in all of the uses
      {"plot", "@made/plot.svg", "", "files"},
      {"layer", "1", "--plot @made/plot.svg", "files out?"},
      {"format", "json", "", "out"},
      {"threads", "2", "", ""},
  };
  expect_cases(senses, sense_cases);
  expect_config_file("embed senses @model --uses @uses.tsv", "--word dog", "word = \"dog\"\n");
  expect_a_case_for_every_option("embed senses", {sense_cases}, {"config"});
}

TEST_F(CommandOptionEffects, OfLab) {
  const std::string command = "lab permutation --quick --threads 1";
  EXPECT_EQ(observe(with_paths(command + " --all")).at("status"), "2") << "--all beside a name";
  const std::vector<OptionCase> cases{
      {"out", "@made/lab", "", "out files"}, {"seed", "2", "", "out"},
      {"data", "@nothing", "", ""},  // this experiment reads none
      {"threads", "2", "", "out?"},  // which says how many there were
      {"format", "json", "", "out"},
  };
  expect_cases(command, cases);
  EXPECT_NE(observe(with_paths("lab")).at("out"), observe(with_paths(command)).at("out"));
  expect_a_case_for_every_option("lab", {cases}, {"all", "quick"});
}

// A demo takes a minute: this checks only that it reads its options. demo_command_test.cpp runs a
// smaller one.
TEST_F(CommandOptionEffects, OfDemo) {
  std::filesystem::create_directories(path("demo/run"));
  EXPECT_EQ(run(with_paths("demo --out @demo")), 2);
  EXPECT_NE(error_.find(path("demo")), std::string::npos) << error_;
  for (const char* option : {"threads", "seed", "format"}) {
    EXPECT_EQ(run(with_paths(fmt::format("demo --out @other --{} x", option))), 2);
    EXPECT_NE(error_.find(option), std::string::npos) << error_;
  }
  expect_a_case_for_every_option("demo", {}, {"out", "threads", "seed", "format"});
}

// What would have no effect is refused, with the option that it needs or that leaves it none.
TEST_F(CommandOptionEffects, AreNeverMissingInSilence) {
  train_translator();
  const auto refused = [&](const std::string& command, const std::string& option,
                           const std::string& other) {
    SCOPED_TRACE(command);
    expect_usage_error(with_paths(command), {option, other});
  };
  for (const char* option : {"temperature", "top-k", "top-p", "seed"})
    refused(fmt::format("translate @model --{} 1", option), fmt::format("--{}:", option),
            "add --sample");
  for (const char* option : {"beam-size", "length-penalty", "patience"})
    refused(fmt::format("translate @model --sample --{} 1", option), fmt::format("--{}:", option),
            "--sample");
  refused("translate @model --no-detokenize", "--detokenize", "--tokenize moses");
  refused("translate @model --tgt-language de", "--tgt-language", "--tokenize moses");
  refused("quantize @model --out @made/q --max-bleu-drop 1", "--max-bleu-drop", "--src");
  refused("quantize @model --out @made/q --tokenize char", "--tokenize", "--src");
  refused("average @model --out @made/mean --last 1", "--last", "folder of a run");
  refused("embed senses @model --uses @uses --word dog --layer 1", "--layer", "--plot");
}

TEST_F(CommandOptionEffects, OfGenerateAreNeverMissingInSilence) {
  train_language_model();
  for (const char* option : {"temperature", "top-k", "top-p", "seed"})
    expect_usage_error(with_paths(fmt::format("generate @model --beam-size 2 --{} 1", option)),
                       {fmt::format("--{}:", option), "--beam-size"});
  expect_usage_error(with_paths("generate @model --length-penalty 1"),
                     {"--length-penalty", "--beam-size"});
}

TEST_F(CommandOptionEffects, OfOtherMeasurementsAreRefused) {
  train_language_model();
  expect_usage_error(with_paths("evaluate @model --text @valid.en --labeled @train.tsv"),
                     {"--labeled", "a language model"});
  expect_usage_error(with_paths("evaluate @model --text @valid.en --lowercase"),
                     {"--lowercase", "a language model"});
  const std::string given = "evaluate --hypotheses @valid.en --references @valid.en ";
  expect_usage_error(with_paths(given + "--stride 3"), {"--stride", "given translations"});
  expect_usage_error(with_paths(given + "--seed 3"), {"--seed", "--confidence or --baseline"});
  expect_usage_error(with_paths(given + "--format json --digits 3"), {"--digits", "json"});
}

// A command that is not above, or in serve_option_effects_test.cpp, fails here: its options would
// have no cases.
TEST_F(CommandOptionEffects, OfEveryCommandAreTested) {
  ASSERT_EQ(run({"--help"}), 0);
  std::set<std::string> commands;
  const std::string list = out_.substr(out_.find("ubcommands"));
  const std::regex line("\n  ([a-z]+) ");
  for (std::sregex_iterator match(list.begin(), list.end(), line), end; match != end; ++match)
    commands.insert((*match)[1]);
  EXPECT_EQ(commands,
            (std::set<std::string>{
                "attention", "average",   "backtranslate", "calibrate", "classify", "completion",
                "data",      "demo",      "distill",       "embed",     "evaluate", "explain",
                "export",    "filter",    "generate",      "glossary",  "help",     "import",
                "info",      "lab",       "man",           "merge",     "migrate",  "optimize",
                "page",      "prepare",   "quantize",      "score",     "serve",    "shortlist",
                "train",     "translate", "tune"}));
  ASSERT_EQ(run({"train", "--help"}), 0);
  for (const char* task : {"translation", "lm", "classification", "embedding", "tagging"})
    EXPECT_NE(out_.find(std::string("\n  ") + task), std::string::npos);
}

}  // namespace
}  // namespace attend
