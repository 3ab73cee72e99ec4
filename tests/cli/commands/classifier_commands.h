// A small classifier, trained by the program.
#pragma once

#include <zlib.h>

#include "attend/core/random/random.h"
#include "cli/program_test.h"

namespace attend {

// Reviews of a few words; "good" or "bad" among them decides.
class ClassifierCommands : public ProgramTest {
 protected:
  ClassifierCommands() {
    write("train.tsv", reviews(300, 1));
    write("valid.tsv", reviews(40, 2));
  }

  static std::string reviews(int count, std::uint64_t seed, const std::string& between = "") {
    static const std::vector<std::string> words{"the",  "film",  "was",  "a",   "very",
                                                "long", "story", "of",   "two", "cats",
                                                "and",  "their", "house"};
    Random random({seed, 1});
    std::string lines;
    for (int i = 0; i < count; ++i) {
      const bool good = random.below(2) == 0;
      std::string text;
      const std::uint64_t length = 3 + random.below(8), place = random.below(length);
      for (std::uint64_t w = 0; w < length; ++w)
        text += (w == 0 ? "" : " ") + (w == place ? std::string(good ? "good" : "bad")
                                                  : words[random.below(words.size())]);
      lines += std::string(good ? "pos" : "neg") + "\t" + between + text + "\n";
    }
    return lines;
  }

  // attend train classification ... --out RUN, a model of some thousand parameters, then `more`.
  std::vector<std::string> training(const std::string& run,
                                    const std::vector<std::string>& more = {}) const {
    std::istringstream words(
        "train classification --d-model 16 --n-heads 2 --d-ff 16 --n-encoder-layers 1 --dropout 0 "
        "--tokenizer word --vocab-size 19 "
        "--batch-tokens 200 --learning-rate 0.01 --warmup-steps 5 --valid-every 20");
    std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
    arguments.insert(arguments.end(), {"--data", folder_, "--out", path(run)});
    if (std::find(more.begin(), more.end(), "--train") == more.end())
      arguments.insert(arguments.end(), {"--train", "train.tsv"});
    if (std::find(more.begin(), more.end(), "--valid") == more.end())
      arguments.insert(arguments.end(), {"--valid", "valid.tsv"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  std::string model(const std::string& run) const { return path(run) + "/model.safetensors"; }

  void train(const std::vector<std::string>& more = {}) {
    std::vector<std::string> steps{"--max-steps", "40"};
    steps.insert(steps.end(), more.begin(), more.end());
    ASSERT_EQ(run(training("run", steps)), 0) << error_;
  }

  static void write_gzip(const std::string& file, const std::string& content) {
    gzFile out = gzopen(file.c_str(), "wb");
    gzwrite(out, content.data(), static_cast<unsigned>(content.size()));
    gzclose(out);
  }
};

}  // namespace attend
