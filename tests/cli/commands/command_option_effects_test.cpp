// Every option of the commands that use models, alone: what it changes in what they print and write, and that it changes nothing else.
#include <fmt/format.h>

#include <regex>

#include "attend/demo/corpus.h"
#include "cli/option_effects.h"

namespace attend {
namespace {

class CommandOptionEffects : public OptionEffects {
 protected:
  CommandOptionEffects() {
    DemoCorpusOptions options;
    options.train_sentences = 400;
    options.valid_sentences = options.test_sentences = 20;
    static const DemoCorpus corpus = make_demo_corpus(options);
    const auto lines = [&](const std::string& name, const std::vector<std::string>& text) {
      return write(name, fmt::format("{}\n", fmt::join(text, "\n")));
    };
    lines("train.en", corpus.train_src);
    lines("train.de", corpus.train_tgt);
    lines("valid.en", corpus.valid_src);
    lines("valid.de", corpus.valid_tgt);
    lines("test.en", corpus.test_src);
    lines("test.de", corpus.test_tgt);
    std::string labelled = "label\ttext\ttone\n";
    for (std::size_t i = 0; i < corpus.train_src.size(); ++i)
      labelled += fmt::format("{}\t{}\t{}\n", corpus.train_src[i].find(" the ") != std::string::npos ? "even" : "odd", corpus.train_src[i],
                              i % 3 == 0 ? "even" : "odd");
    write("train.tsv", labelled);
    for (std::size_t i = 0; i < 8; ++i) input_ += corpus.test_src[i] + "\n";
  }

  // Models that have learned a little: enough to say something that depends on what they are asked.
  void train(const std::string& task, const std::string& more) {
    const auto arguments = with_paths("train " + task + " --d-model 16 --n-heads 2 --d-ff 16 --vocab-size 300 --learning-rate 0.02 " +
                                      "--warmup-steps 10 --max-steps 60 --valid-every 0 --save-every 20 --threads 1 --out @run " + more);
    ASSERT_EQ(run(arguments), 0) << error_;
  }
  void train_translator() {
    train("translation",
          "--n-encoder-layers 2 --n-decoder-layers 1 --src-train @train.en --tgt-train @train.de --batch-tokens 400 --dropout 0");
    ASSERT_EQ(
        run(with_paths("shortlist @run/model.safetensors --src @train.en --tgt @train.de --translations 1 --frequent 3 --out @model")), 0)
        << error_;
  }
  void train_language_model() {
    train("lm", "--n-layers 1 --sequence-length 12 --train @train.en --batch-tokens 400");
    std::filesystem::copy_file(path("run/model.safetensors"), path("model"));
  }
  void train_classifier() {
    train("classification", "--n-encoder-layers 2 --train @train.tsv --header --max-epochs 0 --batch-tokens 400");
    std::filesystem::copy_file(path("run/model.safetensors"), path("model"));
  }

  // Status, output, error, and the files in the folder "made". Times are left out.
  Seen observe(const std::vector<std::string>& arguments) {
    std::filesystem::remove_all(path("made"));
    std::filesystem::create_directories(path("made"));
    Seen seen;
    seen["status"] = std::to_string(run(arguments, input_));
    seen["out"] = std::regex_replace(out_, std::regex("speed .*|[0-9.]+ s, "), "");
    seen["error"] = error_;
    seen["files"];
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path("made")))
      if (entry.is_regular_file()) seen["files"] += entry.path().filename().string() + "\n" + read(entry.path().string());
    return seen;
  }
  void expect_cases(const std::string& command, const std::vector<OptionCase>& cases) {
    expect_effects(with_paths(command), cases, [&](const std::vector<std::string>& arguments) { return observe(arguments); });
  }
  // A file of options says what flags say.
  void expect_config_file(const std::string& command, const std::string& flags, const std::string& text) {
    EXPECT_EQ(observe(joined(with_paths(command), {"--config", write("options.toml", text)})), observe(with_paths(command + " " + flags)));
  }

  static std::vector<OptionCase> of_text() {
    return {{"text", "@test.en", "", "out"},
            {"tokens", "yes", "", "out"},
            {"max-tokens", "5", "", "out status error"},
            {"threads", "2", "", ""}};
  }

  std::string input_;  // standard input of every run
};

