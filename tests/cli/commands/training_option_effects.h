// A small training of every task, and what can be seen of it: steps, validations, model and files.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/demo/corpus.h"
#include "cli/option_effects.h"

namespace attend {

using Cases = std::vector<OptionCase>;

// Tested by functions of their own instead of cases.
inline const std::set<std::string> kByHand{
    "config",       "out",  "init-from", "init-vocabulary", "resume",     "dry-run",      "format",
    "print-config", "data", "teachers",  "lora-rank",       "lora-alpha", "lora-targets", "preset"};

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
        out += fmt::format("{}\t{}\t{}\t{} the\n", label, text[i], i % 2 == 0 ? "even" : "odd",
                           text[i]);
      }
      write(prefix + name, out);
    };
    // A table of tabs to those who do not know that it is one of commas.
    write(prefix + "both.csv",
          "the,x\tThe man sees the dog,\nnone,y\tA man sleeps,\nthe,x\tSee the dog,\n");
    // Pairs: English, German, the German of another line, the same turned around.
    const auto pairs = [&](const std::string& name, std::ptrdiff_t begin, std::ptrdiff_t count) {
      const auto en = part(corpus.train_src, begin, count),
                 de = part(corpus.train_tgt, begin, count);
      std::string out;
      for (std::size_t i = 0; i < en.size(); ++i) {
        const std::size_t other = (i + 1) % en.size();
        out += fmt::format("{}\t{}\t{}\t{}\n", en[i], de[i], de[other], en[other]);
      }
      write(prefix + name, out);
    };
    pairs("pairs.tsv", first, 90);
    pairs("valid_pairs.tsv", first + 90, 8);
    write("terms.tsv", "the\tdie|der|das|den|dem\na\tein|eine|einen|einem|einer\n");
    write(prefix + "scored.tsv",
          "The man sleeps.\tA man sleeps.\t5\t1\nThe man sleeps.\tSee the dog.\t1\t5\n"
          "The dog sleeps.\tA dog sees.\t4\t2\nA man sees.\tThe dog.\t2\t9\n");
    labeled("train.tsv", part(corpus.train_src, first, 90));
    // Any number of labels, with a comma or a bar between.
    std::string several;
    for (const std::string& line : part(corpus.train_src, first, 90)) {
      const bool has_the = line.find(" the ") != std::string::npos;
      several += fmt::format("{}{}\t{}\n", has_the ? "the|x," : "",
                             line.size() % 2 == 0 ? "even" : "odd", line);
    }
    write(prefix + "several.tsv", several);
    labeled("valid.tsv", part(corpus.train_src, first + 90, 8));
    write_tagged(prefix + "train", part(corpus.train_src, first, 90));
    write_tagged(prefix + "valid", part(corpus.train_src, first + 90, 8));
  }

  // NAME.conll: the word after "the" is a thing. NAME.tagged: tags, words, other tags, other words.
  void write_tagged(const std::string& name, const std::vector<std::string>& texts) const {
    std::string conll, table;
    for (const std::string& text : texts) {
      const std::vector<std::string> words = words_of(text);
      std::vector<std::string> tags, others;
      for (std::size_t i = 0; i < words.size(); ++i) {
        tags.push_back(i > 0 && words[i - 1] == "the" ? "B-THING" : "O");
        others.push_back(i % 2 == 0 ? "B-EVEN" : "O");
        conll += words[i] + " " + tags.back() + "\n";
      }
      conll += "\n";
      table += fmt::format("{}\t{}\t{}\t{}\n", fmt::join(tags, " "), fmt::join(words, " "),
                           fmt::join(others, " "),
                           fmt::join(std::vector<std::string>(words.rbegin(), words.rend()), " "));
    }
    write(name + ".conll", conll);
    write(name + ".tagged", table);
  }

  // The shape of the model and of the run, small; `more` comes after it.
  std::vector<std::string> base(const std::string& task, const std::string& more) const {
    return joined(
        words_of(
            "train " + task +
            " --preset base --d-model 16 --n-heads 2 --d-ff 16 --vocab-size 120 --batch-tokens "
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
  std::vector<std::string> tagging() const {
    return tagging_in("--train @train.conll --valid @valid.conll");
  }
  std::vector<std::string> tagging_in(const std::string& files) const {
    return base("tagging", "--n-encoder-layers 1 " + files);
  }
  std::vector<std::string> embedding() const {
    return base("embedding",
                "--n-encoder-layers 1 --train @pairs.tsv --valid @valid_pairs.tsv --batch-tokens "
                "400");
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
        for (const char* metric :
             {"bleu", "accuracy", "macro_f1", "micro_f1", "entity_f1", "recall_at_1",
              "recall_at_10", "mrr", "ndcg_at_10", "spearman", "old_nll", "old_bleu"})
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

}  // namespace attend
