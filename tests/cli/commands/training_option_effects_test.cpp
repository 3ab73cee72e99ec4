// Every option of training, alone: what it changes in the steps, the validations, the model and the
// files, and that it changes nothing else.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "attend/checkpoint/checkpoint.h"
#include "attend/demo/corpus.h"
#include "cli/option_effects.h"

namespace attend {
namespace {

using Cases = std::vector<OptionCase>;

// What a step learns shows in everything that comes after it.
const std::string kLearning = "losses norms validation parameters state score? ";
const std::string kModel = kLearning + "config ";
const std::string kPlan = kLearning + "batches ";
const std::string kSteps =
    "losses rates norms batches steps tensorboard checkpoints ";  // as many lines, events and files
                                                                  // as steps
const std::string kOften = "--valid-every 1 --save-every 1";
const std::string kVocabulary = kLearning + "tokenizer config? batches? text_kind? ";

// Of every task.
const Cases kRun{
    {"log-every", "2", "", "losses rates norms batches"},
    {"tensorboard-every", "3", "", "tensorboard"},
    {"threads", "2", "", ""},
};
const Cases kTraining{
    {"max-steps", "4", "", kSteps + "validation parameters? state score?"},
    {"max-epochs", "1", "--batch-tokens 1200 --max-steps 12",
     kSteps + "validation parameters? state score?"},
    {"accumulate", "2", "", kPlan},
    {"valid-every", "2", "", "validation state tensorboard parameters? score"},
    {"save-every", "3", "", "checkpoints"},
    {"keep-checkpoints", "1", kOften, "checkpoints"},
    {"patience", "1", "--valid-every 1 --learning-rate 1e-12",
     kSteps + "validation parameters? state score"},
    {"average-last", "3", kOften + " --learning-rate 0.05", "validation score parameters?"},
    {"ema-decay", "0.5", "", "validation parameters state score?"},
    {"seed", "2", "", kLearning + "batches?"},
    {"precision", "bf16", "", kLearning},
    {"optimizer", "muon", "", kLearning},
    {"adam-beta1", "0.5", "", kLearning},
    {"adam-beta2", "0.5", "", kLearning},
    {"adam-epsilon", "1e-2", "", kLearning},
    {"weight-decay", "0.5", "", kLearning},
    {"weight-decay", "0.5", "--optimizer muon", kLearning},
    {"clip-norm", "0.1", "", kLearning},
    {"clip-norm", "0.1", "--optimizer muon", kLearning},
    {"muon-momentum", "0.5", "--optimizer muon", kLearning},
    {"muon-momentum", "0.5", "", ""},
    {"schedule", "cosine", "", kLearning + "rates"},
    {"schedule", "noam", "", kLearning + "rates"},
    {"learning-rate", "0.02", "", kLearning + "rates"},
    {"warmup-steps", "4", "", kLearning + "rates"},
    {"min-learning-rate", "0.005", "--schedule linear", kLearning + "rates"},
    {"min-learning-rate", "0.005", "--schedule cosine", kLearning + "rates"},
};
const Cases kVocabularyOptions{
    {"tokenizer", "word", "", kVocabulary},
    {"tokenizer", "wordpiece", "", kVocabulary},
    {"tokenizer", "byte-bpe", "--vocab-size 300", kVocabulary},
    {"vocab-size", "70", "", kVocabulary},
    {"character-coverage", "0.98", "", kVocabulary},
    {"byte-fallback", "yes", "--vocab-size 400", kVocabulary},
    {"normalization", "nmt_nfkc_cf", "", kVocabulary},
    {"pretokenized", "yes", "--tokenizer word", kVocabulary},
};
const std::string kStretched =
    "--positions rotary --rotary-scaling llama3 --rotary-factor 8 --rotary-original-length 20";
// Of every Transformer.
const Cases kStack{
    {"d-model", "32", "", kModel},
    {"n-heads", "4", "", kModel},
    {"d-ff", "32", "", kModel},
    {"d-key", "4", "", kModel},
    {"d-value", "4", "", kModel},
    {"dropout", "0.4", "", kModel},
    {"attention-dropout", "0.4", "", kModel},
    {"activation-dropout", "0.4", "", kModel},
    {"activation", "gelu", "", kModel},
    {"n-key-heads", "1", "", kModel},
    {"gated-ffn", "yes", "", kModel},
    {"ffn-bias", "no", "", kModel},
    {"attention-biases", "none", "", kModel},
    {"norm", "rms", "", kModel},
    {"norm-epsilon", "0.1", "", kModel},
    {"norm-embedding", "yes", "", kModel},
    {"embedding-scale", "1", "", kModel},
    {"first-position", "3", "", kModel},
    {"rotary-theta", "10", "--positions rotary", kModel},
    {"rotary-theta", "10", "", "config"},
    {"rotary-scaling", "linear", "--positions rotary --rotary-factor 4", kModel},
    {"rotary-factor", "4", "--positions rotary --rotary-scaling linear", kModel},
    {"rotary-low-factor", "2", kStretched, kModel},
    {"rotary-high-factor", "3", kStretched, kModel},
    {"rotary-original-length", "40", kStretched, kModel},
    {"positions", "none", "", kModel},
    {"max-positions", "300", "--positions learned", "config parameters state norms?"},
    {"max-positions", "300", "", "config"},
    {"attention-scores", "additive", "", kModel},
    {"attention-choice", "hard", "", kModel},
    {"inverse-temperature", "2", "", kModel},
};
const std::set<std::string> kByHand{"config", "out",          "resume", "dry-run",
                                    "format", "print-config", "data"};

class TrainingOptionEffects : public OptionEffects {
 protected:
  TrainingOptionEffects() {
    write_corpus("", 0);
    write_corpus("other_", 200);
  }