TEST_F(CommandOptionEffects, OfTranslate) {
  train_translator();
  const std::vector<OptionCase> cases{
      {"format", "json", "", "out"},
      {"sample", "yes", "", "out"},
      {"threads", "2", "", ""},
      {"threads", "2", "--sample", ""},
      {"beam-size", "1", "", "out"},
      {"length-penalty", "0", "", "out"},
      {"n-best", "3", "", "out"},
      {"n-best", "3", "--sample", "out"},
      {"max-length", "3", "", "out"},
      {"max-length", "3", "--sample", "out"},
      {"min-length", "30", "", "out"},
      {"min-length", "30", "--sample", ""},
      {"batch-size", "1", "", ""},
      {"batch-size", "1", "--sample", ""},
      {"window", "2", "", ""},
      {"window", "2", "--sample", ""},
      {"shortlist", "yes", "", "out"},
      {"shortlist", "yes", "--sample", "out"},
      {"max-source-tokens", "12", "", "out status error"},
      {"alignment", "yes", "", "out"},
      {"alignment", "yes", "--format json", "out"},
      {"alignment", "yes", "--sample", "out"},
      {"temperature", "0.2", "--sample", "out"},
      {"temperature", "0.2", "", ""},
      {"top-k", "1", "--sample", "out"},
      {"top-p", "0.1", "--sample", "out"},
      {"sampling-seed", "2", "--sample", "out"},
      {"sampling-seed", "2", "", ""},
  };
  expect_cases("translate @model", cases);
  expect_config_file("translate @model", "--beam-size 1", "beam-size = 1\n");
  expect_a_case_for_every_option("translate", {cases}, {"config"});
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
      {"beam-size", "3", "", "out"},
      {"beam-size", "4", "--beam-size 1", "out"},
      {"seed", "2", "--beam-size 3", ""},
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
  expect_a_case_for_every_option("generate", {cases}, {"config"});
}

TEST_F(CommandOptionEffects, OfClassify) {
  train_classifier();
  const std::vector<OptionCase> cases{
      {"format", "json", "", "out"}, {"threads", "2", "", ""}, {"batch-tokens", "5", "", ""}, {"window", "2", "", ""}};
  expect_cases("classify @model", cases);
  expect_config_file("classify @model", "--format json", "format = \"json\"\n");
  expect_a_case_for_every_option("classify", {cases}, {"config"});
}

TEST_F(CommandOptionEffects, OfScore) {
  train_translator();
  const std::vector<OptionCase> cases{{"src", "@test.en", "", "out"},
                                      {"tgt", "@test.de", "", "out"},
                                      {"tokens", "yes", "", "out"},
                                      {"max-tokens", "12", "", "out status error"},
                                      {"threads", "2", "", ""}};
  expect_cases("score @model --src @valid.en --tgt @valid.de", cases);
  expect_config_file("score @model --src @valid.en --tgt @valid.de", "--tokens", "tokens = true\n");
  expect_a_case_for_every_option("score", {cases, of_text()}, {"config"});
}

TEST_F(CommandOptionEffects, OfScoreWithALanguageModel) {
  train_language_model();
  expect_cases("score @model", of_text());
  EXPECT_EQ(observe(with_paths("score @model --text " + write("input", input_))), observe(with_paths("score @model")));
}

TEST_F(CommandOptionEffects, OfAttention) {
  train_translator();
  const std::string command = "attention @model The_man_sees_the_small_dog. --out @made/page.html";
  const std::vector<OptionCase> cases{
      {"target", "Der", "", "out files"},    {"out", "@made/other.html", "", "out files"}, {"threads", "2", "", ""},
      {"beam-size", "1", "", "out? files"},  {"length-penalty", "0", "", "out? files"},    {"max-length", "2", "", "out files"},
      {"min-length", "30", "", "out files"},
  };
  expect_cases(command, cases);
  expect_config_file(command, "--max-length 2", "max-length = 2\n");
  expect_a_case_for_every_option("attention", {cases}, {"config"});
}

TEST_F(CommandOptionEffects, OfEmbed) {
  train_translator();
  write("others.tsv", "one\tThe dog.\none\tThe dog sees the man.\ntwo\tA dog sleeps.\ntwo\tThe dog sleeps.\n");
  write("uses.tsv", "one\tThe man sees the dog.\none\tThe dog sees the man.\ntwo\tA dog sleeps.\ntwo\tThe old dog sleeps here.\n");
  input_ = "The man sees the dog.\nA child sleeps.\n";
  const std::vector<OptionCase> cases{
      {"npy", "@made/vectors.npy", "", "out files"},
      {"context", "no", "", "out"},
      {"threads", "2", "", ""},
      {"layer", "1", "", "out"},
      {"pooling", "max", "", "out"},
      {"pooling", "first", "--no-context", "out"},
      {"batch-size", "1", "", ""},
      {"window", "1", "", ""},
  };
  expect_cases("embed @model", cases);
  expect_config_file("embed @model", "--layer 0", "layer = 0\n");
  expect_a_case_for_every_option("embed", {cases}, {"config"});

  const std::string nearest = "embed nearest @model --word dog --corpus @train.en";
  const std::vector<OptionCase> nearest_cases{
      {"word", "sees", "", "out"}, {"corpus", "@test.en", "", "out"}, {"count", "2", "", "out"},
      {"layer", "1", "", "out"},   {"threads", "2", "", ""},
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
      {"threads", "2", "", ""},
  };
  expect_cases(senses, sense_cases);
  expect_config_file("embed senses @model --uses @uses.tsv", "--word dog", "word = \"dog\"\n");
  expect_a_case_for_every_option("embed senses", {sense_cases}, {"config"});
}

