// A folder with texts, and models that are trained in a moment, for the tests of what the options
// of commands change.
#pragma once

#include <fmt/format.h>

#include <regex>

#include "attend/demo/corpus.h"
#include "cli/option_effects.h"
#include "tasks/small_quality.h"

namespace attend {

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
    std::string labeled = "label\ttext\ttone\n";
    for (std::size_t i = 0; i < corpus.train_src.size(); ++i)
      labeled += fmt::format(
          "{}\t{}\t{}\n", corpus.train_src[i].find(" the ") != std::string::npos ? "even" : "odd",
          corpus.train_src[i], i % 3 == 0 ? "even" : "odd");
    write("train.tsv", labeled);
    for (std::size_t i = 0; i < 8; ++i) input_ += corpus.test_src[i] + "\n";
  }

  // Models that have learned a little: enough to say something that depends on what they are asked.
  void train(const std::string& task, const std::string& more) {
    const auto arguments = with_paths(
        "train " + task +
        " --preset base --d-model 16 --n-heads 2 --d-ff 16 --vocab-size 300 --learning-rate 0.02 " +
        "--warmup-steps 10 --max-steps 60 --valid-every 0 --save-every 20 --threads 1 --out @run " +
        more);
    ASSERT_EQ(run(arguments), 0) << error_;
  }
  void train_translator(const std::string& more = "") {
    train("translation",
          "--n-encoder-layers 2 --n-decoder-layers 1 --src-train @train.en --tgt-train @train.de "
          "--batch-tokens 400 --dropout 0 " +
              more);
    ASSERT_EQ(run(with_paths("shortlist @run/model.safetensors --src @train.en --tgt @train.de "
                             "--translations 1 --frequent 3 --out @model")),
              0)
        << error_;
  }
  // Models that score translations, with random weights: comet, other-comet and kiwi.
  void save_quality_models() {
    const auto save = [&](const std::string& name, QualityReading reading, int vocabulary) {
      save_checkpoint(path(name), finished_checkpoint_of(small_quality_model(
                                      reading, true, reading == QualityReading::compared,
                                      scored_words(lines_of("train.de"), vocabulary))));
    };
    save("comet", QualityReading::compared, 200);
    save("other-comet", QualityReading::compared, 150);
    save("kiwi", QualityReading::joined, 200);
  }
  // A model of three languages, with random weights.
  void import_languages() {
    ASSERT_EQ(run({"import", std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/nllb",
                   "--out", path("languages")}),
              0)
        << error_;
  }
  static std::vector<OptionCase> of_languages(const std::string& shows) {
    return {{"src-lang", "fra_Latn", "", shows}, {"tgt-lang", "fra_Latn", "", shows}};
  }
  void train_language_model() {
    train("lm", "--n-layers 1 --sequence-length 12 --train @train.en --batch-tokens 400");
    std::filesystem::copy_file(path("run/model.safetensors"), path("model"));
  }
  void train_classifier() {
    train("classification",
          "--n-encoder-layers 2 --train @train.tsv --header --max-epochs 0 --batch-tokens 400");
    std::filesystem::copy_file(path("run/model.safetensors"), path("model"));
  }
  void train_embedder() {
    std::string pairs;
    const std::vector<std::string> en = lines_of("train.en"), de = lines_of("train.de");
    for (std::size_t i = 0; i < en.size(); ++i) pairs += en[i] + "\t" + de[i] + "\n";
    write("train_pairs.tsv", pairs);
    train("embedding",
          "--n-encoder-layers 2 --train @train_pairs.tsv --max-epochs 0 --batch-tokens 400");
    std::filesystem::copy_file(path("run/model.safetensors"), path("model"));
  }
  std::vector<std::string> lines_of(const std::string& file) const {
    std::istringstream stream(read(path(file)));
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  // Any number of labels.
  void train_several_labels() {
    std::istringstream lines(read(path("train.en")));
    std::string several;
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count)
      several += fmt::format("{}{}\t{}\n", line.find(" the ") != std::string::npos ? "the|x," : "",
                             count % 3 == 0 ? "third" : "", line);
    write("several.tsv", several);
    train("classification",
          "--n-encoder-layers 1 --train @several.tsv --problem-type multi_label --max-epochs 0 "
          "--batch-tokens 400");
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
    std::map<std::string, std::string> files;  // in an order that no file system decides
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path("made")))
      if (entry.is_regular_file())
        files[entry.path().filename().string()] = read(entry.path().string());
    for (const auto& [name, content] : files) seen["files"] += name + "\n" + content;
    seen["files"];
    return seen;
  }
  void expect_cases(const std::string& command, const std::vector<OptionCase>& cases) {
    expect_effects(with_paths(command), cases,
                   [&](const std::vector<std::string>& arguments) { return observe(arguments); });
  }
  // A file of options says what flags say.
  void expect_config_file(const std::string& command, const std::string& flags,
                          const std::string& text) {
    EXPECT_EQ(observe(joined(with_paths(command), {"--config", write("options.toml", text)})),
              observe(with_paths(command + " " + flags)));
  }

  static std::vector<OptionCase> of_text() {
    return {{"text", "@test.en", "", "out"},
            {"tokens", "yes", "", "out"},
            {"bits-per-character", "yes", "", "error"},
            {"format", "json", "", "out"},
            {"max-tokens", "5", "", "out error"},
            {"on-error", "skip", "--max-tokens 5", "out error"},
            {"threads", "2", "", ""}};
  }

  std::string input_;  // standard input of every run
};

}  // namespace attend
