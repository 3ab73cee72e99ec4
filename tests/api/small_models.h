// Files of a few sentences in a folder of their own, and jobs that train models of some thousand
// parameters on them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "attend/training.h"

namespace attend {

class ApiTest : public testing::Test {
 protected:
  ApiTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("attend_api_") + test->test_suite_name() + test->name() +
               std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    std::string english, german, labeled;
    for (int i = 0; i < 8; ++i) {
      english +=
          "the old dog sees the cat\na cat eats the fish\nthe dog sleeps\nthe cat sees a fish\n";
      german +=
          "der alte hund sieht die katze\neine katze frisst den fisch\nder hund schläft\ndie katze "
          "sieht einen fisch\n";
      labeled +=
          "animal\tthe old dog sleeps\nfood\tbread and fish\nanimal\ta cat sees the "
          "dog\nfood\tfish and more bread\n";
    }
    write("train.en", english);
    write("train.de", german);
    write("train.tsv", labeled);
    std::string tagged, several = "label\ttext\n", numbers = "label\ttext\tother\n";
    for (int i = 0; i < 8; ++i) {
      tagged +=
          "Anna B-PER\nBell I-PER\nsees O\nParis B-LOC\n\nParis B-LOC\nsleeps O\n\nBell "
          "B-PER\nsees O\nAnna B-PER\n\n";
      several += "animal,food\tthe cat eats fish\nanimal\tthe dog sleeps\n\tthe old house\n";
      numbers += "0.9\tthe dog sleeps\tthe old dog sleeps\n0.2\tthe dog sleeps\tbread and fish\n";
    }
    write("train.conll", tagged);
    write("several.tsv", several);
    write("numbers.tsv", numbers);
  }
  ~ApiTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }
  static std::string content(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }

  TrainingJob translation_job(const std::string& run, int steps) const {
    return job("translation", run, steps,
               {{"src-train", path("train.en").string()},
                {"tgt-train", path("train.de").string()},
                {"batch-tokens", 64},
                {"n-encoder-layers", 1},
                {"n-decoder-layers", 2},
                {"vocab-size", 60},
                {"valid-every", 0}});
  }
  TrainingJob language_job(const std::string& run, int steps) const {
    return job("lm", run, steps,
               {{"train", path("train.en").string()},
                {"n-layers", 1},
                {"sequence-length", 16},
                {"vocab-size", 40}});
  }
  TrainingJob classification_job(const std::string& run, int steps) const {
    return job("classification", run, steps,
               {{"train", path("train.tsv").string()}, {"vocab-size", 40}, {"max-epochs", 0}});
  }
  TrainingJob tagging_job(const std::string& run, int steps) const {
    return job("tagging", run, steps,
               {{"train", path("train.conll").string()},
                {"tokenizer", "word"},
                {"vocab-size", 9},
                {"max-epochs", 0}});
  }
  // Any number of labels for a text.
  TrainingJob several_labels_job(const std::string& run, int steps) const {
    return job("classification", run, steps,
               {{"train", path("several.tsv").string()},
                {"header", true},
                {"problem-type", "multi_label"},
                {"vocab-size", 30},
                {"max-epochs", 0}});
  }
  // A number for a pair of texts.
  TrainingJob number_job(const std::string& run, int steps) const {
    return job("classification", run, steps,
               {{"train", path("numbers.tsv").string()},
                {"label-column", "label"},
                {"text-column", "text"},
                {"second-column", "other"},
                {"problem-type", "regression"},
                {"vocab-size", 30},
                {"max-epochs", 0}});
  }

 private:
  TrainingJob job(const std::string& task, const std::string& run, int steps,
                  std::vector<TrainingOption> options) const {
    TrainingJob job;
    job.task = task;
    job.folder = path(run);
    job.options = std::move(options);
    if (task == "translation" || task == "lm") job.options.push_back({"preset", "base"});
    for (const TrainingOption& option : std::vector<TrainingOption>{{"d-model", 16},
                                                                    {"n-heads", 2},
                                                                    {"d-ff", 32},
                                                                    {"max-steps", steps},
                                                                    {"save-every", 0},
                                                                    {"learning-rate", 5e-3},
                                                                    {"warmup-steps", 5}})
      job.options.push_back(option);
    return job;
  }

  std::filesystem::path folder_;
};

}  // namespace attend