TEST_F(CommandOptionEffects, OfAverage) {
  train_classifier();
  const std::vector<OptionCase> cases{{"out", "@made/other", "", "out files"}, {"last", "2", "", "out files"}};
  expect_cases("average @run --out @made/mean", cases);
  expect_config_file("average @run --out @made/mean", "--last 1", "last = 1\n");
  expect_a_case_for_every_option("average", {cases}, {"config"});
}

TEST_F(CommandOptionEffects, OfQuantize) {
  train_translator();
  const std::string text = "--src @valid.en --tgt @valid.de --max-bleu-drop 100";
  const std::vector<OptionCase> cases{
      {"out", "@made/other", "", "out files"},
      {"src", "@test.en", text + " --tokenize char", "out"},
      {"tgt", "@test.de", text + " --tokenize char", "out"},
      {"max-bleu-drop", "-101", text, "out status error files"},
      {"max-bleu-drop", "-101", "", ""},
      {"tokenize", "char", text, "out"},
      {"threads", "2", text, ""},
  };
  expect_cases("quantize @model --out @made/small", cases);
  expect_config_file("quantize @model", "--out @made/small", fmt::format("out = \"{}\"\n", path("made/small")));
  expect_a_case_for_every_option("quantize", {cases}, {"config"});
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
      {"threads", "2", "", ""},
  };
  expect_cases("shortlist @run/model.safetensors --src @train.en --tgt @train.de --out @made/model", {cases.begin(), cases.begin() + 1});
  expect_cases("shortlist @run/model.safetensors --src @train.en --tgt @train.de --out @made/model", {cases.begin() + 2, cases.end()});
  expect_config_file("shortlist @run/model.safetensors --src @train.en --tgt @train.de --out @made/model", "--frequent 5",
                     "frequent = 5\n");
  expect_a_case_for_every_option("shortlist", {cases}, {"config"});
}

TEST_F(CommandOptionEffects, OfInfo) {
  train_classifier();
  const std::vector<OptionCase> cases{
      {"tensors", "no", "", "out"}, {"format", "json", "", "out"}, {"tensors", "no", "--format json", "out"}};
  expect_cases("info @model", cases);
  expect_config_file("info @model", "--no-tensors", "tensors = false\n");
  expect_a_case_for_every_option("info", {cases}, {"config"});
}

// ---- evaluate, which measures three kinds of things
const std::vector<OptionCase> kTranslationScores{
    {"format", "json", "", "out"},
    {"digits", "4", "", "out"},
    {"hypotheses", "@second", "", "out"},
    {"references", "@second", "", "out"},
    {"baseline", "@second", "--bootstrap-samples 50", "out"},
    {"tokenize", "char", "", "out"},
    {"lowercase", "yes", "", "out"},
    {"smooth-method", "floor", "", "out"},
    {"smooth-value", "0.5", "--smooth-method floor", "out"},
    {"smooth-value", "0.5", "--smooth-method add-k", "out"},
    {"max-ngram-order", "2", "", "out"},
    {"effective-order", "yes", "", "out"},
    {"allow-subwords", "yes", "--hypotheses @pieces", "status out error"},
    {"chrf-char-order", "3", "", "out"},
    {"chrf-word-order", "2", "", "out"},
    {"chrf-beta", "1", "", "out"},
    {"chrf-lowercase", "yes", "", "out"},
    {"bleu", "no", "", "out"},
    {"chrf", "no", "", "out"},
    {"confidence", "yes", "--bootstrap-samples 50", "out"},
    {"bootstrap-samples", "60", "--confidence --bootstrap-samples 50", "out"},
    {"bootstrap-samples", "60", "", ""},
    {"bootstrap-seed", "2", "--confidence --bootstrap-samples 50", "out"},
    {"bootstrap-seed", "2", "--baseline @second --bootstrap-samples 50", "out"},
    {"threads", "2", "", ""},
};
const std::vector<OptionCase> kPerplexity{
    {"text", "@test.en", "", "out"},
    {"format", "json", "", "out"},
    {"digits", "5", "", "out"},
    {"context", "6", "", "out"},
    {"stride", "2", "", "out"},
    {"batch-tokens", "40", "--digits 4", ""},
    {"cache-tokens", "50", "", "out"},
    {"cache-weight", "0.4", "--cache-tokens 50", "out"},
    {"cache-beta", "3", "--cache-tokens 50", "out"},
    {"threads", "2", "--digits 9", ""},
};
const std::vector<OptionCase> kClassification{
    {"labelled", "@some.tsv", "", "out"}, {"format", "json", "", "out"}, {"label-column", "3", "", "out"},
    {"text-column", "3", "", "out"},      {"header", "yes", "", "out"},  {"threads", "2", "", ""},
};