  // 90 pairs to train on and 8 to validate with, of those from `first` on.
  void write_corpus(const std::string& prefix, std::ptrdiff_t first) const {
    DemoCorpusOptions options;
    options.train_sentences = 400;
    options.valid_sentences = options.test_sentences = 20;
    static const DemoCorpus corpus = make_demo_corpus(options);
    const auto part = [&](const std::vector<std::string>& all, std::ptrdiff_t begin,
                          std::ptrdiff_t count) {
      std::vector<std::string> lines(all.begin() + begin, all.begin() + begin + count);
      for (std::size_t i = 1; i < lines.size(); i += 2)
        lines[i].replace(lines[i].size() - 1, 1, "\uFF0E");  // a wide stop: normalized away
      return lines;
    };
    const auto lines = [&](const std::string& name, const std::vector<std::string>& text) {
      write(prefix + name, fmt::format("{}\n", fmt::join(text, "\n")));
    };
    lines("train.en", part(corpus.train_src, first, 90));
    lines("train.de", part(corpus.train_tgt, first, 90));
    lines("valid.en", part(corpus.train_src, first + 90, 8));
    lines("valid.de", part(corpus.train_tgt, first + 90, 8));
    const auto labeled = [&](const std::string& name, const std::vector<std::string>& text) {
      std::string out;
      for (std::size_t i = 0; i < text.size(); ++i) {
        const char* const label = text[i].find(" the ") != std::string::npos ? "the" : "none";
        out += fmt::format("{}\t{}\t{}\n", label, text[i], i % 2 == 0 ? "even" : "odd");
      }
      write(prefix + name, out);
    };
    // A table of tabs to those who do not know that it is one of commas.
    write(prefix + "both.csv",
          "the,x\tThe man sees the dog,\nnone,y\tA man sleeps,\nthe,x\tSee the dog,\n");
    labeled("train.tsv", part(corpus.train_src, first, 90));
    labeled("valid.tsv", part(corpus.train_src, first + 90, 8));
  }

