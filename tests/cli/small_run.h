// A translator small enough to be trained in a test.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "attend/demo/corpus.h"
#include "cli/program_test.h"

namespace attend {

class SmallRunTest : public ProgramTest {
 protected:
  SmallRunTest() {
    DemoCorpusOptions options;
    options.train_sentences = 400;
    options.valid_sentences = options.test_sentences = 20;
    const DemoCorpus corpus = make_demo_corpus(options);
    write("train.en", fmt::format("{}\n", fmt::join(corpus.train_src, "\n")));
    write("train.de", fmt::format("{}\n", fmt::join(corpus.train_tgt, "\n")));
    write("valid.en", fmt::format("{}\n", fmt::join(corpus.valid_src, "\n")));
    write("valid.de", fmt::format("{}\n", fmt::join(corpus.valid_tgt, "\n")));
  }

  // attend train translation ... --out RUN, a model of some thousand parameters, then `more`.
  std::vector<std::string> training(const std::string& run,
                                    const std::vector<std::string>& more = {}) const {
    std::string flags =
        "train translation --preset base --tgt-train train.de --src-valid valid.en --tgt-valid "
        "valid.de "
        "--d-model 16 --n-heads 2 --d-ff 16 "
        "--n-encoder-layers 1 --n-decoder-layers 1 --vocab-size 300 --batch-tokens 256 "
        "--warmup-steps 5";
    if (std::find(more.begin(), more.end(), "--src-train") == more.end())
      flags += " --src-train train.en";
    std::istringstream words(flags);
    std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
    arguments.insert(arguments.end(), {"--data", folder_, "--out", path(run)});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  std::string model(const std::string& run) const { return path(run) + "/model.safetensors"; }
  std::string checkpoint(const std::string& run, int step) const {
    return fmt::format("{}/checkpoints/step-{:08}.safetensors", path(run), step);
  }
};

}  // namespace attend