TEST_F(CommandOptionEffects, OfEvaluateOnTranslations) {
  write("first", "The man sees the small Dog, today.\nA child sleeps.\nno match\n");
  write("reference", "The man sees the small dog today.\nA Child is asleep.\nsomething else entirely\n");
  write("second", "The man hears a dog.\nA child sleeps here.\nsomething else\n");
  write("pieces", "The man sees the sm@@ all dog today.\nA child sl@@ eeps.\nno match\n");
  expect_cases("evaluate --hypotheses @first --references @reference", kTranslationScores);
  expect_config_file("evaluate --hypotheses @first --references @reference", "--lowercase", "lowercase = true\n");
}

TEST_F(CommandOptionEffects, OfEvaluateOnLanguageModels) {
  train_language_model();
  expect_cases("evaluate @model --text @valid.en", kPerplexity);
}

TEST_F(CommandOptionEffects, OfEvaluateOnClassifiers) {
  train_classifier();
  std::string all = read(path("train.tsv"));
  write("all.tsv", all.substr(all.find('\n') + 1));
  write("some.tsv", "even\tThe man sees the dog.\tx\nodd\tA child sleeps.\ty\n");
  expect_cases("evaluate @model --labelled @all.tsv", kClassification);
}

TEST_F(CommandOptionEffects, OfEvaluateAreAllTested) {
  expect_a_case_for_every_option("evaluate", {kTranslationScores, kPerplexity, kClassification}, {"config"});
}

TEST_F(CommandOptionEffects, OfLab) {
  const std::string command = "lab permutation --quick --threads 1";
  EXPECT_EQ(observe(with_paths(command + " --all")).at("status"), "1") << "--all beside a name";
  const std::vector<OptionCase> cases{
      {"out", "@made/lab", "", "out files"},
      {"seed", "2", "", "out"},
      {"data", "@nothing", "", ""},  // this experiment reads none
      {"threads", "2", "", "out?"},  // which says how many there were
  };
  expect_cases(command, cases);
  EXPECT_NE(observe(with_paths("lab")).at("out"), observe(with_paths(command)).at("out"));
  expect_a_case_for_every_option("lab", {cases}, {"all", "quick"});
}

// A demo takes a minute: seen here is only that it asks for its folder and its threads.
TEST_F(CommandOptionEffects, OfDemo) {
  std::filesystem::create_directories(path("demo/run"));
  EXPECT_EQ(run(with_paths("demo --out @demo")), 1);
  EXPECT_NE(error_.find(path("demo")), std::string::npos) << error_;
  EXPECT_EQ(run(with_paths("demo --out @other --threads -1")), 1);
  EXPECT_NE(error_.find("threads"), std::string::npos) << error_;
  expect_a_case_for_every_option("demo", {}, {"out", "threads"});
}

// A command that is not above fails here: its options would have no cases.
TEST_F(CommandOptionEffects, OfEveryCommandAreTested) {
  ASSERT_EQ(run({"--help"}), 0);
  std::set<std::string> commands;
  const std::string list = out_.substr(out_.find("ubcommands"));
  const std::regex line("\n  ([a-z]+) ");
  for (std::sregex_iterator match(list.begin(), list.end(), line), end; match != end; ++match) commands.insert((*match)[1]);
  EXPECT_EQ(commands, (std::set<std::string>{"attention", "average", "classify", "demo", "embed", "evaluate", "generate", "info", "lab",
                                             "quantize", "score", "shortlist", "train", "translate"}));
  ASSERT_EQ(run({"train", "--help"}), 0);
  for (const char* task : {"translation", "lm", "classification"}) EXPECT_NE(out_.find(std::string("\n  ") + task), std::string::npos);
}

}  // namespace
}  // namespace attend
