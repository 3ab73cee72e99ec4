// A model that reads the translations of terms within sentences.

#include <sstream>

#include "attend/core/random/random.h"
#include "cli/program_test.h"

namespace attend {
namespace {

// Sentences in which an animal has one of two translations, by no rule.
struct AnimalSentences {
  std::string english, german;

  AnimalSentences(int count, std::uint64_t seed) {
    static const char* const kAnimals[][3] = {
        {"dog", "hund", "köter"}, {"horse", "pferd", "ross"}, {"cat", "katze", "mieze"}};
    static const char* const kVerbs[][2] = {{"sleeps", "schläft"}, {"eats", "frisst"}};
    Random random({seed, 0});
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < 2; ++k) {
        const auto& animal = kAnimals[random.below(3)];
        const auto& verb = kVerbs[random.below(2)];
        english += std::string(k == 0 ? "" : " and ") + animal[0] + " " + verb[0];
        german += std::string(k == 0 ? "" : " und ") + animal[1 + random.below(2)] + " " + verb[1];
      }
      english += "\n";
      german += "\n";
    }
  }
};

class InlineTermsCommand : public ProgramTest {
 protected:
  void SetUp() override {
    const AnimalSentences sentences(400, 1);
    write("train.en", sentences.english);
    write("train.de", sentences.german);
    write("terms.tsv",
          "dog\thund\ndog\tköter\nhorse\tpferd\nhorse\tross\ncat\tkatze\ncat\tmieze\n");
  }
  std::vector<std::string> training(const std::string& more,
                                    const std::string& vocabulary = "19") const {
    const std::string command =
        "train translation --src-train train.en --tgt-train train.de --tokenizer word "
        "--vocab-size " +
        vocabulary +
        " --d-model 32 --n-heads 2 --d-ff 64 --n-encoder-layers 1 --n-decoder-layers 1 --dropout "
        "0 --batch-tokens 400 --max-steps 400 --warmup-steps 50 --valid-every 0 --data " +
        folder_ + " --out " + path("run") + " " + more;
    std::istringstream words(command);
    return {std::istream_iterator<std::string>(words), {}};
  }
  std::string translated(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"translate", path("run"), "--beam-size", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(run(arguments, "dog eats and cat sleeps\nhorse sleeps and dog eats\n"), 0) << error_;
    return out_;
  }
};

TEST_F(InlineTermsCommand, WritesTermsWhereTheirWordsGo) {
  ASSERT_EQ(run(training("--inline-terms terms.tsv")), 0) << error_;
  EXPECT_NE(out_.find(" in 400 of 400 pairs"), std::string::npos) << out_;
  const std::string one = write("one.tsv", "dog\thund\ncat\tmieze\nhorse\tross\n"),
                    other = write("other.tsv", "dog\tköter\ncat\tkatze\nhorse\tpferd\n");
  EXPECT_EQ(translated({"--glossary", one}),
            "hund frisst und mieze schläft\nross schläft und hund frisst\n");
  EXPECT_EQ(translated({"--glossary", other}),
            "köter frisst und katze schläft\npferd schläft und köter frisst\n");
  ASSERT_EQ(run({"info", path("run")}), 0);
  EXPECT_NE(out_.find("reads the terms of a glossary within sentences"), std::string::npos) << out_;
}

TEST_F(InlineTermsCommand, SaysWhatItCannotDo) {
  expect_error(training("--inline-terms none.tsv"), {"none.tsv"});
  write("terms.tsv", "dog\tvogel\n");
  expect_error(training("--inline-terms terms.tsv"), {"inline-terms", "found none"});
  expect_error(
      training("--inline-terms terms.tsv --no-joint-vocabulary --tie-embeddings target", "10"),
      {"inline-terms", "one vocabulary"});
  expect_error(training("--inline-terms terms.tsv --tokenizer bpe --bpe-dropout 0.1"),
               {"inline-terms", "bpe-dropout"});
}

}  // namespace
}  // namespace attend