  // The shape of the model and of the run, small; `more` comes after it.
  std::vector<std::string> base(const std::string& task, const std::string& more) const {
    return joined(words_of("train " + task +
                           " --d-model 16 --n-heads 2 --d-ff 16 --vocab-size 120 --batch-tokens "
                           "100 --learning-rate 0.01 --warmup-steps 2 "
                           "--max-steps 6 --max-epochs 0 --valid-every 3 --save-every 2 "
                           "--tensorboard-every 1 --threads 1"),
                  with_paths(more));
  }
  std::vector<std::string> translation() const {
    return base("translation",
                "--n-encoder-layers 1 --n-decoder-layers 1 --src-train @train.en --tgt-train "
                "@train.de --src-valid @valid.en --tgt-valid "
                "@valid.de");
  }
  std::vector<std::string> language() const {
    return base("lm", "--n-layers 1 --sequence-length 12 --train @train.en --valid @valid.en");
  }
  std::vector<std::string> classification() const {
    return base("classification", "--n-encoder-layers 1 --train @train.tsv --valid @valid.tsv");
  }

  // Runs into an empty folder and reads what is there.
  Seen observe(const std::vector<std::string>& arguments, const std::string& out = "run") {
    std::filesystem::remove_all(path(out));
    EXPECT_EQ(run(joined(arguments, {"--out", path(out)})), 0) << error_;
    return seen_in(out);
  }
  Seen seen_in(const std::string& out) {
    Seen seen;
    for (const char* name : {"losses", "norms", "rates", "batches", "steps", "validation", "score"})
      seen[name];
    std::istringstream log(read(path(out) + "/log.jsonl"));
    for (std::string line; std::getline(log, line);) {
      const auto json = nlohmann::json::parse(line);
      const std::string event = json.value("event", "");
      if (event == "step") {
        seen["losses"] +=
            fmt::format("{} {} {}\n", json["step"].dump(), json["loss"].dump(), json["nll"].dump());
        seen["norms"] += json["gradient_norm"].dump() + "\n";
        seen["rates"] += json["learning_rate"].dump() + "\n";
        seen["batches"] += fmt::format("{} {} {}\n", json["epoch"].dump(), json["tokens"].dump(),
                                       json["source_tokens"].dump());
      } else if (event == "validation") {
        seen["validation"] +=
            fmt::format("{} {} {}\n", json["step"].dump(), json["loss"].dump(), json["nll"].dump());
        for (const char* metric : {"bleu", "accuracy", "macro_f1"})
          if (json.contains(metric)) seen["score"] += json[metric].dump() + "\n";
        seen["score"] += json["best"].dump() + "\n";
      } else if (event == "end") {
        seen["steps"] = json["step"].dump();
      }
    }
    add_model(path(out) + "/model.safetensors", seen);
    std::string newest;
    for (const auto& entry : std::filesystem::directory_iterator(path(out) + "/checkpoints")) {
      seen["checkpoints"] += entry.path().filename().string() + "\n";
      newest = std::max(newest, entry.path().string());
    }
    seen["checkpoints"] = sorted_lines(seen["checkpoints"]);
    const Checkpoint last = load_checkpoint(newest);
    for (const auto& [key, value] : last.metadata)
      if (key.starts_with("state.")) seen["state"] += fmt::format("{} {}\n", key, value);
    for (const NamedTensor& tensor : last.tensors)
      if (tensor.name.starts_with("state."))
        seen["state"] += tensor.name + " " + bytes_of(tensor.tensor);
    for (const auto& entry : std::filesystem::directory_iterator(path(out)))
      if (entry.path().filename().string().starts_with("events"))
        seen["tensorboard"] += std::to_string(entry.file_size());
    return seen;
  }
  static std::string bytes_of(const Tensor& tensor) {
    return {reinterpret_cast<const char*>(tensor.bytes()),
            static_cast<std::size_t>(tensor.size()) * size_of(tensor.dtype())};
  }
  static std::string sorted_lines(const std::string& text) {
    const std::vector<std::string> lines = words_of(text);
    return fmt::format("{}", fmt::join(std::set<std::string>(lines.begin(), lines.end()), " "));
  }
  // attend.config, attend.decoding, ... by their names; the golden samples say what the parameters
  // say.
  static void add_model(const std::string& file, Seen& seen) {
    const Checkpoint model = load_checkpoint(file);
    for (const auto& [key, value] : model.metadata)
      if (key.starts_with("attend.text_kind.")) {
        seen["text_kind"] += key + value + "\n";
      } else if (key != "attend.golden" && key != "attend.training") {
        seen[key.substr(key.find('.') + 1)] = value;
      }
    for (const NamedTensor& tensor : model.tensors) {
      const bool text = tensor.tensor.dtype() == DType::u8;
      seen[text ? "tokenizer" : "parameters"] += tensor.name + " " + bytes_of(tensor.tensor);
    }
  }

  void expect_cases(const std::vector<std::string>& base, const Cases& cases) {
    expect_effects(base, cases,
                   [&](const std::vector<std::string>& arguments) { return observe(arguments); });
  }

  // What the options of a run itself do.
  void expect_run_options(const std::string& task, const std::vector<std::string>& command) {
    const Seen whole = observe(command);
    EXPECT_EQ(observe(command, "another"), whole) << "--out";
    std::filesystem::remove_all(path("another"));
    EXPECT_EQ(observe(joined(command, {"--config", write("c.toml", "max-steps = 4\n")}), "another"),
              whole)
        << "a flag wins over the file, and --max-steps is one";
    std::vector<std::string> without = command;
    const auto at = std::find(without.begin(), without.end(), "--max-steps");
    without.erase(at, at + 2);
    EXPECT_EQ(observe(joined(without, {"--config", path("c.toml")}), "another").at("steps"), "4");

    // A name relative to the folder of --data is the name of the same file.
    std::vector<std::string> relative = command;
    for (std::string& word : relative)
      if (word.starts_with(folder_ + "/")) word = word.substr(folder_.size() + 1);
    EXPECT_EQ(observe(joined(relative, {"--data", folder_}), "another"), whole) << "--data";
    EXPECT_EQ(run(joined(relative, {"--out", path("nothing")})), 1)
        << "without --data there is no such file";

    for (const int step : {4, 6})
      std::filesystem::remove(
          fmt::format("{}/checkpoints/step-{:08}.safetensors", path("run"), step));
    ASSERT_EQ(run(joined(words_of("train " + task), {"--resume", "--out", path("run")})), 0)
        << error_;
    Seen resumed = seen_in("run"), expected = whole;
    for (const char* name : {"tensorboard"}) resumed[name] = expected[name];  // a file of its own
    EXPECT_EQ(resumed, expected) << "--resume";

    EXPECT_EQ(run(joined(command, {"--dry-run", "--out", path("dry")})), 0) << error_;
    EXPECT_FALSE(std::filesystem::exists(path("dry"))) << "--dry-run";
    EXPECT_EQ(run(joined(command, {"--dry-run", "--format", "json", "--out", path("dry")})), 0)
        << error_;
    EXPECT_TRUE(out_.starts_with("{\n \"parameters\": ")) << "--format: " << out_;
    EXPECT_EQ(run(joined(command, {"--print-config", "--out", path("dry")})), 0) << error_;
    EXPECT_TRUE(out_.starts_with("[run]\n")) << "--print-config: " << out_;
    EXPECT_FALSE(std::filesystem::exists(path("dry"))) << "--print-config";
  }
};

// ---- translation
const Cases kTranslationData{
    {"src-train", "@other_train.en", "", kPlan + "tokenizer config? text_kind?"},
    {"tgt-train", "@other_train.de", "", kPlan + "tokenizer config? text_kind?"},
    {"src-language", "fr", "", "text_kind"},
    {"tgt-language", "fr", "", "text_kind"},
    {"src-valid", "@other_valid.en", "", "validation score? parameters? state?"},
    {"tgt-valid", "@other_valid.de", "", "validation score? parameters? state?"},
    {"max-length", "36", "", kPlan},
    {"over-long", "truncate", "--max-length 36", kPlan},
    {"batch-tokens", "80", "", kPlan},
};
const Cases kTranslationVocabulary{
    {"joint-vocabulary", "no", "--tie-embeddings target", kVocabulary},
    {"bpe-dropout", "0.4", "", kPlan},
};
const Cases kTranslationModel{
    {"arch", "rnn", "", kModel + "arch"},
    {"n-encoder-layers", "2", "", kModel},
    {"n-decoder-layers", "2", "", kModel},
    {"norm-first", "yes", "", kModel},
    {"tie-embeddings", "none", "", kModel},
    {"output-bias", "yes", "", kModel},
    {"d-hidden", "12", "--arch rnn", kModel},
    {"d-attention", "12", "--arch rnn", kModel},
    {"d-hidden", "12", "", ""},
    {"dropout", "0.4", "--arch rnn", kModel},
    {"attention-scores", "dot", "--arch rnn", kModel},
    {"attention-choice", "hard", "--arch rnn", kModel},
    {"inverse-temperature", "2", "--arch rnn", kModel},
    {"tie-embeddings", "none", "--arch rnn", kModel},
    {"output-bias", "yes", "--arch rnn", kModel},
};
const std::string kFluent =
    "--max-steps 60 --learning-rate 0.03 --valid-every 10 --save-every 0 --batch-tokens 300 "
    "--dropout 0";
const Cases kTranslationLoss{
    {"label-smoothing", "0.4", "", kLearning},
    {"label-smoothing", "0.4", "--r-drop 2", kLearning},
    {"r-drop", "2", "", kLearning},
    {"r-drop-after", "1", "--r-drop 2 --batch-tokens 600", kLearning},
    {"r-drop-after", "1", "", ""},
    {"valid-beam-size", "4", kFluent, "score parameters? state?"},
    {"beam-size", "3", "", "decoding"},
    {"length-penalty", "0", "", "decoding"},
    {"length-penalty", "4", kFluent + " --valid-beam-size 4", "decoding score parameters? state?"},
};

TEST_F(TrainingOptionEffects, OfTranslationInTheRun) { expect_cases(translation(), kRun); }
TEST_F(TrainingOptionEffects, OfTranslationInTheData) {
  expect_cases(translation(), kTranslationData);
}
TEST_F(TrainingOptionEffects, OfTranslationInTheVocabulary) {
  expect_cases(translation(), kVocabularyOptions);
}
TEST_F(TrainingOptionEffects, OfTranslationInTwoVocabularies) {
  expect_cases(translation(), kTranslationVocabulary);
}
TEST_F(TrainingOptionEffects, OfTranslationInTheStacks) { expect_cases(translation(), kStack); }
TEST_F(TrainingOptionEffects, OfTranslationInTheModel) {
  expect_cases(translation(), kTranslationModel);
}
TEST_F(TrainingOptionEffects, OfTranslationInTheLoss) {
  expect_cases(translation(), kTranslationLoss);
}
TEST_F(TrainingOptionEffects, OfTranslationInTheTraining) {
  expect_cases(translation(), kTraining);
}
TEST_F(TrainingOptionEffects, OfTranslationThatAreOfTheRunItself) {
  expect_run_options("translation", translation());
}
TEST_F(TrainingOptionEffects, OfTranslationAreAllTested) {
  expect_a_case_for_every_option(
      "train translation",
      {kRun, kTranslationData, kVocabularyOptions, kTranslationVocabulary, kStack,
       kTranslationModel, kTranslationLoss, kTraining},
      kByHand);
}

// ---- language models
const Cases kLanguageData{
    {"train", "@other_train.en", "", kLearning + "batches? tokenizer config? text_kind?"},
    {"language", "fr", "", "text_kind"},
    {"valid", "@other_valid.en", "", "validation score? parameters? state?"},
    {"sequence-length", "9", "", kPlan + "context"},
    {"batch-tokens", "80", "", kLearning + "batches validation?"},
};
const Cases kLanguageModel{
    {"n-layers", "2", "", kModel},
    {"norm-first", "no", "", kModel},
    {"tied", "no", "", kModel},
    {"previous-tokens", "2", "", kModel},
    {"output-dropout", "0.4", "", kModel},
    {"output-dropout", "0.4", "--output-sample 60", kModel},
};
const Cases kLanguageLoss{
    {"label-smoothing", "0.4", "", kLearning},
    {"output-sample", "60", "", kLearning},
    {"seed", "2", "--output-sample 60", kLearning},
    {"cache-tokens", "50", "", "cache"},
    {"cache-weight", "0.3", "--cache-tokens 50", "cache"},
    {"cache-beta", "2", "--cache-tokens 50", "cache"},
};

TEST_F(TrainingOptionEffects, OfLanguageModelsInTheRun) { expect_cases(language(), kRun); }
TEST_F(TrainingOptionEffects, OfLanguageModelsInTheData) {
  expect_cases(language(), kLanguageData);
}
TEST_F(TrainingOptionEffects, OfLanguageModelsInTheVocabulary) {
  expect_cases(language(), kVocabularyOptions);
}
TEST_F(TrainingOptionEffects, OfLanguageModelsInTheStack) { expect_cases(language(), kStack); }
TEST_F(TrainingOptionEffects, OfLanguageModelsInTheModel) {
  expect_cases(language(), kLanguageModel);
}
TEST_F(TrainingOptionEffects, OfLanguageModelsInTheLoss) {
  expect_cases(language(), kLanguageLoss);
}
TEST_F(TrainingOptionEffects, OfLanguageModelsInTheTraining) {
  expect_cases(language(), kTraining);
}
TEST_F(TrainingOptionEffects, OfLanguageModelsThatAreOfTheRunItself) {
  expect_run_options("lm", language());
}
TEST_F(TrainingOptionEffects, OfLanguageModelsAreAllTested) {
  expect_a_case_for_every_option(
      "train lm",
      {kRun, kLanguageData, kVocabularyOptions, kStack, kLanguageModel, kLanguageLoss, kTraining},
      kByHand);
}

// ---- classifiers
const Cases kClassificationData{
    {"train", "@other_train.tsv", "", kPlan + "tokenizer config? text_kind?"},
    {"valid", "@other_valid.tsv", "", "validation score? parameters? state?"},
    {"label-column", "3", "", kLearning + "labels"},
    {"text-column", "3", "--tokenizer word --vocab-size 6", kVocabulary + "batches"},
    {"header", "yes", "", kPlan + "tokenizer? text_kind?"},
    {"language", "fr", "", "text_kind"},
    {"table", "tsv", "--train @both.csv", kVocabulary + "labels"},
    {"best-by", "loss", "", "state score? parameters?"},
    {"best-by", "macro_f1", "", "state score? parameters?"},
    {"max-length", "8", "", kPlan + "text"},
    {"truncation", "left", "--max-length 8", kLearning + "text"},
    {"batch-tokens", "80", "", kPlan},
};
const Cases kClassificationModel{
    {"n-encoder-layers", "2", "", kModel}, {"norm-first", "yes", "", kModel},
    {"pooling", "mean", "", kModel},       {"output-dropout", "0.4", "", kModel},
    {"bigram-buckets", "50", "", kModel},  {"embedding-deviation", "0.1", "", kModel},
};
const Cases kClassificationLoss{
    {"label-smoothing", "0.4", "", kLearning},
    {"word-dropout", "0.4", "", kLearning},
    {"class-weights", "the=3", "", kLearning},
    {"class-weights", "balanced", "", kLearning},
};

TEST_F(TrainingOptionEffects, OfClassifiersInTheRun) { expect_cases(classification(), kRun); }
TEST_F(TrainingOptionEffects, OfClassifiersInTheData) {
  expect_cases(classification(), kClassificationData);
}
TEST_F(TrainingOptionEffects, OfClassifiersInTheVocabulary) {
  expect_cases(classification(), kVocabularyOptions);
}
TEST_F(TrainingOptionEffects, OfClassifiersInTheStack) { expect_cases(classification(), kStack); }
TEST_F(TrainingOptionEffects, OfClassifiersInTheModel) {
  expect_cases(classification(), kClassificationModel);
}
TEST_F(TrainingOptionEffects, OfClassifiersInTheLoss) {
  expect_cases(classification(), kClassificationLoss);
}
TEST_F(TrainingOptionEffects, OfClassifiersInTheTraining) {
  expect_cases(classification(), kTraining);
}
TEST_F(TrainingOptionEffects, OfClassifiersThatAreOfTheRunItself) {
  expect_run_options("classification", classification());
}
TEST_F(TrainingOptionEffects, OfClassifiersAreAllTested) {
  expect_a_case_for_every_option("train classification",
                                 {kRun, kClassificationData, kVocabularyOptions, kStack,
                                  kClassificationModel, kClassificationLoss, kTraining},
                                 kByHand);
}

}  // namespace
}  // namespace attend
